// Photoshop's block of image resources in a JPEG, which holds the IPTC data.

import Foundation

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
    while let (id, range) = resource(at, block) {
      if !previews.contains(id) { result += block[range] }
      at = range.upperBound
    }
    return result
  }

  /// Signature, id, a name of even length with its own length before it, the length of the data, and the data with a
  /// padding byte to an even length.
  private static func resource(_ start: Int, _ block: [UInt8]) -> (id: Int, range: Range<Int>)? {
    guard start + 7 <= block.count, block[start..<start + 4].elementsEqual("8BIM".utf8) else { return nil }
    let id = Int(block[start + 4]) << 8 | Int(block[start + 5])
    let name = 1 + Int(block[start + 6])
    let length = start + 6 + name + name % 2
    guard length + 4 <= block.count else { return nil }
    let count = block[length..<length + 4].reduce(0) { $0 << 8 | Int($1) }
    guard count <= block.count - length - 4 else { return nil }
    let end = length + 4 + count
    // Some programs leave out the last padding byte.
    return (id, start..<min(block.count, end + count % 2))
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
    while let (id, range) = resource(at, block) {
      at = range.upperBound
      guard id == 0x0404 else { continue }
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
