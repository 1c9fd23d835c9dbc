// The names of a place in the older blocks of a JPEG: IPTC's records and EXIF's directory of positions.

import Foundation

extension PlaceNames {
  /// The names in an EXIF block: the area of its GPS directory with its coordinates, and those in IPTC's records.
  ///
  /// - Parameter exif: The TIFF structure behind `Exif\0\0`.
  public init(exif: Data) {
    self.init()
    guard let tiff = TIFFStructure([UInt8](exif)) else { return }
    for entry in tiff.entries(at: tiff.firstDirectory) {
      switch entry.tag {
      // The directory of positions, in which 0x001c is the area, behind eight bytes that name its encoding.
      case 0x8825:
        guard let offset = tiff.number(at: entry.value.lowerBound, bytes: 4) else { continue }
        for entry in tiff.entries(at: offset) {
          switch entry.tag {
          // Latitude and longitude, of the camera and of what it is pointed at.
          case 2, 4, 0x14, 0x16: if let angle = Self.angle(tiff, entry) { insert(coordinate: angle) }
          case 0x1c where entry.value.count > 8: insert(Self.text(tiff.bytes[entry.value].dropFirst(8)))
          default: continue
          }
        }
      case 0x83bb: insert(records: tiff.bytes[entry.value])
      default: continue
      }
    }
  }

  /// Degrees, minutes and seconds as rational numbers.
  private static func angle(_ tiff: TIFFStructure, _ entry: TIFFStructure.Entry) -> Double? {
    guard entry.value.count == 24 else { return nil }
    var angle = 0.0
    for (index, unit) in [1.0, 60, 3600].enumerated() {
      let at = entry.value.lowerBound + 8 * index
      guard let upper = tiff.number(at: at, bytes: 4), let lower = tiff.number(at: at + 4, bytes: 4), lower > 0
      else { return nil }
      angle += Double(upper) / Double(lower) / unit
    }
    return angle
  }

  /// The names in Photoshop's block, which holds IPTC's records.
  ///
  /// Source: Adobe Photoshop File Formats Specification, “Image Resource Blocks”; IPTC Information Interchange Model 4.1,
  /// record 2.
  ///
  /// - Parameter photoshop: The payload of an APP13 segment, from `Photoshop 3.0` on; anything else has no names.
  public init(photoshop: [UInt8]) {
    self.init()
    let identifier = Array("Photoshop 3.0\0".utf8)
    guard photoshop.starts(with: identifier) else { return }
    var at = identifier.count
    while at + 7 <= photoshop.count, Self.signatures.contains(where: { photoshop[at..<at + 4].elementsEqual($0.utf8) })
    {
      let id = Int(photoshop[at + 4]) << 8 | Int(photoshop[at + 5])
      // The length of a name, the name, and a zero where both together are odd.
      let name = 1 + Int(photoshop[at + 6])
      let lengthAt = at + 6 + name + name % 2
      guard lengthAt + 4 <= photoshop.count else { return }
      let length = photoshop[lengthAt..<lengthAt + 4].reduce(0) { $0 << 8 | Int($1) }
      let start = lengthAt + 4
      guard length <= photoshop.count - start else { return }
      if id == 0x0404 { insert(records: photoshop[start..<start + length]) }
      at = start + length + length % 2
    }
  }

  /// Of resources: Photoshop's, and those of programs before it and beside it.
  static let signatures = ["8BIM", "PHUT", "MeSa", "AgHg", "DCSR"]

  private mutating func insert(records: ArraySlice<UInt8>) {
    // Content location, city, part of it, region, country; and the codes of countries.
    let (fields, codes): (Set<UInt8>, Set<UInt8>) = ([27, 90, 92, 95, 101], [26, 100])
    var at = records.startIndex
    // A mark, the record's number, the field's, and a length of two bytes; longer ones have the highest bit set.
    while at + 5 <= records.endIndex, records[at] == 0x1c {
      let length = Int(records[at + 3]) << 8 | Int(records[at + 4])
      let start = at + 5
      guard length < 0x8000, length <= records.endIndex - start else { return }
      let field = records[at + 2]
      // Keywords may be hierarchies of places.
      if records[at + 1] == 2, field == 25 { noteHierarchy(Self.text(records[start..<start + length])) }
      if records[at + 1] == 2, fields.contains(field) || codes.contains(field) {
        insert(Self.text(records[start..<start + length]), isCode: codes.contains(field))
      }
      at = start + length
    }
  }

  /// In UTF-8, or else Latin-1.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let bytes = bytes.prefix { $0 != 0 }
    return String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
  }
}
