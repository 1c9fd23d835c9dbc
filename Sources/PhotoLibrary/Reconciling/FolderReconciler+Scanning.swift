// Scanning folder by folder: what is found is shown as it comes.

import CameraCore
import Dispatch
import Foundation

extension FolderReconciler {
  /// The first rows of a new index should appear soon; later ones should be cheap.
  private static let firstBatch = 24
  private static let largestBatch = 512
  /// The time between two batches that pictures which a person waits for may have, if nothing else is to be taken in.
  private static let way = DispatchTimeInterval.milliseconds(500)
  /// Those that wait for the end of a scan depend on each other, and are taken in together: those of 16,384 files, some
  /// ten megabytes.
  private static let largestEnd = 16_384

  /// Scans folder by folder, and everything if it is all: the folders that exist and those that existed, the latest
  /// first.
  ///
  /// - Returns: Whether the reading lasted.
  func scan(_ news: LibraryNews, in reading: ChangeProgress.Reading?) throws(PhotoLibraryError) -> Bool {
    var folders = news.folders.sorted { $0.path < $1.path }
    guard try reindex(news.paths.map(\.path).sorted(), records: news.records.sorted(), in: reading) else {
      return refuse()
    }
    if news.all {
      try checkPresence()
      _ = try disk.contents(of: folder.path)
      guard try scanAllRecords(in: reading) else { return refuse() }
      folders = try allFolders().map(PathBytes.init)
    }
    pending.withLock { pending in
      pending.folders = news.all ? folders : pending.folders + folders
      pending.isScanningAll = pending.isScanningAll || news.all
    }
    if news.all { noteSeen() }
    noteProgress()
    return true
  }

  /// The latest month last.
  func allFolders() throws(PhotoLibraryError) -> [String] {
    let names = try FolderListing.folders(of: folder, disk: disk) + index.knownFolders() + [""]
    return Set(names.map(PathBytes.init)).map(\.path).sorted()
  }

  /// The files in a folder that differ from the states in the index, the last name first, and those that aren't there.
  func differences(
    in name: String
  ) throws(PhotoLibraryError) -> (changed: [String], vanished: Set<PathBytes>) {
    let path = folder.absolute(name)
    var known = try index.knownStates(folder: name)
    var changed: [String] = []
    // A folder that is now a symbolic link doesn't count, nor one that has another name.
    let names = ExactNames(root: folder.path, disk: disk)
    let isFolder = name.isEmpty || disk.status(path)?.kind == .folder && names.has(name)
    let listing = isFolder ? try disk.checkedListing(of: path) : Disk.Listing()
    let diskID = isFolder ? try index.noteDisk(at: name) : nil
    var same: Set<PathBytes> = []
    scannedCount.add(listing.names.count, ordering: .relaxed)
    note(unusable: FolderListing.unusableNames(listing, in: path, takesFolders: name.isEmpty, disk: disk), in: name)
    for file in listing.names {
      if let token = LibraryFolder.token(temporaryName: file) {
        removeLeftover(file, among: listing.names, in: path, token: token)
        continue
      }
      if let token = LibraryFolder.aside(file)?.token {
        if let settled = settleAside(file, in: path, token: token), let relative = folder.relative(settled) {
          // It isn't in the listing.
          putBack { _ = $0.news.paths.insert(PathBytes(relative)) }
        }
        continue
      }
      guard FileFacts.Kind(name: file) != nil else { continue }
      let relative = name.isEmpty ? file : "\(name)/\(file)"
      let before = known.removeValue(forKey: PathBytes(relative))
      guard let status = disk.status("\(path)/\(file)"), status.kind == .file else {
        if let before { known[PathBytes(relative)] = before }
        continue
      }
      if before != FileState(status) {
        changed.append(relative)
      } else if diskID != nil {
        same.insert(PathBytes(relative))
      }
    }
    if let diskID { try index.note(same, on: diskID, in: name) }
    return (changed.sorted(by: >), Set(known.keys))
  }

  /// - Returns: `false` when the rest has to be scanned later.
  func scan(folder name: String) throws(PhotoLibraryError) -> Bool {
    var (changed, vanished) = try differences(in: name)
    if !vanished.isEmpty { pending.withLock { $0.vanished.formUnion(vanished) } }
    var count = Self.firstBatch
    while !changed.isEmpty {
      if count > Self.firstBatch { AwaitedPictures.shared.waitForNone(atMost: Self.way) }
      if pending.withLock({ $0.isStopped }) { return true }
      guard case .read(let reading) = readiness() else { return false }
      drain.withLock { $0 }?()
      // Files that were just written go first.
      let urgent = pending.withLock { pending in
        defer { (pending.news.paths, pending.news.records) = ([], []) }
        return LibraryNews(paths: pending.news.paths, records: pending.news.records)
      }
      if !urgent.isEmpty, try !takeIn(urgent, in: reading) {
        putBack { $0.news.formUnion(urgent) }
        return false
      }
      guard try index(changesOf: Array(changed.prefix(count)), in: reading, isPart: true) else { return refuse() }
      noteProgress()
      changed.removeFirst(min(count, changed.count))
      count = min(2 * count, Self.largestBatch)
    }
    return true
  }

  /// Indexes the files that had to wait until all others were seen.
  func indexUnsettled(_ paths: [String], in reading: ChangeProgress.Reading?) throws(PhotoLibraryError) {
    try indexEnd(paths, Self.largestEnd, in: reading) { $0.unsettled.formUnion($1) }
  }

  /// Removes files from the index that are not where it knows them.
  func indexVanished(_ paths: [String], in reading: ChangeProgress.Reading?) throws(PhotoLibraryError) {
    try indexEnd(paths, Self.largestBatch, in: reading) { $0.vanished.formUnion($1) }
  }

  private func indexEnd(
    _ paths: [String], _ count: Int, in reading: ChangeProgress.Reading?,
    putBack: (inout Pending, [PathBytes]) -> Void
  ) throws(PhotoLibraryError) {
    var left = paths[...]
    while !left.isEmpty {
      if pending.withLock({ $0.isStopped }) { return }
      guard try index(changesOf: Array(left.prefix(count)), in: reading) else {
        pending.withLock { putBack(&$0, left.map(PathBytes.init)) }
        _ = refuse()
        return
      }
      noteProgress()
      left = left.dropFirst(count)
    }
  }
}
