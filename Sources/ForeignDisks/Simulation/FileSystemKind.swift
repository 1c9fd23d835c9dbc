// The traits of file systems that differ from those of Linux's own.

import Foundation

/// The behavior of a file system, as far as a library can tell it from that of ext4.
///
/// The values are those of Linux's drivers: `fs/fat`, exfat-fuse 1.3 over `fs/fuse`, `fs/smb/client`, `fs/nfs`, and
/// mergerfs with `inodecalc=path-hash`.
package struct FileSystemKind: Sendable, Hashable, CustomStringConvertible {
  /// The rule by which two names are the same.
  package enum Names: Sendable, Hashable {
    case bytes
    case ignoringCase
    /// “é” as one code point equals “é” as two, as on the disks of macOS.
    case ignoringCaseAndForm
  }

  /// The time for which a file keeps its inode number.
  package enum Numbers: Sendable, Hashable {
    case always
    /// The disk has no inode numbers; the driver counts.
    case untilUnmounted
    /// The number is a digest of the path.
    case untilRenamed
  }

  package var name: String
  package var names = Names.bytes
  package var numbers = Numbers.always
  /// The `errno` of `link`; `nil` where there are hard links.
  package var linkError: Int32?
  /// Whether `renameat2` knows `RENAME_NOREPLACE`; otherwise it is EINVAL.
  package var hasRenameNew = true
  /// The resolution of modification times, in nanoseconds.
  package var timeUnit: Int64 = 1
  /// Whether a file has a time of the last change to its metadata.
  package var hasChangeTime = true
  /// The `errno` of changing mode and owner to what the mount doesn't have.
  package var ownerError: Int32?
  /// The `errno` of extended attributes.
  package var attributeError: Int32?
  /// The `errno` of flushing a folder.
  package var folderFlushError: Int32?
  /// The `errno` of `flock`.
  package var lockError: Int32?
  /// Bytes that no name may contain, besides the slash.
  package var forbidden: Set<UInt8> = []

  package var description: String { name }

  private static let forbiddenOnWindows = Set("\"*:<>?\\|".utf8).union(1..<32)

  /// Sticks and cards up to 32 GB.
  package static let vfat = FileSystemKind(
    name: "vfat", names: .ignoringCase, numbers: .untilUnmounted, linkError: EPERM, timeUnit: 2_000_000_000,
    hasChangeTime: false, ownerError: EPERM, attributeError: ENOTSUP, forbidden: forbiddenOnWindows)

  /// Larger ones, through FUSE. Before Linux 6.15 a FUSE file system without links answers ENOSYS.
  package static let exfat = FileSystemKind(
    name: "exfat", names: .ignoringCase, numbers: .untilUnmounted, linkError: ENOSYS, hasRenameNew: false,
    timeUnit: 10_000_000, hasChangeTime: false, ownerError: EPERM, attributeError: ENOTSUP,
    forbidden: forbiddenOnWindows)

  /// A share of Windows or macOS, mounted with `noserverino`.
  package static let smb = FileSystemKind(
    name: "smb", names: .ignoringCaseAndForm, numbers: .untilUnmounted, linkError: ENOTSUP, timeUnit: 100,
    ownerError: EPERM, attributeError: ENOTSUP, folderFlushError: EINVAL, forbidden: forbiddenOnWindows)

  /// An NFS 3 export of a server with coarse times.
  package static let nfs = FileSystemKind(
    name: "nfs", hasRenameNew: false, timeUnit: 1_000_000_000, ownerError: EPERM, attributeError: ENOTSUP)

  /// Several disks under one mount point.
  package static let union = FileSystemKind(
    name: "union", numbers: .untilRenamed, linkError: EXDEV, hasRenameNew: false)

  package static let all = [vfat, exfat, smb, nfs, union]
}
