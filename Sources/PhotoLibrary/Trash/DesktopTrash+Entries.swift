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
    let trashes = folders(for: folder)
    let folder = Self.canonical(folder)
    var entries: [TrashEntry] = []
    for (trash, isHome) in trashes {
      for name in disk.names(in: trash + "/info") ?? [] where name.ends(with: Self.infoEnding) {
        let info = "\(trash)/info/\(name)"
        let file = "\(trash)/files/\(Substring(name.utf8.dropLast(Self.infoEnding.utf8.count)))"
        guard let status = disk.status(file), let found = original(info, in: trash, isHome: isHome),
          found.path.utf8.starts(with: (folder + "/").utf8)
        else { continue }
        entries.append(
          TrashEntry(
            originalPath: found.path, deleted: found.deleted, file: file, info: info,
            isFolder: status.kind == .folder))
      }
    }
    return entries.sorted { first, second in
      let (one, two) = (first.deleted ?? .distantPast, second.deleted ?? .distantPast)
      return one == two ? first.info < second.info : one > two
    }
  }

  /// Whether a file is one of a trash, whichever: it has an info file beside its folder.
  static func isTrashed(_ path: String) -> Bool {
    let parent = Disk.parent(of: path)
    guard Disk.name(of: parent) == "files" else { return false }
    return Disk().status("\(Disk.parent(of: parent))/info/\(Disk.name(of: path))\(infoEnding)") != nil
  }

  /// The info file of a file in a trash; `nil` for other paths.
  static func info(of file: String) -> String? {
    let parent = Disk.parent(of: file)
    guard Disk.name(of: parent) == "files" else { return nil }
    return "\(Disk.parent(of: parent))/info/\(Disk.name(of: file))\(infoEnding)"
  }

  /// Whether an info file tells of a file from below a folder.
  ///
  /// - Parameters:
  ///   - info: Its path now.
  ///   - place: Its path in the trash.
  ///   - folder: Absolute.
  ///   - places: Its possible trash folders, which take long to find.
  func isInfo(
    _ info: String, as place: String, ofFileBelow folder: String, in places: [(folder: String, isHome: Bool)]
  ) -> Bool {
    let name = Disk.name(of: place)
    let known = places.first { "\($0.folder)/info" == Disk.parent(of: place) }
    guard let known, name.ends(with: Self.infoEnding), name != Self.infoEnding,
      let found = original(info, in: known.folder, isHome: known.isHome)
    else { return false }
    return found.path.utf8.starts(with: (Self.canonical(folder + "/x").dropLast(1)).utf8)
  }

  /// Whether a file in the trash came from below a folder.
  func isFile(_ file: String, below folder: String, in places: [(folder: String, isHome: Bool)]) -> Bool {
    Self.info(of: file).map { isInfo($0, as: $0, ofFileBelow: folder, in: places) } ?? false
  }

  /// The original path of an info file's file, with symbolic links resolved; `nil` when it isn't a valid one.
  private func original(_ info: String, in trash: String, isHome: Bool) -> (path: String, deleted: Date?)? {
    guard let data = try? disk.read(info, range: 0..<Self.largestInfo), let found = TrashInfo(data, timeZone: timeZone)
    else { return nil }
    // A relative path starts at the parent of the trash folder; in a shared one, at the shared folder's parent.
    let isOneOfMany = !isHome && trash.hasSuffix("/.Trash/\(user)")
    let base = Disk.parent(of: isOneOfMany ? Disk.parent(of: trash) : trash)
    let path = found.path.isAbsolutePath ? found.path : "\(base == "/" ? "" : base)/\(found.path)"
    // Untrusted input: nothing may be restored outside of where it seems to belong.
    guard !path.parts(between: "/").contains(where: { $0 == ".." || $0 == "." }) else { return nil }
    return (Self.canonical(path), found.deleted)
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
