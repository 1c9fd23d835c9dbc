// The asset id inside an edited movie.

import Foundation

/// A `uuid` box (ISO/IEC 14496-12, 11.1) behind everything else in an MP4: our user type, then the asset's id in ASCII.
/// Players ignore it.
///
/// An edited movie needs it because the id of a movie is a digest of its media, and those of an edit are others.
public enum MovieIdentity {
  /// A random UUID, ours for this purpose.
  static let userType: [UInt8] = [
    0x5c, 0x1f, 0x0a, 0x3e, 0x84, 0x6d, 0x4b, 0x92, 0xa7, 0x15, 0xe2, 0x38, 0xd0, 0x4c, 0x9b, 0x61,
  ]
  private static let idLength = 32

  /// The box with its head.
  ///
  /// - Parameter id: 32 lower-case hexadecimal digits.
  public static func box(_ id: String) -> Data {
    var bytes: [UInt8] = []
    MP4Box("uuid", userType + Array(id.utf8)).write(to: &bytes)
    return Data(bytes)
  }

  /// The id in a box; `nil` in a `uuid` box of others.
  ///
  /// - Parameter content: Of the box, without its head.
  static func id(in content: ArraySlice<UInt8>) -> String? {
    guard content.count == userType.count + idLength, content.starts(with: userType) else { return nil }
    let id = content.suffix(idLength)
    guard id.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else { return nil }
    return String(decoding: id, as: UTF8.self)
  }

  /// The length of the box's content, in bytes.
  static let contentLength = UInt64(userType.count + idLength)
}
