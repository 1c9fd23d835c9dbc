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
}
