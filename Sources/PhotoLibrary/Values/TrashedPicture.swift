// A picture in the desktop's trash, as it can be shown.

import Foundation

/// A picture or movie of the library that is in the desktop's trash.
public struct TrashedPicture: Sendable, Hashable, Identifiable {
  /// For `PhotoLibrary.restore` and `PhotoLibrary.deletePermanently`.
  public var trashed: TrashedAsset
  /// What its file and its record say. The location is the one in the trash.
  public var asset: Asset

  /// The path in the trash: several files there can hold the same picture.
  public var id: String { trashed.trashedURL.path }
}
