// When and where a picture was taken, in its XMP packet.

import Foundation
import Localization

extension XMPPacket {
  private static let times = [
    Name(namespace: "http://ns.adobe.com/exif/1.0/", local: "DateTimeOriginal"),
    Name(namespace: "http://ns.adobe.com/exif/1.0/", local: "DateTimeDigitized"),
    Name(namespace: "http://ns.adobe.com/xap/1.0/", local: "CreateDate"),
    Name(namespace: "http://ns.adobe.com/photoshop/1.0/", local: "DateCreated"),
  ]

  /// The texts that say when the picture was taken.
  public var timeTexts: [String] { Self.times.compactMap { simpleValue($0) } }

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
  /// - Parameter isRequired: Whether a packet that can't be parsed must not stay if it may name a place. Else it stays.
  /// - Throws: `FormatError.refused` as `removePosition`, and when a damaged packet may name a place.
  public static func withoutPosition(_ bytes: [UInt8], isRequired: Bool) throws(FormatError) -> XMPPacket? {
    guard var packet = try parsed(bytes, isRequired: isRequired) else { return nil }
    let old = packet.bytes
    try packet.blankPosition()
    if packet.bytes == old { return nil }
    // One in another encoding than UTF-8 would get another length.
    guard packet.bytes.count == bytes.count else { throw unsafeForm }
    return packet
  }

  /// A packet in any encoding; `nil` when it can't be parsed.
  ///
  /// A place that is removed must be gone, and a packet that nobody can parse can't be cleaned. To remove the packet would
  /// lose texts that other programs may still read. So the change is refused, and nothing is lost.
  ///
  /// - Parameter isRequired: As for `withoutPosition`.
  /// - Throws: `FormatError.refused` when a damaged packet may name a place that has to go.
  public static func parsed(_ bytes: [UInt8], isRequired: Bool) throws(FormatError) -> XMPPacket? {
    do throws(FormatError) { return try XMPPacket(anyEncoding: bytes) } catch {
      guard !isRequired || !mayNamePlace(bytes) else {
        throw .refused(reason: localized("the metadata (XMP) is damaged and may name the place"))
      }
      return nil
    }
  }

  /// Parts of the names of properties that name or measure a place, in lower case.
  private static let placeWords = ["gps", "itude", "location", "geo", "city", "state", "country", "province", "coord"]

  /// Whether bytes that are no packet, but may have been one, name a property of a place, in UTF-8 or UTF-16.
  static func mayNamePlace(_ bytes: [UInt8]) -> Bool {
    PlaceNames.texts(in: bytes).contains { text in
      let text = text.lowercased()
      return placeWords.contains { text.contains($0) }
    }
  }

  /// Changes the dates that say the former one, in the forms in which they are written. The packet keeps its length.
  ///
  /// - Throws: `FormatError.refused` when the packet has a form that can't be changed safely.
  public mutating func moveTimes(_ change: DateChange) throws(FormatError) {
    for name in Self.times + [Name(namespace: "http://ns.adobe.com/xmp/1.0/DynamicMedia/", local: "shotDate")] {
      guard let old = simpleValue(name), let new = change.text(instead: old) else { continue }
      try set(name, preferred: "exif", to: new)
    }
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
