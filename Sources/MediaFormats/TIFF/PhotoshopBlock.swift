// Photoshop's block of image resources in a JPEG, which holds the IPTC data.

import Foundation
import Localization

/// The APP13 `Photoshop 3.0` block: a list of resources, of which one (0x0404) is the IPTC record and others are
/// previews, paths and settings.
///
/// Source: Adobe Photoshop File Formats Specification, “Image resource blocks”.
public enum PhotoshopBlock {
  public static let identifier = Array("Photoshop 3.0\0".utf8)
  /// Previews of the picture, in Photoshop 4's form and the one since.
  private static let previews: Set<Int> = [0x0409, 0x040c]

  /// The block without previews of the picture. Untrusted input: every length is checked.
  ///
  /// - Parameter block: The resources of all segments, in order, without the identifiers: a long block is split among
  ///   them.
  /// - Returns: What comes before the first damage; everything else byte for byte.
  public static func withoutPreviews(_ block: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var at = 0
    while let (id, range, _) = resource(at, block) {
      if !previews.contains(id) { result += block[range] }
      at = range.upperBound
    }
    return result
  }

  private static let iptc = 0x0404
  private static let xmp = 0x0424
  /// MD5 of the IPTC record: where it isn't that, programs know that another one has changed the record.
  private static let iptcDigest = 0x0425
  /// EXIF's structure, in two forms.
  private static let exif: Set<Int> = [0x0422, 0x0423]

  /// The block with a change of the records in it.
  ///
  /// - Parameter block: As for `withoutPreviews`.
  /// - Returns: Everything else byte for byte.
  /// - Throws: `FormatError.refused` when a place may be in what can't be read.
  public static func changed(_ block: [UInt8], _ change: RecordChanges) throws(FormatError) -> [UInt8] {
    var result: [UInt8] = []
    var digests: [[UInt8]: [UInt8]] = [:]
    var resources: [(id: Int, range: Range<Int>, data: Range<Int>)] = []
    var at = 0
    while let resource = resource(at, block) {
      resources.append(resource)
      at = resource.range.upperBound
    }
    for resource in resources where resource.id == iptc {
      let old = Array(block[resource.data])
      digests[MD5.digest(old)] = MD5.digest(try IPTCRecords.changed(old, change))
    }
    for (id, range, data) in resources {
      let old = Array(block[data])
      let new: [UInt8]
      switch id {
      case iptc: new = try IPTCRecords.changed(old, change)
      case iptcDigest: new = digests[old] ?? old
      case xmp where change.removesPlace:
        new = try XMPPacket.withoutPosition(old, isRequired: change.refusesDamage)?.bytes ?? old
      case _ where exif.contains(id) && change.removesPlace && !old.isEmpty:
        var structure = try EXIFBlock(Data(old))
        try structure.removePosition()
        new = structure.bytes
      default: new = old
      }
      if new == old {
        result += block[range]
      } else {
        result += block[range.lowerBound..<data.lowerBound - 4] + BigEndian.words(UInt64(new.count)) + new
        result += BigEndian.zeros(new.count % 2)
      }
    }
    guard !change.refusesDamage || block[at...].allSatisfy({ $0 == 0 }) else {
      throw .refused(reason: localized("its IPTC metadata is damaged and may name the place"))
    }
    return result + block[at...]
  }

  /// The dates with a time of day in IPTC's records, in the form of ISO 8601.
  ///
  /// - Parameter block: As for `withoutPreviews`.
  public static func timeTexts(_ block: [UInt8]) -> [String] {
    var texts: [String] = []
    var at = 0
    while let (id, range, data) = resource(at, block) {
      if id == iptc { texts += IPTCRecords.timeTexts(Array(block[data])) }
      at = range.upperBound
    }
    return texts
  }

  /// Signature, id, a name of even length with its own length before it, the length of the data, and the data with a
  /// padding byte to an even length.
  private static func resource(_ start: Int, _ block: [UInt8]) -> (
    id: Int, range: Range<Int>, data: Range<Int>
  )? {
    guard start + 7 <= block.count,
      PlaceNames.signatures.contains(where: { block[start..<start + 4].elementsEqual($0.utf8) })
    else { return nil }
    let id = Int(block[start + 4]) << 8 | Int(block[start + 5])
    let name = 1 + Int(block[start + 6])
    let length = start + 6 + name + name % 2
    guard length + 4 <= block.count else { return nil }
    let count = block[length..<length + 4].reduce(0) { $0 << 8 | Int($1) }
    guard count <= block.count - length - 4 else { return nil }
    let end = length + 4 + count
    // Some programs leave out the last padding byte.
    return (id, start..<min(block.count, end + count % 2), length + 4..<end)
  }

  /// The texts that people write into IPTC's record: the name, instructions, the headline and the caption; without white
  /// space around them.
  ///
  /// Source: IPTC Information Interchange Model 4.1, record 2.
  ///
  /// - Parameter block: With the identifier.
  public static func captions(_ block: [UInt8]) -> Set<String> {
    guard block.starts(with: identifier) else { return [] }
    var found: Set<String> = []
    let block = Array(block.dropFirst(identifier.count))
    var at = 0
    while let (id, range, _) = resource(at, block) {
      at = range.upperBound
      guard id == iptc else { continue }
      let name = 1 + Int(block[range.lowerBound + 6])
      var field = range.lowerBound + 6 + name + name % 2 + 4
      while field + 5 <= range.upperBound, block[field] == 0x1c {
        let length = Int(block[field + 3]) << 8 | Int(block[field + 4])
        let end = field + 5 + length
        guard length < 0x8000, end <= range.upperBound else { break }
        if block[field + 1] == 2, [5, 40, 105, 120].contains(block[field + 2]) {
          let bytes = block[field + 5..<end].prefix { $0 != 0 }
          let text =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
          found.insert(text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        field = end
      }
    }
    found.remove("")
    return found
  }
}
