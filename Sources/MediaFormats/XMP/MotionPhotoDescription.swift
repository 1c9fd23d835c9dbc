// The properties of an XMP packet that make a JPEG a Motion Photo.

import Foundation

/// The claims of an XMP packet about a movie behind the picture. They are not verified here; see `MotionPhoto`.
///
/// Source: https://developer.android.com/media/platform/motion-photo-format
public struct MotionPhotoDescription: Sendable, Hashable {
  /// An item of the container's directory.
  public struct Item: Sendable, Hashable {
    public var mime: String?
    public var semantic: String?
    /// In bytes.
    public var length: UInt64?
  }

  /// `MotionPhoto="1"`.
  public var isMotionPhoto = false
  /// `MicroVideo="1"`, the predecessor of the format.
  public var isMicroVideo = false
  /// In microseconds from the movie's start; `nil` when unset, or set to -1.
  public var presentationTime: Int64?
  /// The same of a MicroVideo.
  public var microVideoPresentationTime: Int64?
  /// The distance of a MicroVideo from the end of the file, in bytes.
  public var microVideoOffset: UInt64?
  /// The container's directory, in order.
  public var items: [Item] = []

  /// The length of the movie in the directory; `nil` when it has none.
  public var movieLength: UInt64? { items.last { $0.semantic == "MotionPhoto" }?.length }

  /// The number of bytes between a HEIC or AVIF and its movie: the head of the box that the movie is in.
  public static let paddingOfHEIF: UInt64 = 8

  /// Parses a packet, in attribute or element form, with any prefixes; `nil` unless it describes a movie.
  ///
  /// Not a general XML parser: entities are left as they are (no value that matters has one), and a syntax error ends the
  /// parsing. Takes time and memory in proportion to the packet, whatever it holds.
  public init?(xmp: Data) {
    var scanner = XMLScanner(bytes: [UInt8](xmp))
    var namespaces: [String: String] = [:]
    // The names of the open elements; a packet of 64 KiB can't nest deep.
    var open: [XMLName] = []
    while let token = scanner.next() {
      switch token {
      case .start(let tag, let attributes, let isClosed):
        for attribute in attributes where attribute.name.hasPrefix("xmlns:") {
          namespaces[String(attribute.name.dropFirst(6))] = attribute.value
        }
        let name = XMLName(tag, namespaces)
        if name == XMLName(namespace: .container, local: "Item") { items.append(Item()) }
        for attribute in attributes { note(XMLName(attribute.name, namespaces), attribute.value) }
        if !isClosed { open.append(name) }
      case .end:
        _ = open.popLast()
      case .text(let text):
        if let name = open.last { note(name, text) }
      }
      if items.count > 16 { break }
    }
    guard isMotionPhoto || isMicroVideo else { return nil }
  }

  private mutating func note(_ name: XMLName, _ value: String) {
    switch (name.namespace, name.local) {
    case (.camera, "MotionPhoto"): isMotionPhoto = value == "1"
    case (.camera, "MicroVideo"): isMicroVideo = value == "1"
    case (.camera, "MotionPhotoPresentationTimestampUs"): presentationTime = Self.time(value)
    case (.camera, "MicroVideoPresentationTimestampUs"): microVideoPresentationTime = Self.time(value)
    case (.camera, "MicroVideoOffset"): microVideoOffset = UInt64(value)
    case (.item, "Mime") where !items.isEmpty: items[items.count - 1].mime = value
    case (.item, "Semantic") where !items.isEmpty: items[items.count - 1].semantic = value
    case (.item, "Length") where !items.isEmpty: items[items.count - 1].length = UInt64(value)
    default: break
    }
  }

  private static func time(_ text: String) -> Int64? { Int64(text).flatMap { $0 >= 0 ? $0 : nil } }
}

