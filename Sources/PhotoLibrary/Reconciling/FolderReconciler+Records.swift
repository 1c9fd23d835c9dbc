// Reconciling the records of assets and collections with the index.

import Foundation

extension FolderReconciler {
  /// The number of records that are read before the index is written.
  private static let recordBatch = 256
  private static let recordAttempts = 4

  /// Indexes every record that differs from the state in the index.
  func scanAllRecords() throws(PhotoLibraryError) {
    for (name, table) in [
      (LibraryFolder.albumFolder, LibraryIndex.RecordTable.collection), (LibraryFolder.recordFolder, .record),
    ] {
      var known = try index.knownStates(records: table)
      var changed: [String] = []
      let files = try disk.contents(of: folder.absolute(name))
      for file in files {
        if let token = LibraryFolder.token(temporaryName: file) {
          removeLeftover(file, among: files, in: folder.absolute(name), token: token)
        }
        if let token = LibraryFolder.aside(file)?.token,
          let settled = settleAside(file, in: folder.absolute(name), token: token)
        {
          // It isn't in the listing.
          note(record: Disk.name(of: settled), in: name)
        }
        guard let id = LibraryFolder.recordID(file) else { continue }
        let before = known.removeValue(forKey: id)
        let status = disk.status(folder.absolute("\(name)/\(file)"))
        if status?.kind == .file ? before != status.map({ FileState($0) }) : before != nil {
          changed.append("\(name)/\(file)")
        }
      }
      changed += known.keys.map { "\(name)/\($0).json" }
      changed.sort()
      while !changed.isEmpty {
        try reindex(records: Array(changed.prefix(Self.recordBatch)))
        changed.removeFirst(min(Self.recordBatch, changed.count))
      }
    }
  }

  /// Indexes these records now.
  ///
  /// - Parameter paths: Relative to the library's folder.
  func reindex(records paths: [String]) throws(PhotoLibraryError) {
    var left = paths
    var attempt = 0
    while !left.isEmpty, attempt < Self.recordAttempts {
      let snapshots = left.compactMap { snapshot(ofRecord: $0) }
      let stale = Set(try index.apply(snapshots))
      left = snapshots.filter { stale.contains($0.id) }.map(\.path)
      attempt += 1
    }
  }

  private func snapshot(ofRecord path: String) -> RecordSnapshot? {
    guard let id = LibraryFolder.recordID(Disk.name(of: path)) else { return nil }
    let isAlbum = Disk.folder(of: path) == LibraryFolder.albumFolder
    let absolute = folder.absolute(path)
    let nothing: RecordSnapshot.Content = isAlbum ? .collection(nil) : .record(nil)
    do throws(PhotoLibraryError) {
      let file = try RecordStore(folder: folder, disk: disk).file(absolute)
      guard let file else { return RecordSnapshot(id: id, path: path, status: nil, content: nothing) }
      let content: RecordSnapshot.Content =
        isAlbum
        ? .collection(try CollectionRecord(json: file.data, path: absolute))
        : .record(try AssetRecord(json: file.data, path: absolute))
      return RecordSnapshot(id: id, path: path, status: file.status, content: content)
    } catch {
      // It may have hidden its picture; `verify` reports it.
      guard let status = disk.status(absolute), status.kind == .file else {
        return RecordSnapshot(id: id, path: path, status: nil, content: nothing)
      }
      return RecordSnapshot(id: id, path: path, status: status, content: .unreadable(isCollection: isAlbum))
    }
  }
}
