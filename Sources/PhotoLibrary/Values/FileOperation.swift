// The file operations that can fail, with their messages.

import Localization

/// An operation on a file or folder, as an error names it.
public enum FileOperation: Sendable, Hashable, CaseIterable {
  case createFolder
  case create
  case write
  /// Writing what is in memory to the disk.
  case synchronize
  /// Giving a complete file its name.
  case rename
  case remove
  /// Keeping owner, mode, extended attributes and times for a new version of a file.
  case attributes
  case read
  /// Reading size, kind and times.
  case inspect
  case list
  /// Watching a folder for changes by other programs.
  case watch
  case move
  /// Undoing a move.
  case moveBack
  /// Deleting a file in the trash permanently.
  case delete

  /// The failure, as a sentence with its remedy.
  ///
  /// - Parameter reason: A clause, in general the system's.
  func failure(_ path: String, reason: String) -> String {
    switch self {
    case .createFolder:
      localized("The folder “\(path)” couldn’t be created: \(reason). Check the disk and try again.")
    case .create: localized("“\(path)” couldn’t be created: \(reason). Check the disk and try again.")
    case .write: localized("“\(path)” couldn’t be saved: \(reason). Check the disk and try again.")
    case .synchronize:
      localized("“\(path)” couldn’t be saved permanently: \(reason). Check the disk and try again.")
    case .rename: localized("“\(path)” couldn’t be given its final name: \(reason). Check the disk and try again.")
    case .remove: localized("“\(path)” couldn’t be removed: \(reason). Check the disk and try again.")
    case .attributes:
      localized("The attributes of “\(path)” couldn’t be kept: \(reason). Check the disk and try again.")
    case .read: localized("“\(path)” couldn’t be read: \(reason). Check the disk and try again.")
    case .inspect:
      localized("The properties of “\(path)” couldn’t be read: \(reason). Check the disk and try again.")
    case .list: localized("The contents of “\(path)” couldn’t be listed: \(reason). Check the disk and try again.")
    case .watch:
      localized("“\(path)” couldn’t be watched for changes: \(reason). Check the disk and try again.")
    case .move: localized("“\(path)” couldn’t be moved: \(reason). Check the disk and try again.")
    case .moveBack: localized("“\(path)” couldn’t be moved back: \(reason). Check the disk and try again.")
    case .delete: localized("“\(path)” couldn’t be deleted: \(reason). Check the disk and try again.")
    }
  }
}
