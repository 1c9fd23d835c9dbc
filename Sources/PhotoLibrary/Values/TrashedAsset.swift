// An asset in the desktop's trash.

import Foundation

/// An asset that was moved to the trash, and where it came from.
public struct TrashedAsset: Sendable, Hashable, Codable {
  /// The id it had and will have again.
  public var id: Asset.ID
  /// Where it was.
  public var url: URL
  /// Where it is now.
  public var trashedURL: URL
  /// The trash's info file about it.
  var info: URL
  /// `nil` when the trash doesn't know.
  public var deleted: Date?
}
