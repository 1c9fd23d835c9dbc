// How an edited movie says which asset it is, since its bytes no longer do.

import Foundation

/// A `uuid` box (ISO/IEC 14496-12, 11.1) behind everything else in an MP4: our user type, then the asset's id in ASCII.
/// Players pass over it.
enum MovieIdentity {
  /// A random UUID, ours for this purpose.
  static let userType: [UInt8] = [
    0x5c, 0x1f, 0x0a, 0x3e, 0x84, 0x6d, 0x4b, 0x92, 0xa7, 0x15, 0xe2, 0x38, 0xd0, 0x4c, 0x9b, 0x61,
  ]
  private static let idLength = 32

  /// The box with its head.
  static func box(_ id: Asset.ID) -> Data {
    let length = UInt32(8 + userType.count + idLength)
    return Data((0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }) + Data("uuid".utf8) + Data(userType)
      + Data(id.utf8)
  }

  /// The id in a box; `nil` in one of others.
  ///
  /// - Parameter content: What follows the box's head.
  static func id(in content: Data) -> Asset.ID? {
    guard content.count == userType.count + idLength, content.starts(with: userType) else { return nil }
    let id = String(decoding: content.suffix(idLength), as: UTF8.self)
    return AssetIdentity.isID(id) ? id : nil
  }

  /// Of a box's content, in bytes.
  static let contentLength = UInt64(userType.count + idLength)
}
