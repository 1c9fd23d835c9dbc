// Changes of an XMP packet for copies of a picture: without its movie, or with a movie of another length.

import Foundation
import Localization

extension XMPPacket {
  /// A form of XMP that this code doesn't change.
  public static var unsafeForm: FormatError {
    .refused(reason: localized("the metadata (XMP) can’t be changed safely"))
  }
  private static let ofMovies: Set<String> = [
    XMPNamespace.camera, XMPNamespace.container, XMPNamespace.item,
  ]

  /// Removes all properties that describe a movie behind the picture. Other items of the container, such as a gain map,
  /// stay described, and the picture stays one of its burst.
  ///
  /// - Parameter keepsPictures: Whether the other items stay in the file.
  /// - Throws: `FormatError.refused` when they can't be removed safely.
  public mutating func removeMovie(keepsPictures: Bool = false) throws(FormatError) {
    if keepsPictures, try removeMovieItem() {
      try removeProperties { $0.namespace == XMPNamespace.camera && !Self.burstProperties.contains($0) }
    } else {
      try removeProperties { Self.ofMovies.contains($0.namespace) && !Self.burstProperties.contains($0) }
    }
    guard MotionPhotoDescription(xmp: Data(bytes)) == nil else { throw Self.unsafeForm }
  }

  /// Removes the movie from a directory that has other items than it and the picture.
  ///
  /// - Returns: `false` when there is no such directory.
  private mutating func removeMovieItem() throws(FormatError) -> Bool {
    let semantics = elements.filter { $0.name == Self.containerItem }.map { semantic(of: $0) }
    guard semantics.contains(where: { $0 != nil && $0 != "Primary" && $0 != "MotionPhoto" }) else { return false }
    while let item = elements.indices.first(where: {
      elements[$0].name == Self.containerItem && semantic(of: elements[$0]) == "MotionPhoto"
    }) {
      guard let entry = elements.first(where: { $0.name == Self.rdf("li") && $0.children.contains(item) }) else {
        return false
      }
      try remove(entry)
    }
    return true
  }

  /// Removes size and orientation, which differ in a new picture.
  ///
  /// - Throws: `FormatError.refused` when they can't be removed safely.
  public mutating func removePixelProperties() throws(FormatError) {
    let ofImage: Set<String> = ["Orientation", "ImageWidth", "ImageLength", "PixelXDimension", "PixelYDimension"]
    try removeProperties { ofImage.contains($0.local) || $0 == Self.extended }
  }

  /// Removes what shows or describes the picture's old pixels: previews, depth and gain maps, other versions of the
  /// picture.
  ///
  /// - Throws: `FormatError.refused` when they can't be removed safely.
  public mutating func removeOldPixels() throws(FormatError) {
    let previews = Name(namespace: "http://ns.adobe.com/xap/1.0/", local: "Thumbnails")
    let namespaces: Set<String> = [
      "http://ns.google.com/photos/1.0/image/", "http://ns.google.com/photos/1.0/depthmap/",
      "http://ns.google.com/photos/1.0/audio/", "http://ns.google.com/photos/dd/1.0/device/",
      XMPNamespace.gainMap, "http://ns.apple.com/HDRGainMap/1.0/",
    ]
    try removeProperties { $0 == previews || namespaces.contains($0.namespace) }
  }

  /// Whether the packet says anything about the picture.
  public var hasProperties: Bool {
    descriptions.contains { element in
      !element.children.isEmpty
        || element.attributes.contains { $0.name.local != "about" && !$0.qualified.hasPrefix("xmlns") }
    }
  }

  /// Removes the padding at the end, which is for changes in place.
  ///
  /// - Throws: `FormatError.refused` when the result isn't a packet.
  public mutating func removePadding() throws(FormatError) {
    guard let root = elements.first else { return }
    var end = root.range.upperBound
    while end < bytes.count, Self.isSpace(bytes[end]) { end += 1 }
    // A line break stays.
    if end - root.range.upperBound > 1 { try replace(root.range.upperBound..<end, with: "\n") }
  }

  /// Sets the length of the movie behind the picture, in bytes, for Motion Photo and MicroVideo. The movie follows the
  /// pictures directly, without padding.
  ///
  /// - Throws: `FormatError.refused` when no movie is described, or it can't be changed safely.
  public mutating func setMovieLength(_ length: UInt64) throws(FormatError) {
    let text = String(length)
    if let value = lengthOfMovieItem { try replace(value, with: text) }
    let offset = Name(namespace: XMPNamespace.camera, local: "MicroVideoOffset")
    if let value = value(of: offset, in: elements) { try replace(value, with: text) }
    let padding = Name(namespace: XMPNamespace.item, local: "Padding")
    if let value = value(of: padding, in: elements), self.text(value) != "0" { try replace(value, with: "0") }
    guard let new = MotionPhotoDescription(xmp: Data(bytes)), new.movieLength ?? length == length,
      new.microVideoOffset ?? length == length, new.movieLength != nil || new.microVideoOffset != nil
    else { throw Self.unsafeForm }
  }

  /// The range of the length of the directory's movie.
  private var lengthOfMovieItem: Range<Int>? {
    let items = elements.filter { $0.name == Self.containerItem }
    for item in items.reversed() where semantic(of: item) == "MotionPhoto" {
      return field("Length", of: item)
    }
    return nil
  }

  /// The range of a field of an item, which is an attribute or an element of its own.
  private func field(_ name: String, of item: Element) -> Range<Int>? {
    value(of: Name(namespace: XMPNamespace.item, local: name), in: [item] + item.children.map { elements[$0] })
  }

  func semantic(of item: Element) -> String? {
    field("Semantic", of: item).map { text($0).trimmingCharacters(in: .whitespacesAndNewlines) }
  }

  /// The range of a value, as an attribute of one of these elements or as one of them.
  func value(of name: Name, in elements: [Element]) -> Range<Int>? {
    for element in elements {
      if let attribute = element.attributes.first(where: { $0.name == name }) { return attribute.value }
      if element.name == name, element.children.isEmpty, let content = element.content { return content }
    }
    return nil
  }
}
