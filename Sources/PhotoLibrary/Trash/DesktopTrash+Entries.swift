// Entries of the desktop's trash that came from below a folder, whoever put them there.

import Foundation

/// An entry of the trash that can be restored.
struct TrashEntry: Hashable, Sendable {
  /// The original path, absolute, with the symbolic links above it resolved.
  var originalPath: String
  /// The deletion date, to the second; `nil` when the info file doesn't have it.
  var deleted: Date?
  /// The path in the trash.
  var file: String
  /// The info file; to be removed after restoring.
  var info: String
  /// Whether it is a whole folder, put there by a file manager.
  var isFolder: Bool
}

extension DesktopTrash {
  /// In bytes: the longest path of Linux, percent-encoded, and the rest of an info file.
  private static let largestInfo: UInt64 = 16 << 10

  /// The entries that came from below a folder, the latest first, those without a date last. Info files that are
  /// malformed or whose file is gone are skipped.
  ///
  /// - Parameter folder: Absolute; it need not exist anymore.
  func entries(below folder: String) -> [TrashEntry] {
    guard let above = Self.nearestFolder(to: folder) else { return [] }
    let folder = Self.canonical(folder)
    var entries: [TrashEntry] = []
    for (trash, isHome) in folders(top: volumes.top(of: above)) {
      // A relative path starts at the parent of the trash folder; in a shared one, at the shared folder's parent.
      let isOneOfMany = !isHome && trash.hasSuffix("/.Trash/\(user)")
      let base = Disk.parent(of: isOneOfMany ? Disk.parent(of: trash) : trash)
      for name in disk.names(in: trash + "/info") ?? [] where name.hasSuffix(Self.infoEnding) {
        let info = "\(trash)/info/\(name)"
        let file = "\(trash)/files/\(name.dropLast(Self.infoEnding.count))"
        guard let status = disk.status(file), let data = try? disk.read(info, range: 0..<Self.largestInfo),
          let found = TrashInfo(data, timeZone: timeZone)
        else { continue }
        let path = found.path.hasPrefix("/") ? found.path : "\(base == "/" ? "" : base)/\(found.path)"
        // Untrusted input: nothing may be restored outside of where it seems to belong.
        guard !path.split(separator: "/").contains(where: { $0 == ".." || $0 == "." }) else { continue }
        let original = Self.canonical(path)
        guard original.utf8.starts(with: (folder + "/").utf8) else { continue }
        entries.append(
          TrashEntry(
            originalPath: original, deleted: found.deleted, file: file, info: info, isFolder: status.kind == .folder))
      }
    }
    return entries.sorted { first, second in
      let (one, two) = (first.deleted ?? .distantPast, second.deleted ?? .distantPast)
      return one == two ? first.info < second.info : one > two
    }
  }

  /// The path with the symbolic links resolved in the existing part above its last name.
  private static func canonical(_ path: String) -> String {
    var folder = Disk.parent(of: path)
    while true {
      if let resolved = Disk.resolved(folder) {
        let rest = Substring(path.utf8.dropFirst(folder == "/" ? 0 : folder.utf8.count))
        return (resolved == "/" ? "" : resolved) + rest
      }
      let parent = Disk.parent(of: folder)
      guard parent != folder, parent != "." else { return path }
      folder = parent
    }
  }
}
