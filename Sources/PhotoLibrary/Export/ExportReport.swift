// What became of an export.

import Foundation

/// The outcome of `PhotoLibrary.export`.
public struct ExportReport: Sendable {
  public struct Exported: Sendable, Hashable {
    public var assetID: Asset.ID
    public var url: URL
    /// The movie beside it, of a pair of files.
    public var pairedURL: URL?
    /// What is not as it should be with the copy: a sentence.
    public var note: String?
  }

  public struct Refused: Sendable, Equatable {
    public var assetID: Asset.ID
    /// Why, and what can be done.
    public var error: PhotoLibraryError
  }

  /// Durable, in the order of the assets.
  public internal(set) var exported: [Exported] = []
  public internal(set) var refused: [Refused] = []
  /// Whether the task was cancelled before all were exported.
  public internal(set) var isCancelled = false

  public init(exported: [Exported] = []) { self.exported = exported }
}
