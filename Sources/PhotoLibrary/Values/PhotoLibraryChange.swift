// A notification of changes in the library.

import Foundation

/// One notification: the changes of one or more transactions, by any process.
///
/// `PhotoLibrary.changeDetails(for:)` translates it into the changes of a list.
public struct PhotoLibraryChange: Sendable, Hashable {
  /// Added assets.
  public var inserted: Set<Asset.ID> = []
  /// Assets whose file, properties or albums changed.
  public var changed: Set<Asset.ID> = []
  /// Removed assets.
  public var removed: Set<Asset.ID> = []
  /// Albums and folders of albums that were added, changed or removed, or whose members changed.
  public var collections: Set<String> = []
  /// Whether anything may have changed. This happens to a process that was suspended for so long that the history it
  /// missed was discarded.
  public var isWholeLibrary = false

  public init() {}
}
