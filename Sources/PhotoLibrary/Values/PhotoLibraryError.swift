// The errors of the library, with messages for the user.

import CameraCore
import Foundation

/// An error of the library. Its description says what happened, to what, and what the user can do.
public enum PhotoLibraryError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
  /// The folder doesn't exist and can't be created, or something else is in its place.
  case folderUnavailable(path: String, reason: String)
  /// The library that the index knows isn't in its folder: its disk may not be mounted. Nothing is written there.
  case libraryAbsent(path: String, reason: String)
  /// The folder is not writable.
  case readOnly(path: String)
  /// The disk is full. Partly written files were removed.
  case diskFull(path: String)
  /// The file no longer exists.
  case fileMissing(path: String)
  /// Another system call failed; `operation` is a verb, as in “write”.
  case inputOutput(operation: String, path: String, reason: String)
  /// The file, or the given data, is not a usable picture or movie.
  case unusableFile(path: String, reason: String)
  /// An asset can't be exported in that form; partly written files were removed.
  case exportFailed(path: String, reason: String)
  /// The index can't be used.
  case index(path: String, reason: String)
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
      "The folder “\(path)” can’t be used: \(reason). "
        + ([Self.notFolder, Self.symbolicLink].contains(reason)
          ? "Move what is there to another place, or choose another folder." : "Make it, or choose another folder.")
    case .libraryAbsent(let path, let reason):
      "The library isn’t in “\(path)”: \(reason). Nothing is saved there until it is back. Connect its disk and try "
        + "again, or choose another folder."
    case .readOnly(let path):
      "Nothing can be saved in “\(path)”: writing there is not allowed. Change its permissions, or choose another folder."
    case .diskFull(let path):
      "There is no room left on the disk of “\(path)”. Make some room and try again."
    case .fileMissing(let path):
      "“\(path)” isn’t there anymore. It may have been moved or deleted by another program."
    case .inputOutput(let operation, let path, let reason):
      "Could not \(operation) “\(path)”: \(reason). Check the disk and try again."
    case .unusableFile(let path, let reason):
      "“\(path)” can’t be used: \(reason)."
    case .exportFailed(let path, let reason):
      "“\(path)” could not be exported: \(reason)."
    case .index(let path, let reason):
      "The index “\(path)” can’t be used: \(reason). Your pictures are safe; the index is made again when it is deleted."
    case .unknownAsset(let id):
      "There is no picture “\(id)” in the library. It may have been moved or deleted by another program."
    case .unknownCollection(let id):
      "There is no album “\(id)” in the library. It may have been deleted meanwhile."
    case .trashUnavailable(let path, let place, let reason):
      "“\(path)” can’t be moved to the trash, because there is no usable trash folder on its disk "
        + "(“\(place)”: \(reason)). It can be deleted for good instead."
    case .extensionFailed(let name, let reason):
      "“\(name)” could not edit the picture: \(reason). The picture is unchanged."
    case .changesFailed(let reason):
      "Nothing was changed in the library: \(reason)."
    case .changedMeanwhile(let path):
      "“\(path)” was changed by another program just now. Nothing was changed in the library; look at it and try again."
    case .unfinishedChange(let reason):
      "A change of the library is unfinished: \(reason). It is finished as soon as possible; until then, nothing else "
        + "can be changed."
    case .cancelled:
      "It was canceled. Nothing was changed in the library."
    }
  }

  /// The reason of `folderUnavailable` where something else has the folder's name.
  static let notFolder = "something that is not a folder is in its place"
  /// The same where a link is in the way.
  static let symbolicLink = "it is, or is reached through, a symbolic link, which PhotoMe doesn’t follow there"

  public var errorDescription: String? { description }
}
