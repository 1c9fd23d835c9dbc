// The place in the texts of a color profile.

import Foundation

extension PlaceNames {
  /// Types of ICC's elements that are numbers. All others are texts, or of somebody's own.
  private static let colors: Set<String> = [
    "XYZ ", "curv", "para", "sf32", "uf32", "mft1", "mft2", "mAB ", "mBA ", "mpet", "chrm", "meas", "view", "sig ",
    "dtim", "ui08", "ui16", "ui32", "ui64", "clro", "cicp",
  ]

  /// An ICC profile in which the texts that tell the place are empty, of the same length and with the same colors; `nil`
  /// when it is damaged and tells it.
  ///
  /// Source: ICC.1:2022, 7.3 and 10; ICC.1:2001-04, 6.5.17, for “desc”.
  public func cleaned(colorProfile profile: [UInt8]) -> [UInt8]? {
    guard let elements = Self.elements(of: profile) else { return isTold(inBytes: profile) ? nil : profile }
    var cleaned = profile
    for range in elements {
      let type = String(decoding: profile[range.prefix(4)], as: UTF8.self)
      guard !Self.colors.contains(type), isTold(inBytes: Array(profile[range])) else { continue }
      // Behind the type: no records of twelve bytes; a text of one byte, its zero; or nothing.
      let head: [UInt8] = type == "mluc" ? BigEndian.words(0, 12) : type == "desc" ? BigEndian.words(1) : []
      let empty = head + BigEndian.zeros(range.count)
      cleaned.replaceSubrange(range.dropFirst(8), with: empty.prefix(range.count - 8))
    }
    return cleaned
  }

  /// Where the elements are, of which several may have one; `nil` when they can't be those of a profile: together they
  /// would be much longer than it is.
  private static func elements(of profile: [UInt8]) -> Set<Range<Int>>? {
    guard let count = number(profile, at: 128), count <= UInt64(profile.count) / 12 else { return nil }
    var elements: Set<Range<Int>> = []
    for entry in 0..<Int(count) {
      let at = 132 + 12 * entry
      guard let offset = number(profile, at: at + 4), let length = number(profile, at: at + 8), length >= 8,
        offset >= 128, offset + length <= UInt64(profile.count)
      else { continue }
      elements.insert(Int(offset)..<Int(offset + length))
    }
    return elements.reduce(0) { $0 + $1.count } <= 4 * profile.count ? elements : nil
  }

  private static func number(_ bytes: [UInt8], at offset: Int) -> UInt64? {
    MemoryReader(bytes[...]).number(at: UInt64(offset), bytes: 4)
  }
}
