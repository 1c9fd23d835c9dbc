// When and where a picture was taken, in its XMP packet.

import Foundation

extension XMPPacket {
  private static let times = [
    Name(namespace: "http://ns.adobe.com/exif/1.0/", local: "DateTimeOriginal"),
    Name(namespace: "http://ns.adobe.com/exif/1.0/", local: "DateTimeDigitized"),
    Name(namespace: "http://ns.adobe.com/xap/1.0/", local: "CreateDate"),
    Name(namespace: "http://ns.adobe.com/photoshop/1.0/", local: "DateCreated"),
  ]

  /// Gives the properties that say when the picture was taken another value, as far as there are any: EXIF has it for all
  /// readers.
  ///
  /// - Parameter time: In the form of ISO 8601, `2026-11-21T07:31:06+01:00`.
  /// - Throws: `FormatError.refused` when the packet has a form that can't be changed safely.
  public mutating func setTime(_ time: String) throws(FormatError) {
    for name in Self.times {
      guard let old = simpleValue(name), !old.isEmpty, old != time else { continue }
      try set(name, preferred: "exif", to: time)
    }
  }

  /// Removes every property that names or measures a place. Texts that people wrote, titles and keywords, stay.
  ///
  /// - Throws: `FormatError.refused` when the packet has a form that can't be changed safely.
  public mutating func removePosition() throws(FormatError) { try remove(positionRemoval) }

  /// The same with spaces for what is removed, so that the packet keeps its length and everything else its place.
  ///
  /// - Throws: `FormatError.refused` as `removePosition`.
  public mutating func blankPosition() throws(FormatError) {
    let removal = positionRemoval
    var ranges: [Range<Int>] = []
    var end = 0
    for (index, element) in elements.enumerated() where element.range.lowerBound >= end {
      if removal.elements[index] {
        end = element.range.upperBound
        ranges.append(element.range)
      } else {
        ranges += (removal.attributes[index] ?? []).map { element.attributes[$0].range }
      }
    }
    try replaceAll(ranges.map { ($0, String(repeating: " ", count: $0.count)) })
  }

  /// A packet without its place, of the same length; `nil` when it has none.
  ///
  /// - Throws: `FormatError.refused` as `removePosition`.
  public static func withoutPosition(_ bytes: [UInt8]) throws(FormatError) -> XMPPacket? {
    var packet = try XMPPacket(bytes)
    try packet.blankPosition()
    return packet.bytes == bytes ? nil : packet
  }

  private var positionRemoval: Removal {
    var removal = noRemoval
    for (index, element) in elements.enumerated() {
      if Self.isLocation(element.name) { removal.elements[index] = true }
      for (number, attribute) in element.attributes.enumerated()
      where !attribute.qualified.hasPrefix("xmlns") && Self.isLocation(attribute.name) {
        removal.attributes[index, default: []].insert(number)
      }
    }
    return withEmptiedLists(removal)
  }
}
