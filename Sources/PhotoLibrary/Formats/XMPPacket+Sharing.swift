// What a copy of a picture says otherwise in its XMP packet: nothing of a movie or of a place, or another movie's length.

import Foundation

extension XMPPacket {
  private static let changedSafely = XMPRefusal(reason: "its XMP is in a form that can't be changed safely")
  private static let ofMovies: Set<String> = [
    MetadataToolkit.cameraNamespace, MetadataToolkit.containerNamespace, MetadataToolkit.itemNamespace,
  ]
  /// IPTC's and Photoshop's names of places, by namespace.
  private static let places: [String: Set<String>] = [
    "http://ns.adobe.com/photoshop/1.0/": ["City", "State", "Country"],
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/": ["Location", "CountryCode"],
  ]

  /// Says nothing of a movie behind the picture any more.
  mutating func forgetMovie() throws(XMPRefusal) {
    try removeProperties { Self.ofMovies.contains($0.namespace) }
    guard MotionPhotoDescription(xmp: Data(bytes)) == nil else { throw Self.changedSafely }
  }

  /// Names no place any more. What stands deeper than the properties themselves takes the whole packet with it.
  mutating func forgetLocation() throws(XMPRefusal) {
    try removeProperties { Self.isPlace($0) || $0 == Self.extended }
    let names = elements.flatMap { [$0.name] + $0.attributes.map(\.name) }
    guard names.contains(where: Self.isPlace) else { return }
    guard MotionPhotoDescription(xmp: Data(bytes)) == nil else { throw Self.changedSafely }
    self = try XMPPacket(Self.empty)
  }

  /// Says nothing of pixels any more: those of a new picture are others.
  mutating func forgetPixels() throws(XMPRefusal) {
    let ofImage: Set<String> = ["Orientation", "ImageWidth", "ImageLength", "PixelXDimension", "PixelYDimension"]
    try removeProperties { ofImage.contains($0.local) || $0 == Self.extended }
  }

  private static func isPlace(_ name: Name) -> Bool {
    if places[name.namespace]?.contains(name.local) == true { return true }
    let local = name.local.lowercased()
    return ["gps", "location", "latitude", "longitude"].contains { local.contains($0) }
  }

  /// Says that the movie behind the picture is as long as this, in bytes, in the form of today and the one before.
  mutating func setMovieLength(_ length: UInt64) throws(XMPRefusal) {
    let text = String(length)
    if let value = lengthOfMovieItem { try replace(value, with: text) }
    let offset = Name(namespace: MetadataToolkit.cameraNamespace, local: "MicroVideoOffset")
    if let value = value(of: offset, in: elements) { try replace(value, with: text) }
    guard let said = MotionPhotoDescription(xmp: Data(bytes)), said.movieLength ?? length == length,
      said.microVideoOffset ?? length == length, said.movieLength != nil || said.microVideoOffset != nil
    else { throw Self.changedSafely }
  }

  /// Where the length of the directory's movie is written.
  private var lengthOfMovieItem: Range<Int>? {
    func field(_ name: String) -> Name { Name(namespace: MetadataToolkit.itemNamespace, local: name) }
    let items = elements.filter { $0.name == Name(namespace: MetadataToolkit.containerNamespace, local: "Item") }
    for item in items.reversed() {
      let parts = [item] + item.children.map { elements[$0] }
      guard let semantic = value(of: field("Semantic"), in: parts),
        text(semantic).trimmingCharacters(in: .whitespacesAndNewlines) == "MotionPhoto"
      else { continue }
      return value(of: field("Length"), in: parts)
    }
    return nil
  }

  /// Where a value is written, as attribute of one of these elements or as one of them.
  private func value(of name: Name, in elements: [Element]) -> Range<Int>? {
    for element in elements {
      if let attribute = element.attributes.first(where: { $0.name == name }) { return attribute.value }
      if element.name == name, element.children.isEmpty, let content = element.content { return content }
    }
    return nil
  }
}
