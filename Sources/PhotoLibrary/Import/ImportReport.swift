// The outcome of an import.

import CameraCore
import Foundation
import Localization

/// The outcome of `PhotoLibrary.importAssets`.
public struct ImportReport: Sendable, Equatable {
  /// An imported file.
  public struct Imported: Sendable, Hashable {
    /// The source file.
    public var source: URL
    public var asset: Asset
    /// The reason why the source still exists though it should have been moved, as the end of a sentence.
    public var keptSource: String?
    /// Absolute paths of files of the library that could not be read to be compared: one of them may be the same
    /// picture, or may have been before it was changed.
    public var uncompared: [String] = []
    /// A fault of the file, as a sentence about it: “a.jpg” is cut short. It was imported as it is.
    public var fault: String?
  }

  /// What was found in folders and not looked at.
  public struct Skipped: Sendable, Hashable {
    /// The reason for skipping.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
      /// Its name begins with a dot.
      case hidden
      /// A symbolic link to a folder: only links that are given are followed.
      case linkedFolder
    }

    public var reason: Reason
    /// The number of files and folders.
    public var count: Int
    /// The path of the first of them, absolute.
    public var example: String

    /// A sentence.
    public var description: String { words.displayed }

    private var words: String {
      switch (reason, count) {
      case (.hidden, 1): localized("“\(example)” was skipped because it’s hidden.")
      case (.hidden, let count):
        localized(
          "\(count) hidden file or folder was skipped, such as “\(example)”.",
          plural: "\(count) hidden files and folders were skipped, such as “\(example)”.", count: count)
      case (.linkedFolder, 1):
        localized("“\(example)” was skipped because it’s a link. Import the folder it points to.")
      case (.linkedFolder, let count):
        localized(
          "\(count) link to a folder was skipped, such as “\(example)”. Import the folder it points to.",
          plural: "\(count) links to folders were skipped, such as “\(example)”. Import the folders they point to.",
          count: count)
      }
    }
  }

  /// A file that the library has already.
  public struct Duplicate: Sendable, Hashable {
    public var source: URL
    /// The asset with the same bytes, or that had them before PhotoMe wrote a favorite, albums or an edit.
    public var assetID: Asset.ID
    public var url: URL
  }

  /// A file that could not be imported.
  public struct Refused: Sendable, Hashable, CustomStringConvertible {
    /// Absolute; bytes that are not UTF-8 are replaced.
    public var path: String
    /// The problem, and what the user can do: a sentence.
    public var description: String
  }

  /// The way in which an import ended.
  public enum End: Sendable, Equatable {
    /// All files were processed.
    case complete
    /// The task was canceled; the files reported as imported are in the library.
    case cancelled
    /// Writing failed; the files reported as imported are in the library.
    case stopped(PhotoLibraryError)
  }

  /// Durable in the library, in the order of the given files.
  public internal(set) var imported: [Imported] = []
  /// Not imported again. Their sources stay.
  public internal(set) var duplicates: [Duplicate] = []
  public internal(set) var refused: [Refused] = []
  /// At most one for each reason.
  public internal(set) var skipped: [Skipped] = []
  public internal(set) var end = End.complete
}
