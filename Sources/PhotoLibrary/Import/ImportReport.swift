// What became of files that were to be imported.

import Foundation

/// The outcome of `PhotoLibrary.importAssets`.
public struct ImportReport: Sendable, Equatable {
  public struct Imported: Sendable, Hashable {
    /// Where it came from.
    public var source: URL
    public var asset: Asset
    /// Why the source is still there, though it was to be moved: the end of a sentence.
    public var keptSource: String?
    /// Files of the library, absolute, that could not be read to be compared: one of them may be the same picture, or may
    /// have been it before it was changed.
    public var uncompared: [String] = []
  }

  public struct Duplicate: Sendable, Hashable {
    public var source: URL
    /// What has the same bytes, or had them before PhotoMe wrote a favourite, albums or an edit.
    public var assetID: Asset.ID
    public var url: URL
  }

  public struct Refused: Sendable, Hashable, CustomStringConvertible {
    /// Absolute; bytes that are no text are replaced.
    public var path: String
    /// What is wrong with it, and what can be done: a sentence.
    public var description: String
  }

  /// How it ended.
  public enum End: Sendable, Equatable {
    /// All files were looked at.
    case complete
    /// The task was cancelled; what is reported as imported is in the library.
    case cancelled
    /// Nothing more could be written; what is reported as imported is in the library.
    case stopped(PhotoLibraryError)
  }

  /// Durable in the library, in the order of the files given.
  public internal(set) var imported: [Imported] = []
  /// Not imported again. Their sources stay where they are.
  public internal(set) var duplicates: [Duplicate] = []
  public internal(set) var refused: [Refused] = []
  public internal(set) var end = End.complete
}
