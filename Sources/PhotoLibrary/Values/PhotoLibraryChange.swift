// What changed in the library.

import Foundation

/// One notice: the differences that one or more transactions made, whoever made them.
///
/// `PhotoLibrary.changeDetails(for:)` says what it means for a list that is shown.
public struct PhotoLibraryChange: Sendable, Hashable {
  /// New assets.
  public var inserted: Set<Asset.ID> = []
  /// Assets whose file, facts or albums changed.
  public var changed: Set<Asset.ID> = []
  /// Assets that are gone.
  public var removed: Set<Asset.ID> = []
  /// Albums and folders of albums that came, changed or went, or have other assets in them.
  public var collections: Set<String> = []
  /// Anything may have changed. Happens to a process that was stopped for so long that the history of changes was
  /// forgotten meanwhile.
  public var isWholeLibrary = false

  public init() {}
}
