// The regions of a picture, such as faces, when its pixels have moved.

import CameraCore
import Foundation

/// Regions are relative to the picture as stored, whatever its orientation. Two forms are moved with the pixels: those
/// of the Metadata Working Group and Microsoft's, which digiKam, Lightroom and Windows write. Those of the IPTC, of
/// ACDSee and of panoramas can have any shape and refer to other things, and are left out of a picture whose pixels
/// have moved: no region is better than one around the wrong face.
///
/// Source: Metadata Working Group, “Guidelines for Handling Image Metadata” 2.0, section 5.9; Microsoft, “People
/// Tagging Overview”.
extension XMPPacket {
  private static func group(_ local: String) -> Name {
    Name(namespace: "http://www.metadataworkinggroup.com/schemas/regions/", local: local)
  }
  private static func area(_ local: String) -> Name {
    Name(namespace: "http://ns.adobe.com/xmp/sType/Area#", local: local)
  }
  private static func dimension(_ local: String) -> Name {
    Name(namespace: "http://ns.adobe.com/xap/1.0/sType/Dimensions#", local: local)
  }
  private static let item = Name(namespace: "http://www.w3.org/1999/02/22-rdf-syntax-ns#", local: "li")
  private static let microsoft = Name(namespace: "http://ns.microsoft.com/photo/1.2/", local: "RegionInfo")
  private static let rectangle = Name(namespace: "http://ns.microsoft.com/photo/1.2/t/Region#", local: "Rectangle")
  private static let otherNamespaces: Set<String> = [
    "http://ns.acdsee.com/regions/", "http://ns.google.com/photos/1.0/panorama/",
  ]
  private static let regionOfIPTC = Name(namespace: "http://iptc.org/std/Iptc4xmpExt/2008-02-29/", local: "ImageRegion")

  private static func isRegion(_ name: Name) -> Bool { name == group("Regions") || name == microsoft }

  /// The properties with regions that can be moved, as texts that can stand elsewhere; empty without any.
  public var regions: [String] {
    descriptions.flatMap(\.children).map { elements[$0] }.filter { Self.isRegion($0.name) }.map { standalone($0) }
  }

  /// Removes all regions.
  ///
  /// - Throws: `FormatError.refused` when they can't be removed safely.
  public mutating func removeRegions() throws(FormatError) {
    try removeProperties { name in
      Self.isRegion(name) || name == Self.regionOfIPTC || Self.otherNamespaces.contains(name.namespace)
    }
  }

  /// Removes all regions, and takes over those of another packet.
  ///
  /// - Throws: `FormatError.refused` when they can't be changed safely.
  public mutating func takeRegions(from other: XMPPacket) throws(FormatError) {
    try removeRegions()
    for child in other.descriptions.flatMap(\.children) where Self.isRegion(other.elements[child].name) {
      try insert(other.standalone(other.elements[child]), into: firstDescription())
    }
  }

  /// Moves the regions with the pixels, and leaves out those whose middle was cut off.
  ///
  /// - Parameters:
  ///   - placement: From the old picture to the new one, both as stored; `nil` when it isn't known, which leaves out
  ///     all regions.
  ///   - size: Of the new picture, as stored.
  /// - Throws: `FormatError.refused` when they can't be changed safely.
  public mutating func moveRegions(_ placement: PicturePlacement?, to size: PixelSize) throws(FormatError) {
    guard let placement else { return try removeRegions() }
    guard placement != .same else { return }
    try removeProperties { $0 == Self.regionOfIPTC || Self.otherNamespaces.contains($0.namespace) }
    var changes: [(range: Range<Int>, text: String)] = []
    for element in descriptions.flatMap(\.children).map({ elements[$0] }) where Self.isRegion(element.name) {
      let parts = tree(element)
      let items = items(in: element)
      var left = 0
      for item in items {
        if let moved = moved(item, placement) {
          changes += moved
          left += 1
        } else {
          changes.append((withSpaceBefore(item.range), ""))
        }
      }
      guard left > 0 else {
        changes.removeAll {
          $0.range.lowerBound >= element.range.lowerBound && $0.range.upperBound <= element.range.upperBound
        }
        changes.append((withSpaceBefore(element.range), ""))
        continue
      }
      for (name, length) in [("w", size.width), ("h", size.height)] {
        if let value = value(of: Self.dimension(name), in: parts) { changes.append((value, String(length))) }
      }
    }
    // As in a packet whose parts lie in each other.
    guard Self.areApart(changes.map(\.range)) else { return try removeRegions() }
    try replaceAll(changes)
  }

  private static func areApart(_ ranges: [Range<Int>]) -> Bool {
    let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
    return zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
  }

  /// The items of the outermost lists in an element.
  private func items(in element: Element) -> [Element] {
    element.children.flatMap { child in
      let child = elements[child]
      return child.name == Self.item ? [child] : items(in: child)
    }
  }

  /// The changes of one region's numbers; `nil` to leave it out.
  private func moved(_ item: Element, _ placement: PicturePlacement) -> [(range: Range<Int>, text: String)]? {
    let parts = tree(item)
    if let value = value(of: Self.rectangle, in: parts) {
      let numbers = text(value).split(separator: ",").map { Double($0.trimmingCharacters(in: .whitespaces)) }
      guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2], let height = numbers[3],
        let new = placement.rectangle(
          PictureRectangle(middle: SIMD2(x + width / 2, y + height / 2), size: SIMD2(width, height)))
      else { return nil }
      let start = new.middle - new.size / 2
      return [(value, [start.x, start.y, new.size.x, new.size.y].map(Self.text).joined(separator: ", "))]
    }
    guard parts.contains(where: { $0.name == Self.group("Area") }) else {
      // A person without a place, or something else that is listed.
      return []
    }
    if let unit = value(of: Self.area("unit"), in: parts), text(unit) != "normalized" { return nil }
    let ranges = ["x", "y", "w", "h"].map { value(of: Self.area($0), in: parts) }
    let numbers = ranges.map { $0.flatMap { Double(text($0).trimmingCharacters(in: .whitespaces)) } }
    // A point has no size, a circle has only a diameter, which is no part of either side.
    guard let x = numbers[0], let y = numbers[1],
      let new = placement.rectangle(
        PictureRectangle(middle: SIMD2(x, y), size: SIMD2(numbers[2] ?? 0, numbers[3] ?? 0)))
    else { return nil }
    let values = [new.middle.x, new.middle.y, new.size.x, new.size.y]
    return zip(ranges, values).compactMap { range, number in range.map { ($0, Self.text(number)) } }
  }

  /// With six digits at most, a hundredth of a pixel in the largest pictures, and without an exponent.
  private static func text(_ number: Double) -> String {
    // From 0 to 1.
    let millionths = Int((number * 1_000_000).rounded())
    let digits = String(1_000_000 + millionths % 1_000_000).dropFirst()
    let fraction = String(digits.reversed().drop { $0 == "0" }.reversed())
    return String(millionths / 1_000_000) + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// An element with all elements in it.
  private func tree(_ element: Element) -> [Element] { [element] + element.children.flatMap { tree(elements[$0]) } }
}
