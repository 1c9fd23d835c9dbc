// Changes of an XMP packet for copies of a picture: without movie or location, or with a movie of another length.

import Foundation

extension XMPPacket {
  /// A form of XMP that this code doesn't change.
  public static let unsafeForm = FormatError.refused(reason: "its XMP is in a form that can't be changed safely")
  private static let ofMovies: Set<String> = [
    XMPNamespace.camera, XMPNamespace.container, XMPNamespace.item,
  ]
  /// IPTC's and Photoshop's names of location properties, by namespace.
  private static let locations: [String: Set<String>] = [
    "http://ns.adobe.com/photoshop/1.0/": ["City", "State", "Country"],
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/": ["Location", "CountryCode"],
  ]

  /// Removes all properties that describe a movie behind the picture.
  ///
  /// - Throws: `FormatError.refused` when they can't be removed safely.
  public mutating func removeMovie() throws(FormatError) {
    try removeProperties { Self.ofMovies.contains($0.namespace) }
    guard MotionPhotoDescription(xmp: Data(bytes)) == nil else { throw Self.unsafeForm }
  }

  /// Removes all properties that name a location. When one is nested deeper, the whole packet becomes empty.
  ///
  /// - Throws: `FormatError.refused` when they can't be removed safely.
  public mutating func removeLocation() throws(FormatError) {
    try removeProperties { Self.isLocation($0) || $0 == Self.extended }
    let names = elements.flatMap { [$0.name] + $0.attributes.map(\.name) }
    guard names.contains(where: Self.isLocation) else { return }
    guard MotionPhotoDescription(xmp: Data(bytes)) == nil else { throw Self.unsafeForm }
    self = try XMPPacket(Self.empty)
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
      "http://ns.adobe.com/hdr-gain-map/1.0/", "http://ns.apple.com/HDRGainMap/1.0/",
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

  private static func isLocation(_ name: Name) -> Bool {
    if locations[name.namespace]?.contains(name.local) == true { return true }
    let local = name.local.lowercased()
    return ["gps", "location", "latitude", "longitude"].contains { local.contains($0) }
  }

  /// Sets the length of the movie behind the picture, in bytes, for Motion Photo and MicroVideo.
  ///
  /// - Throws: `FormatError.refused` when no movie is described, or it can't be changed safely.
  public mutating func setMovieLength(_ length: UInt64) throws(FormatError) {
    let text = String(length)
    if let value = lengthOfMovieItem { try replace(value, with: text) }
    let offset = Name(namespace: XMPNamespace.camera, local: "MicroVideoOffset")
    if let value = value(of: offset, in: elements) { try replace(value, with: text) }
    guard let new = MotionPhotoDescription(xmp: Data(bytes)), new.movieLength ?? length == length,
      new.microVideoOffset ?? length == length, new.movieLength != nil || new.microVideoOffset != nil
    else { throw Self.unsafeForm }
  }

  /// The range of the length of the directory's movie.
  private var lengthOfMovieItem: Range<Int>? {
    func field(_ name: String) -> Name { Name(namespace: XMPNamespace.item, local: name) }
    let items = elements.filter { $0.name == Name(namespace: XMPNamespace.container, local: "Item") }
    for item in items.reversed() {
      let parts = [item] + item.children.map { elements[$0] }
      guard let semantic = value(of: field("Semantic"), in: parts),
        text(semantic).trimmingCharacters(in: .whitespacesAndNewlines) == "MotionPhoto"
      else { continue }
      return value(of: field("Length"), in: parts)
    }
    return nil
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
