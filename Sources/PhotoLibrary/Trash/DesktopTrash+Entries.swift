// What of a library lies in the desktop's trash, whoever put it there.

import Foundation

/// Something in the trash that can be put back.
struct TrashEntry: Hashable, Sendable {
  /// Where it was, absolute, with the symbolic links above it resolved.
  var originalPath: String
  /// To the second; `nil` when the trash doesn't know.
  var deleted: Date?
  /// Where it is now.
  var file: String
  /// The file that says so; to be removed when it has been put back.
  var info: String
  /// It may be a whole folder, which a file manager put there.
  var isFolder: Bool
}

extension DesktopTrash {
  /// The longest path that Linux takes, percent-encoded, and the rest of an info file.
  private static let largestInfo: UInt64 = 16 << 10

  /// Everything that was below a folder and now lies in the trash, the latest first; things without a date come last.
  /// Info files that are broken, or have lost what they speak of, are passed over.
  ///
  /// - Parameter folder: Absolute; it need not be there any more.
  func entries(below folder: String) -> [TrashEntry] {
    guard let above = Self.nearestFolder(to: folder) else { return [] }
    let folder = Self.canonical(folder)
    var entries: [TrashEntry] = []
    for (trash, isHome) in folders(top: volumes.top(of: above)) {
      // A relative path counts from where the trash folder lies; in one for all users, from where that one lies.
      let isOneOfMany = !isHome && trash.hasSuffix("/.Trash/\(user)")
      let base = Disk.parent(of: isOneOfMany ? Disk.parent(of: trash) : trash)
      for name in disk.names(in: trash + "/info") ?? [] where name.hasSuffix(Self.infoEnding) {
        let info = "\(trash)/info/\(name)"
        let file = "\(trash)/files/\(name.dropLast(Self.infoEnding.count))"
        guard let status = disk.status(file), let data = try? disk.read(info, range: 0..<Self.largestInfo),
          let found = TrashInfo(data, timeZone: timeZone)
        else { continue }
        let path = found.path.hasPrefix("/") ? found.path : "\(base == "/" ? "" : base)/\(found.path)"
        // A path that climbs is a lie: nothing must be put back outside of where it seems to belong.
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

  /// The path with the symbolic links resolved of as much above its last name as is there.
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
