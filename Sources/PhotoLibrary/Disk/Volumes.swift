// The boundaries of file systems, across which files can't be renamed.

import Foundation

/// The file systems of this machine as `rename` sees them: it fails between two mounts, also when both show the
/// same disk (bind mounts, Flatpak), and between two device numbers of one mount (Btrfs subvolumes).
struct Volumes: Sendable {
  /// The paths of all mount points.
  var mountPoints: @Sendable () -> Set<String>
  /// The device number of a path; `nil` when nothing is there.
  var device: @Sendable (String) -> UInt64?

  /// The volumes of this machine.
  static func of(_ disk: Disk) -> Volumes {
    Volumes(
      mountPoints: { disk.system.mountPoints() },
      device: { path in
        var status = stat()
        return disk.system.stat(path, &status) == 0 ? UInt64(status.st_dev) : nil
      })
  }

  /// The topmost folder of the file system that `folder` is on.
  ///
  /// - Parameter folder: An existing absolute path without symbolic links.
  func top(of folder: String) -> String {
    let mounts = mountPoints()
    let device = device(folder)
    var top = folder
    while top != "/", !mounts.contains(top) {
      let parent = Disk.parent(of: top)
      guard self.device(parent) == device else { break }
      top = parent
    }
    return top
  }

  /// The mount points in a table of the form of `/proc/self/mountinfo`; see proc(5).
  static func mountPoints(table: Data) -> Set<String> {
    var points: Set<String> = []
    for line in table.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      if fields.count > 5 { points.insert(unescaped(fields[4])) }
    }
    return points
  }

  /// The kernel escapes white space and backslashes as a backslash and three octal digits.
  private static func unescaped(_ field: Data) -> String {
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest.removeFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Disk {
  /// The path without symbolic links; `nil` with `errno` when nothing is there, or when it isn't UTF-8.
  static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(validatingCString: resolved)
  }
}
