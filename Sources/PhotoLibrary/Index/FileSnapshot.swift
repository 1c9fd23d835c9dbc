// Files and records as a scan found them: the input of an index transaction.

import GRDB

/// A file as a scan found it.
struct FileSnapshot: Sendable {
  /// Relative to the library's folder.
  var path: String
  /// The status when it was read; `nil` when it didn't exist.
  var status: Disk.Status?
  /// `nil` when it isn't a picture or movie.
  var facts: FileFacts?
  /// Whether it is on another file system than the library's folder.
  var isElsewhere = false
  /// The mark of that one; empty when it has none.
  var diskID = ""
  /// Whether it is there, and can't be read at the moment: it may be a picture.
  var isUnread = false
}

/// The record of an asset or a collection as a scan found it.
struct RecordSnapshot: Sendable {
  enum Content: Sendable {
    case record(AssetRecord?)
    case collection(CollectionRecord?)
    /// There is one that can't be read at the moment, or not by this version.
    case unreadable(isCollection: Bool)
  }

  /// The asset's or collection's.
  var id: String
  /// Relative to the library's folder.
  var path: String
  /// The status when it was read; `nil` when it didn't exist.
  var status: Disk.Status?
  /// With `nil` when there is no record.
  var content: Content
}

/// The state of a file that the index knows.
struct FileState: Hashable, Sendable {
  /// As `changed` in a row that has to be read again: no file was changed at that time.
  static let outdated: Int64 = -1

  var size: Int64
  var modified: Int64
  /// The time of the last status change, which also changes when a program restores size and modification time.
  var changed: Int64

  init(_ row: Row) {
    size = row["fileSize"]
    modified = row["modified"]
    changed = row["changed"]
  }

  init(_ file: IndexedFile) {
    (size, modified, changed) = (Int64(clamping: file.fileSize), file.modified, file.changed)
  }

  init(_ status: Disk.Status) {
    size = Int64(clamping: status.size)
    modified = status.modified
    changed = status.changed
  }
}
