// Where the ids of assets come from.

import Foundation

/// Makes and derives asset ids: 32 lower-case hexadecimal digits, the form of EXIF `ImageUniqueID`.
enum AssetIdentity {
  /// A new random id.
  static func makeID() -> Asset.ID {
    let high = UInt64.random(in: .min ... .max)
    let low = UInt64.random(in: .min ... .max)
    return hex(high) + hex(low)
  }

  /// Whether a text has the form of an id, and so can be part of a path.
  static func isID(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
