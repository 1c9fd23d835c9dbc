// The ids of assets: how they are made, and how copies of one picture are told apart.

import CExiv2
import Foundation

/// Creates and derives asset ids: 32 lowercase hexadecimal digits, the form of EXIF `ImageUniqueID`.
enum AssetIdentity {
  /// A new random id.
  static func makeID() -> Asset.ID {
    let high = UInt64.random(in: .min ... .max)
    let low = UInt64.random(in: .min ... .max)
    return hex(high) + hex(low)
  }

  /// Whether a string has the form of an id, and so can be part of a path.
  static func isID(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  /// The first half of the SHA-256 of some bytes.
  static func digest(_ data: Data) -> Asset.ID {
    let text = data.withUnsafeBytes { bytes in
      g_compute_checksum_for_data(
        G_CHECKSUM_SHA256, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), gsize(bytes.count))
    }
    guard let text else { preconditionFailure("GLib knows SHA-256.") }
    defer { g_free(text) }
    return String(String(cString: text).prefix(32))
  }

  /// The id of a copy: a file with the same picture as another one, which has the picture's own id.
  ///
  /// - Parameter path: Of the copy, relative to the library's folder.
  static func id(ofCopy contentID: Asset.ID, at path: String) -> Asset.ID { digest(Data("\(contentID)\n\(path)".utf8)) }

  /// The ids that a file may have, depending on which other files with the same picture exist.
  static func possibleIDs(_ contentID: Asset.ID, at path: String) -> [Asset.ID] {
    [contentID, id(ofCopy: contentID, at: path)]
  }

  static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Asset {
  /// A new id, for a picture that is being taken.
  public static func makeID() -> ID { AssetIdentity.makeID() }
}
