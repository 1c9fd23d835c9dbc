// An asset in the desktop's trash.

import Foundation

/// An asset in the trash, with its original location.
public struct TrashedAsset: Sendable, Hashable, Codable {
  /// The id that it had and will have again.
  public var id: Asset.ID
  /// The original location.
  public var url: URL
  /// The location in the trash.
  public var trashedURL: URL
  /// The trash's info file about it.
  var info: URL
  /// `nil` when the trash doesn't know.
  public var deleted: Date?
}
