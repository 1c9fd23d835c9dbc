// A depth-first walk through files and folders that finds each ordinary file once.

import Foundation

/// The files below some paths, before any of them is opened.
///
/// Symbolic links are followed where they are given, and nowhere below. Hidden names are skipped, and counted.
struct FolderWalk {
  struct File {
    /// Absolute.
    var path: String
    /// In bytes.
    var size: UInt64
    /// Whether its path was given, not found in a folder.
    var isGiven: Bool
  }

  /// Something that can't be opened as a file.
  struct Problem: Hashable {
    enum Reason: Hashable {
      /// It is not there, or reading it failed; in words.
      case unreadable(String)
      /// The name isn't UTF-8, so no URL leads to it.
      case nameIsNoText
      case link
      /// A symbolic link to a folder, in a folder.
      case linkedFolder
      /// A device, a pipe, or something else without content of its own.
      case special
      /// It was given, and lies in a folder with the excluded name.
      case excluded
    }

    /// Absolute; bytes that are not UTF-8 are replaced.
    var path: String
    var reason: Reason
    var isGiven = false
  }

  private(set) var files: [File] = []
  /// The sum of the files' sizes.
  private(set) var byteCount: UInt64 = 0
  /// In the order of the walk.
  private(set) var problems: [Problem] = []
  /// The number of files and folders with hidden names.
  private(set) var hiddenCount = 0
  /// The path of the first of them.
  private(set) var hidden: String?

  private var seen: Set<Entry> = []

  /// The identity of a directory entry, by whatever path: folders mounted into themselves end here.
  private struct Entry: Hashable {
    var device: UInt64
    var number: UInt64
    /// Files with several names are found under each; folders have only one.
    var path: String?
  }

  /// Walks through everything at once.
  ///
  /// - Parameters:
  ///   - excluded: No path that leads through a folder of this name is accepted.
  ///   - found: Called after each file with the number of files and their bytes so far.
  /// - Returns: `nil` when it was canceled.
  init?(
    _ urls: [URL], excluding excluded: String, disk: Disk, isCancelled: () -> Bool = { false },
    found: (_ count: Int, _ byteCount: UInt64) -> Void = { _, _ in }
  ) {
    for url in urls {
      guard url.isFileURL, let path = Self.path(of: url) else {
        problems.append(Problem(path: url.absoluteString, reason: .nameIsNoText, isGiven: true))
        continue
      }
      guard let resolved = Disk.resolved(path) else {
        problems.append(Problem(path: path, reason: .unreadable(String(cString: strerror(errno))), isGiven: true))
        continue
      }
      guard !resolved.parts(between: "/").contains(excluded) else {
        problems.append(Problem(path: path, reason: .excluded, isGiven: true))
        continue
      }
      guard walk(from: resolved, disk: disk, isCancelled: isCancelled, found) else { return nil }
    }
  }

  private static func path(of url: URL) -> String? {
    let path = url.standardizedFileURL.path
    return path.isAbsolutePath && !path.utf8.contains(0) ? path : nil
  }

  /// Depth first, by name; the stack is a list, so that no folder is too deep.
  private mutating func walk(
    from start: String, disk: Disk, isCancelled: () -> Bool, _ found: (Int, UInt64) -> Void
  ) -> Bool {
    var waiting = [(path: start, isGiven: true)]
    while let (path, isGiven) = waiting.popLast() {
      if isCancelled() { return false }
      var status = stat()
      guard disk.system.lstat(path, &status) == 0 else {
        problems.append(Problem(path: path, reason: .unreadable(String(cString: strerror(errno))), isGiven: isGiven))
        continue
      }
      let (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        guard seen.insert(Entry(device: device, number: number)).inserted else { continue }
        let children = names(in: path, disk: disk).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let base = path == "/" ? "" : path
        waiting += children.reversed().map { ("\(base)/\($0)", false) }
      case S_IFREG:
        guard seen.insert(Entry(device: device, number: number, path: path)).inserted else { continue }
        let size = UInt64(max(0, status.st_size))
        files.append(File(path: path, size: size, isGiven: isGiven))
        byteCount += size
        found(files.count, byteCount)
      case S_IFLNK:
        var target = stat()
        let isFolder = disk.system.stat(path, &target) == 0 && target.st_mode & S_IFMT == S_IFDIR
        problems.append(Problem(path: path, reason: isFolder ? .linkedFolder : .link, isGiven: isGiven))
      default: problems.append(Problem(path: path, reason: .special, isGiven: isGiven))
      }
    }
    return true
  }

  /// The names in a folder that are not hidden. A name that isn't UTF-8 can't be opened by a path, and is a problem.
  private mutating func names(in folder: String, disk: Disk) -> [String] {
    let fault = disk.fault?(.read, folder)
    guard fault == nil, let stream = disk.system.opendir(folder) else {
      problems.append(Problem(path: folder, reason: .unreadable(String(cString: strerror(fault ?? errno)))))
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    let dot = [UInt8(ascii: ".")]
    while let entry = readdir(stream) {
      let bytes = Disk.name(of: entry)
      if bytes.first == UInt8(ascii: ".") {
        guard bytes != dot, bytes != dot + dot else { continue }
        hiddenCount += 1
        hidden = hidden ?? "\(folder)/\(String(decoding: bytes, as: UTF8.self))"
        continue
      }
      if let name = String(validating: bytes, as: UTF8.self) {
        names.append(name)
      } else {
        problems.append(Problem(path: "\(folder)/\(String(decoding: bytes, as: UTF8.self))", reason: .nameIsNoText))
      }
    }
    return names
  }
}
