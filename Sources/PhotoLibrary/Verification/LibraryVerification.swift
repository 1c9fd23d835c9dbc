// What a check of the whole library found.

import Foundation

/// The outcome of `PhotoLibrary.verify`.
public struct LibraryVerification: Sendable, Hashable {
  /// Something that is not as it should be.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The library's folder, or one in it, can't be listed.
      case folderUnreadable
      /// The index says that there is a file, and there is none.
      case missing
      /// The file can't be read.
      case unreadable
      /// The file ends too early.
      case cutShort
      /// The file's structure is broken.
      case damaged
      /// The bytes are others than at the last check, though nobody has written to the file: the disk has lost some.
      case silentlyChanged
      /// It has the name of a picture or movie, and is none.
      case noPicture
      /// A live photo has lost its movie.
      case movieMissing
      /// The movie in a live photo is broken.
      case movieDamaged
      /// The index says something else than the file.
      case indexDisagrees
      /// SQLite finds its file broken.
      case indexDamaged
      /// A record or an album can't be read.
      case recordUnreadable
      /// The untouched original of an edited picture is gone.
      case originalMissing
      /// The untouched original of an edited picture can't be read, or is broken.
      case originalDamaged
      /// There is an untouched original of a picture that isn't edited.
      case originalUnused
      /// Something half-written that could not be removed.
      case leftover
      /// A change that was begun and could not be finished.
      case journal
      /// A name that is no text, so that nothing can be shown under it.
      case nameIsNoText
    }

    public var kind: Kind
    /// Absolute. Bytes of a name that are no text stand there as `\xE9`.
    public var path: String
    /// `nil` where no asset is known to be concerned.
    public var assetID: Asset.ID?
    /// What is wrong with it, as the end of a sentence about the file.
    public var reason: String
    /// What can be done: a sentence.
    public var advice: String

    public var description: String { "“\(path)” \(reason). \(advice)" }
  }

  /// Whether all of it was looked at; `false` when the check was cancelled.
  public internal(set) var isComplete = false
  public internal(set) var photos = 0
  /// Of the photos.
  public internal(set) var livePhotos = 0
  public internal(set) var videos = 0
  /// Together, of the files that were read, in bytes.
  public internal(set) var bytes: UInt64 = 0
  /// Untouched originals of edited pictures.
  public internal(set) var originals = 0
  /// Records of assets.
  public internal(set) var records = 0
  /// Albums, and folders of albums.
  public internal(set) var albums = 0
  /// Files whose bytes are what they were at an earlier check.
  public internal(set) var unchanged = 0
  /// Files whose bytes were taken note of for the first time since they were written.
  public internal(set) var noted = 0
  /// Records of assets that lie in the Trash and may come back.
  public internal(set) var trashedRecords = 0
  /// Records and originals of assets that are neither in the library nor in the Trash any more, which were removed.
  public internal(set) var clearedRecords = 0
  /// Records of such assets that were kept, because it isn't certain that they are gone.
  public internal(set) var orphanedRecords = 0
  /// What earlier runs had left, and was put right now.
  public internal(set) var recovery: [RecoveryNote] = []
  /// By folder and file.
  public internal(set) var problems: [Problem] = []

  public var assets: Int { photos + videos }
  /// Everything was looked at, and nothing is wrong.
  public var isClean: Bool { isComplete && problems.isEmpty }
}
