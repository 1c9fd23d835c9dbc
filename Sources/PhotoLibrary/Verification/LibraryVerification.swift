// The outcome of a verification of the library.

import CameraCore
import Foundation

/// The outcome of `PhotoLibrary.verify`.
public struct LibraryVerification: Sendable, Hashable {
  /// A problem that was found.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a problem.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The library's folder, or one in it, can't be listed.
      case folderUnreadable
      /// The index has a file that doesn't exist.
      case missing
      /// A picture that was in the library is nowhere now, neither in it nor in the trash.
      case gone
      /// A picture that was in the library is on a disk that isn't mounted, or beneath one that is.
      case away
      /// The file can't be read.
      case unreadable
      /// The file is truncated.
      case cutShort
      /// The file's structure is damaged.
      case damaged
      /// The bytes differ from the last verification, though no program has written to the file: the disk may be
      /// failing.
      case silentlyChanged
      /// It is named like a picture or movie, and isn't one.
      case noPicture
      /// The movie of a live photo is missing.
      case movieMissing
      /// The movie of a live photo is damaged.
      case movieDamaged
      /// The index disagrees with the file.
      case indexDisagrees
      /// SQLite reports damage in the index.
      case indexDamaged
      /// A record of an asset or collection can't be read.
      case recordUnreadable
      /// The untouched original of an edited picture is missing.
      case originalMissing
      /// The untouched original of an edited picture can't be read, or is damaged.
      case originalDamaged
      /// There is an original of a picture that isn't edited.
      case originalUnused
      /// The kept matte of an edited picture is damaged.
      case matteDamaged
      /// There is a matte of a picture that isn't edited.
      case matteUnused
      /// A kept backdrop is damaged.
      case backdropDamaged
      /// The backdrop of an edited picture is missing.
      case backdropMissing
      /// A partly written file that could not be removed.
      case leftover
      /// An unfinished change that could not be completed.
      case journal
      /// A name that isn't UTF-8, so that the file can't be shown.
      case nameIsNoText
    }

    public var kind: Kind
    /// Absolute. Bytes that aren't UTF-8 are written as `\xE9`.
    public var path: String
    /// The asset concerned, if it is known.
    public var assetID: Asset.ID?
    /// The fault, as a sentence about the file.
    public var reason: String
    /// The remedy, as a sentence.
    public var advice: String

    public var description: String { "\(reason) \(advice)".displayed }
  }

  /// Whether everything was checked; `false` when the task was canceled.
  public internal(set) var isComplete = false
  public internal(set) var photos = 0
  /// Among the photos.
  public internal(set) var livePhotos = 0
  public internal(set) var videos = 0
  /// The size of the files that were read, in bytes.
  public internal(set) var bytes: UInt64 = 0
  /// Untouched originals of edited pictures.
  public internal(set) var originals = 0
  /// Records of assets.
  public internal(set) var records = 0
  /// Albums, and folders of albums.
  public internal(set) var albums = 0
  /// Files whose bytes are the same as at an earlier verification.
  public internal(set) var unchanged = 0
  /// Files whose digest was recorded for the first time since they were written.
  public internal(set) var noted = 0
  /// Records of assets in the trash, which may be restored.
  public internal(set) var trashedRecords = 0
  /// Assets that have been gone for long, whose records and originals were moved to the trash.
  public internal(set) var clearedRecords = 0
  /// Records of assets that are neither in the library nor in the trash, which are kept.
  public internal(set) var orphanedRecords = 0
  /// The folders in the library's folder that aren't looked into: hidden ones, symbolic links, and folders in folders.
  /// Relative to the library's folder, sorted.
  public internal(set) var skippedFolders: [String] = []
  /// Leftovers of earlier runs that were recovered or removed.
  public internal(set) var recovery: [RecoveryNote] = []
  /// Sorted by path.
  public internal(set) var problems: [Problem] = []
  /// What is no damage and was not known before: sentences, sorted. An import says the same of its files, and a
  /// verification only once.
  public internal(set) var notes: [String] = []

  public var assets: Int { photos + videos }
  /// Whether everything was checked, and nothing is wrong.
  public var isClean: Bool { isComplete && problems.isEmpty }
}
