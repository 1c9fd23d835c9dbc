// Walks through the files and folders that are to be imported, and finds each ordinary file once.

import Foundation

/// The files of a scan, before any of them is opened.
struct ImportWalk {
  struct Found {
    /// Absolute.
    var path: String
    /// In bytes.
    var size: UInt64
    /// Named by the person, not found in a folder.
    var isGiven: Bool
  }

  private(set) var files: [Found] = []
  private(set) var unusable: [UnusableImport] = []
  private(set) var progress = ImportProgress()

  private var seen: Set<Place> = []

  /// One thing on disk, by whatever path: folders mounted into themselves end here.
  private struct Place: Hashable {
    var device: UInt64
    var number: UInt64
    /// Files with several names are found under each; folders have only one.
    var path: String?
  }

  /// Goes through everything at once.
  ///
  /// - Returns: `nil` when it was cancelled.
  init?(_ urls: [URL], disk: Disk, isCancelled: () -> Bool, progress tell: (ImportProgress) -> Void) {
    for url in urls {
      guard url.isFileURL, let path = Self.path(of: url) else {
        unusable.append(UnusableImport(path: url.absoluteString, reason: .nameIsNoText))
        continue
      }
      guard let resolved = Disk.resolved(path) else {
        unusable.append(UnusableImport(path: path, reason: .unreadable(String(cString: strerror(errno)))))
        continue
      }
      guard !resolved.split(separator: "/").contains(".photome") else {
        unusable.append(UnusableImport(path: path, reason: .libraryRecords))
        continue
      }
      guard walk(from: resolved, disk: disk, isCancelled: isCancelled, tell) else { return nil }
    }
  }

  private static func path(of url: URL) -> String? {
    let path = url.standardizedFileURL.path
    return path.hasPrefix("/") && !path.utf8.contains(0) ? path : nil
  }

  /// Depth first, by name; the stack is a list, so that no folder is too deep.
  private mutating func walk(
    from start: String, disk: Disk, isCancelled: () -> Bool, _ tell: (ImportProgress) -> Void
  ) -> Bool {
    var waiting = [(path: start, isGiven: true)]
    while let (path, isGiven) = waiting.popLast() {
      if isCancelled() { return false }
      var status = stat()
      guard lstat(path, &status) == 0 else {
        unusable.append(UnusableImport(path: path, reason: .unreadable(String(cString: strerror(errno)))))
        continue
      }
      let isNamedAsPicture = FileFacts.Kind(name: Self.name(of: path)) != nil
      let place = Place(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        guard seen.insert(place).inserted else { continue }
        let children = names(in: path, disk: disk).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let base = path == "/" ? "" : path
        waiting += children.reversed().map { ("\(base)/\($0)", false) }
      case S_IFREG:
        guard seen.insert(Place(device: place.device, number: place.number, path: path)).inserted else { continue }
        files.append(Found(path: path, size: UInt64(max(0, status.st_size)), isGiven: isGiven))
        progress.found += 1
        progress.foundBytes += UInt64(max(0, status.st_size))
        tell(progress)
      case S_IFLNK:
        if isNamedAsPicture { unusable.append(UnusableImport(path: path, reason: .link)) }
      default:
        if isNamedAsPicture || isGiven { unusable.append(UnusableImport(path: path, reason: .special)) }
      }
    }
    return true
  }

  private static func name(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }

  /// The names in a folder that are not hidden. Those that are no text can't be opened by one, and are noted.
  private mutating func names(in folder: String, disk: Disk) -> [String] {
    let fault = disk.fault?(.read, folder)
    guard fault == nil, let stream = opendir(folder) else {
      let reason = String(cString: strerror(fault ?? errno))
      unusable.append(UnusableImport(path: folder, reason: .unreadable(reason)))
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard bytes.first != UInt8(ascii: ".") else { continue }
      if let name = String(validating: bytes, as: UTF8.self) {
        names.append(name)
      } else {
        let path = "\(folder)/\(String(decoding: bytes, as: UTF8.self))"
        unusable.append(UnusableImport(path: path, reason: .nameIsNoText))
      }
    }
    return names
  }
}
