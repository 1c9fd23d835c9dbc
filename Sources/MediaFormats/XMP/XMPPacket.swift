// An XMP packet as a tree over its own bytes, for changes of single properties in place.

import Foundation
import Localization

/// An XMP packet that can be read, and changed in place.
///
///     var packet = try XMPPacket(bytes)
///     try packet.setRating(5)
///     let changed = packet.bytes
///
/// A toolkit that parses a packet and serializes it may choose other prefixes, split descriptions and drop what it doesn't
/// know; readers of Motion Photos that look for literal prefixes then find no movie. Here only the bytes of a changed
/// property differ.
///
/// Untrusted input: parsing takes time and memory in proportion to the packet, whatever it holds. Not for more than one
/// segment of 64 KiB.
public struct XMPPacket: Sendable {
  /// A name with its namespace resolved.
  struct Name: Hashable, Sendable {
    /// A URI; empty for none.
    var namespace: String
    var local: String
  }

  /// An attribute, with its ranges in the bytes.
  struct Attribute: Sendable {
    var name: Name
    /// As written, prefix included.
    var qualified: String
    /// From the white space before the name to the closing quote.
    var range: Range<Int>
    /// Between the quotes.
    var value: Range<Int>
  }

  /// An element, with its ranges in the bytes.
  struct Element: Sendable {
    var name: Name
    /// As written, prefix included.
    var qualified: String
    var attributes: [Attribute]
    /// From `<` to the `>` of the end tag.
    var range: Range<Int>
    /// Between the tags; `nil` when the element is one tag, `<a/>`.
    var content: Range<Int>?
    /// The indices of its child elements.
    var children: [Int] = []
    /// The declared prefixes in scope, with their namespaces.
    var namespaces: [String: String]
  }

  public private(set) var bytes: [UInt8]
  /// In the order of their start tags.
  private(set) var elements: [Element] = []
  /// How often the bytes were parsed. A change of many properties parses once.
  private(set) var parseCount = 0

  /// No program nests deeper; a packet that does is an attack.
  private static let deepest = 64
  /// No program declares more namespaces at one place.
  private static let mostNamespaces = 256
  /// In bytes, `&#x0010FFFF;`.
  private static let longestEntity = 12