/// The namespaces of the Motion Photo format 1.0, of gain maps in the form of Ultra HDR, and of mattes in Apple's form.
public enum XMPNamespace {
  static let pixelDataInfo = "http://ns.apple.com/pixeldatainfo/1.0/"
  static let portraitMatte = "http://ns.apple.com/portraitEffectsMatte/1.0/"
  public static let gainMap = "http://ns.adobe.com/hdr-gain-map/1.0/"
  public static let camera = "http://ns.google.com/photos/1.0/camera/"
  public static let container = "http://ns.google.com/photos/1.0/container/"
  public static let item = "http://ns.google.com/photos/1.0/container/item/"
}

/// A name with its namespace resolved, as far as it matters here.
private struct XMLName: Hashable {
  enum Namespace: Hashable {
    case camera
    case container
    case item
    case other
  }

  var namespace: Namespace
  var local: String

  init(namespace: Namespace, local: String) {
    self.namespace = namespace
    self.local = local
  }

  init(_ qualified: String, _ namespaces: [String: String]) {
    guard let colon = qualified.firstIndex(of: ":") else {
      self.init(namespace: .other, local: qualified)
      return
    }
    let local = String(qualified[qualified.index(after: colon)...])
    switch namespaces[String(qualified[..<colon])] {
    case XMPNamespace.camera: self.init(namespace: .camera, local: local)
    case XMPNamespace.container: self.init(namespace: .container, local: local)
    case XMPNamespace.item: self.init(namespace: .item, local: local)
    default: self.init(namespace: .other, local: local)
    }
  }
}

/// Splits XML into tags and text.
private struct XMLScanner {
  struct Attribute {
    var name: String
    var value: String
  }

  enum Token {
    case start(String, [Attribute], isClosed: Bool)
    case end
    /// Without the white space around it; never empty.
    case text(String)
  }

  let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> Token? {
    while position < bytes.count {
      guard bytes[position] == UInt8(ascii: "<") else {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
        let text = string(start..<position).trimmingCharacters(in: .whitespacesAndNewlines)
        if !text.isEmpty { return .text(text) }
        continue
      }
      if has("<!--") {
        skip(past: "-->")
      } else if has("<?") {
        skip(past: "?>")
      } else if has("<![CDATA[") {
        skip(past: "]]>")
      } else if has("<!") {
        skip(past: ">")
      } else if has("</") {
        skip(past: ">")
        return .end
      } else {
        return tag()
      }
    }
    return nil
  }

  private mutating func tag() -> Token? {
    position += 1
    let name = word()
    guard !name.isEmpty else { return nil }
    var attributes: [Attribute] = []
    while true {
      skipSpace()
      guard position < bytes.count else { return nil }
      if bytes[position] == UInt8(ascii: ">") {
        position += 1
        return .start(name, attributes, isClosed: false)
      }
      if has("/>") {
        position += 2
        return .start(name, attributes, isClosed: true)
      }
      let attribute = word()
      skipSpace()
      guard !attribute.isEmpty, position < bytes.count, bytes[position] == UInt8(ascii: "=") else { return nil }
      position += 1
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
      else { return nil }
      let quote = bytes[position]
      position += 1
      let start = position
      while position < bytes.count, bytes[position] != quote { position += 1 }
      guard position < bytes.count else { return nil }
      attributes.append(Attribute(name: attribute, value: string(start..<position)))
      position += 1
    }
  }

  private mutating func word() -> String {
    let start = position
    while position < bytes.count, !Self.isSpace(bytes[position]), !Self.endsWord(bytes[position]) { position += 1 }
    return string(start..<position)
  }

  private mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
  }

  private mutating func skip(past end: StaticString) {
    while position < bytes.count, !has(end) { position += 1 }
    position = min(bytes.count, position + end.utf8CodeUnitCount)
  }

  private func has(_ text: StaticString) -> Bool {
    guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
    return text.withUTF8Buffer { bytes[position..<position + $0.count].elementsEqual($0) }
  }

  private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  private static func endsWord(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "=") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "<")
  }
}
