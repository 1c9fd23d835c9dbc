// The errors of the library, with messages for the user.

import CameraCore
import Foundation
import Localization

/// An error of the library. Its description says what happened, to what, and what the user can do.
public enum PhotoLibraryError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
  /// The folder doesn't exist and can't be created, or something else is in its place.
  case folderUnavailable(path: String, reason: FolderObstacle)
  /// The library that the index knows isn't in its folder: its disk may not be mounted. Nothing is written there.
  case libraryAbsent(path: String, reason: String)
  /// The folder is not writable.
  case readOnly(path: String)
  /// The disk is full. Partly written files were removed.
  case diskFull(path: String)
  /// The file no longer exists.
  case fileMissing(path: String)
  /// Another system call failed.
  case inputOutput(operation: FileOperation, path: String, reason: String)
  /// The file is not a usable picture or movie. Instead of a path, it may be what data in memory are called, such as
  /// “The edited photo”.
  case unusableFile(path: String, reason: String)
  /// A picture can't be decoded now, for a reason that isn't the file's: its decoder was killed, or can't be started. Another
  /// try may succeed.
  case decoderFailed(path: String, reason: String)
  /// An asset can't be exported in that form; partly written files were removed.
  case exportFailed(path: String, reason: String)
  /// The index can't be used.
  case index(path: String, reason: String)
  /// The changes since a token can't be told: everything has to be read again.
  case changesUnknown(ChangeTokenFault)
  /// There is no asset with this id, or its file no longer exists.
  case unknownAsset(id: String)
  /// There is no album, or folder of albums, with this id.
  case unknownCollection(id: String)
  /// The file can't be moved to the trash, only deleted permanently: its file system has no usable trash folder;
  /// `place` is the one that was tried last. Nothing was changed.
  case trashUnavailable(path: String, place: String, reason: String)
  /// An editing extension failed; nothing was changed.
  case extensionFailed(name: String, reason: String)
  /// The block passed to `performChanges` threw an error of its own; nothing was changed.
  case changesFailed(reason: String)
  /// A backdrop that the edits of so many pictures need can't be removed.
  case backdropInUse(count: Int)
  /// Another program changed the file while it was about to be replaced; nothing was changed.
  case changedMeanwhile(path: String)
  /// An earlier change has to be finished first, which isn't possible now; or this one could be neither finished nor
  /// undone, and will be finished as soon as that is possible.
  case unfinishedChange(reason: String)
  /// The task was canceled; nothing was changed.
  case cancelled

  public var description: String { words.displayed }

  /// With names and reasons as others wrote them.
  private var words: String {
    switch self {
    case .folderUnavailable(let path, let reason):
      reason.message(path)
    case .libraryAbsent(let path, let reason):
      localized(
        """
        The library isn’t in “\(path)”: \(reason). Nothing will be saved there until it’s back. Connect \
        its disk and try again, or choose another folder.
        """)
    case .readOnly(let path):
      localized(
        """
        Nothing can be saved in “\(path)” because it’s read-only. Change its permissions, or choose \
        another folder.
        """)
    case .diskFull(let path):
      localized("The disk that contains “\(path)” is full. Free up some space and try again.")
    case .fileMissing(let path):
      localized("“\(path)” no longer exists. Another app may have moved or deleted it.")
    case .inputOutput(let operation, let path, let reason):
      operation.failure(path, reason: reason)
    case .unusableFile(let path, let reason) where path.utf8.first == UInt8(ascii: "/"),
      .decoderFailed(let path, let reason) where path.utf8.first == UInt8(ascii: "/"):
      localized("“\(path)” can’t be used: \(reason).")
    case .unusableFile(let data, let reason), .decoderFailed(let data, let reason):
      localized("\(data) can’t be used: \(reason).", comment: "{0} is “The edited photo” or the like")
    case .exportFailed(let path, let reason):
      localized("“\(path)” couldn’t be exported: \(reason).")
    case .index(let path, let reason):
      localized(
        """
        The library’s index “\(path)” can’t be used: \(reason). Your photos and videos are safe. If you \
        delete the index, PhotoMe creates it again.
        """)
    case .changesUnknown(.expired):
      localized("Too much has changed in the library since then. List everything again.")
    case .changesUnknown(.otherHistory):
      localized(
        """
        These changes aren’t known: the library is another one, or its index was created again or restored from a backup. \
        List everything again.
        """)
    case .changesUnknown(.earlierVersion):
      localized(
        "These changes aren’t known: an earlier version of PhotoMe has created the token. List everything again.")
    case .unknownAsset(let id):
      localized(
        """
        The library contains no item “\(id)”. Another app may have moved or deleted it.
        """)
    case .unknownCollection(let id):
      localized("The library contains no album “\(id)”. It may have been deleted.")
    case .trashUnavailable(let path, let place, let reason):
      localized(
        """
        “\(path)” can’t be moved to the Trash because its disk has no usable Trash folder (“\(place)”: \
        \(reason)). You can delete it permanently instead.
        """)
    case .extensionFailed(let name, let reason):
      localized("“\(name)” couldn’t edit this item: \(reason). The item is unchanged.")
    case .changesFailed(let reason):
      localized("Nothing was changed in the library: \(reason).")
    case .backdropInUse(let count):
      localized(
        "\(count) picture has this backdrop. Choose another backdrop for it first.",
        plural: "\(count) pictures have this backdrop. Choose another backdrop for them first.", count: count)
    case .changedMeanwhile(let path):
      localized(
        """
        Another program has just changed “\(path)”. Nothing was changed in the library. Check the file \
        and try again.
        """)
    case .unfinishedChange(let reason):
      localized(
        """
        A change to the library isn’t finished yet: \(reason). PhotoMe will finish it as soon as \
        possible. Until then, nothing else can be changed.
        """)
    case .cancelled:
      localized("Canceled. Nothing was changed in the library.")
    }
  }

  public var errorDescription: String? { description }
}
