// The outcome of an export.

import Foundation

/// The outcome of `PhotoLibrary.export`.
public struct ExportReport: Sendable {
  /// An exported asset.
  public struct Exported: Sendable, Hashable {
    public var assetID: Asset.ID
    public var url: URL
    /// The other files: the movie of a live photo of two files, a raw file.
    public var companions: [URL] = []
    /// A deficiency of the copy: a sentence.
    public var note: String?
  }

  /// An asset that could not be exported.
  public struct Refused: Sendable, Equatable {
    public var assetID: Asset.ID
    /// The reason, and what the user can do.
    public var error: PhotoLibraryError
  }

  /// Durable on the disk, in the order of the assets.
  public internal(set) var exported: [Exported] = []
  public internal(set) var refused: [Refused] = []
  /// Whether the task was canceled before all were exported.
  public internal(set) var isCancelled = false

  public init(exported: [Exported] = []) { self.exported = exported }
}