  /// Parses a packet.
  ///
  /// - Throws: `FormatError.refused` when the bytes are not UTF-8, not XML, or XML that defines entities.
  public init(_ bytes: [UInt8]) throws(FormatError) {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw .refused(reason: localized("the metadata (XMP) isn’t encoded as UTF-8"))
    }
    self.bytes = bytes
    try parse()
  }

  /// Replaces bytes and parses the result.
  ///
  /// - Throws: `FormatError.refused` when that is not a packet any more.
  mutating func replace(_ range: Range<Int>, with text: String) throws(FormatError) {
    bytes.replaceSubrange(range, with: text.utf8)
    elements = []
    try parse()
  }

  /// The same for several ranges; parses once.
  ///
  /// - Throws: `FormatError.refused` also when ranges overlap.
  mutating func replaceAll(_ changes: [(range: Range<Int>, text: String)]) throws(FormatError) {
    if changes.isEmpty { return }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var at = 0
    for change in changes.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      guard change.range.lowerBound >= at else { throw Self.unsafeForm }
      result += bytes[at..<change.range.lowerBound]
      result += Array(change.text.utf8)
      at = change.range.upperBound
    }
    bytes = result + bytes[at...]
    elements = []
    try parse()
  }

  // MARK: Reading

  /// The bytes as written.
  func source(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// A text with its entities resolved, without comments and the marks of CDATA sections.
  func text(_ range: Range<Int>) -> String {
    var text: [UInt8] = []
    var at = range.lowerBound
    while at < range.upperBound {
      if let part = section(at, "<![CDATA[", "]]>") {
        text += bytes[part.dropFirst(9).dropLast(3)]
        at = part.upperBound
      } else if let part = section(at, "<!--", "-->") ?? section(at, "<?", "?>") {
        at = part.upperBound
      } else if bytes[at] == UInt8(ascii: "&"),
        let end = bytes[at..<min(range.upperBound, at + Self.longestEntity)].firstIndex(of: UInt8(ascii: ";")),
        let resolved = Self.entity(bytes[(at + 1)..<end])
      {
        text += Array(resolved.utf8)
        at = end + 1
      } else {
        text.append(bytes[at])
        at += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The text of an element without child elements; `nil` for another.
  func text(of element: Element) -> String? {
    guard element.children.isEmpty else { return nil }
    return element.content.map { text($0) } ?? ""
  }

  /// A text with the characters escaped that must not occur between tags or in quotes.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\t", "\n", "\r": escaped += "&#x\(String(scalar.value, radix: 16, uppercase: true));"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func entity(_ name: ArraySlice<UInt8>) -> String? {
    let name = String(decoding: name, as: UTF8.self)
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard name.hasPrefix("#") else { return nil }
    let isHexadecimal = name.hasPrefix("#x")
    let number = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
    return number.flatMap { Unicode.Scalar($0) }.map { String(Character($0)) }
  }

  // MARK: Parsing

  private mutating func parse() throws(FormatError) {
    parseCount += 1
    var at = 0
    var open: [Int] = []
    while let start = bytes[at...].firstIndex(of: UInt8(ascii: "<")) {
      if let part = section(start, "<!--", "-->") ?? section(start, "<![CDATA[", "]]>") ?? section(start, "<?", "?>") {
        at = part.upperBound
      } else if has("<!", at: start) {
        // A document type could define entities.
        throw Self.damaged
      } else if has("</", at: start) {
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")), let index = open.popLast(),
          source(start + 2..<end).trimmingCharacters(in: .whitespacesAndNewlines) == elements[index].qualified,
          let content = elements[index].content
        else { throw Self.damaged }
        elements[index].content = content.lowerBound..<start
        elements[index].range = elements[index].range.lowerBound..<end + 1
        at = end + 1
      } else {
        let element = try tag(at: start, inside: open.last)
        if let parent = open.last { elements[parent].children.append(elements.count) }
        if element.content != nil { open.append(elements.count) }
        guard open.count <= Self.deepest else { throw Self.damaged }
        elements.append(element)
        at = element.range.upperBound
      }
    }
    guard open.isEmpty else { throw Self.damaged }
  }

  private static var damaged: FormatError { .refused(reason: localized("the metadata (XMP) is damaged")) }

  /// A start tag; its range and content end with it until the end tag is found.
  private func tag(at start: Int, inside parent: Int?) throws(FormatError) -> Element {
    var at = start + 1
    let qualified = word(&at)
    guard !qualified.isEmpty else { throw Self.damaged }
    var found: [(qualified: String, range: Range<Int>, value: Range<Int>)] = []
    var namespaces = parent.map { elements[$0].namespaces } ?? ["xml": "http://www.w3.org/XML/1998/namespace"]
    while true {
      let before = at
      skipSpace(&at)
      guard at < bytes.count else { throw Self.damaged }
      if bytes[at] == UInt8(ascii: ">") || has("/>", at: at) { break }
      let name = word(&at)
      skipSpace(&at)
      guard !name.isEmpty, before < at, has("=", at: at) else { throw Self.damaged }
      at += 1
      skipSpace(&at)
      guard has("\"", at: at) || has("'", at: at), let end = bytes[(at + 1)...].firstIndex(of: bytes[at]) else {
        throw Self.damaged
      }
      let value = at + 1..<end
      guard !bytes[value].contains(UInt8(ascii: "<")) else { throw Self.damaged }
      if name == "xmlns" { namespaces[""] = text(value) }
      if name.hasPrefix("xmlns:") { namespaces[String(name.dropFirst(6))] = text(value) }
      guard namespaces.count <= Self.mostNamespaces else { throw Self.damaged }
      found.append((name, before..<end + 1, value))
      at = end + 1
    }
    let isClosed = has("/>", at: at)
    let end = at + (isClosed ? 2 : 1)
    return Element(
      name: Self.name(qualified, namespaces, isAttribute: false), qualified: qualified,
      attributes: found.map { attribute in
        Attribute(
          name: Self.name(attribute.qualified, namespaces, isAttribute: true), qualified: attribute.qualified,
          range: attribute.range, value: attribute.value)
      },
      range: start..<end, content: isClosed ? nil : end..<end, namespaces: namespaces)
  }

  private static func name(_ qualified: String, _ namespaces: [String: String], isAttribute: Bool) -> Name {
    guard let colon = qualified.firstIndex(of: ":") else {
      // The default namespace applies to elements only.
      return Name(namespace: isAttribute ? "" : namespaces[""] ?? "", local: qualified)
    }
    return Name(
      namespace: namespaces[String(qualified[..<colon])] ?? "",
      local: String(qualified[qualified.index(after: colon)...]))
  }

  /// The range of a comment, CDATA section or instruction that begins here, with its marks.
  private func section(_ start: Int, _ opening: StaticString, _ closing: StaticString) -> Range<Int>? {
    guard has(opening, at: start) else { return nil }
    var at = start + opening.utf8CodeUnitCount
    while at < bytes.count {
      if has(closing, at: at) { return start..<at + closing.utf8CodeUnitCount }
      at += 1
    }
    return nil
  }

  /// The ranges of comments and instructions, with their marks.
  var sections: [Range<Int>] {
    var found: [Range<Int>] = []
    var at = 0
    while let start = bytes[at...].firstIndex(of: UInt8(ascii: "<")) {
      if let part = section(start, "<!--", "-->") ?? section(start, "<?", "?>") {
        found.append(part)
        at = part.upperBound
      } else {
        at = section(start, "<![CDATA[", "]]>")?.upperBound ?? start + 1
      }
    }
    return found
  }

  private func word(_ at: inout Int) -> String {
    let start = at
    while at < bytes.count, !Self.isSpace(bytes[at]), !"=>/<".utf8.contains(bytes[at]) { at += 1 }
    return source(start..<at)
  }

  private func skipSpace(_ at: inout Int) {
    while at < bytes.count, Self.isSpace(bytes[at]) { at += 1 }
  }

  /// Whether these bytes are at an offset.
  func has(_ text: StaticString, at offset: Int) -> Bool {
    guard offset >= 0, offset + text.utf8CodeUnitCount <= bytes.count else { return false }
    return text.withUTF8Buffer { bytes[offset..<offset + $0.count].elementsEqual($0) }
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
