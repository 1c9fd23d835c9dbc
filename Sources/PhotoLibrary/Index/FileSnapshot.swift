// Files and records as one scan found them: the input of an index transaction.

import GRDB

/// A file as one scan found it.
struct FileSnapshot: Sendable {
  var path: String
  /// Of the file when it was read; `nil` when it wasn't there.
  var status: Disk.Status?
  /// `nil` when it is no picture or movie.
  var facts: FileFacts?
}

/// A record or an album as one scan found it.
struct RecordSnapshot: Sendable {
  enum Content: Sendable {
    case record(AssetRecord?)
    case collection(CollectionRecord?)
  }

  /// Of the asset or the album.
  var id: String
  /// Relative to the library's folder.
  var path: String
  /// Of the file when it was read; `nil` when it wasn't there.
  var status: Disk.Status?
  /// `nil` inside when there is none that can be read.
  var content: Content
}

/// Which state of a file the index knows.
struct FileState: Hashable, Sendable {
  var size: Int64
  var modified: Int64
  /// Changes also where a program puts back the size and the time.
  var changed: Int64

  init(_ row: Row) {
    size = row["fileSize"]
    modified = row["modified"]
    changed = row["changed"]
  }

  init(_ status: Disk.Status) {
    size = Int64(clamping: status.size)
    modified = status.modified
    changed = status.changed
  }
}
