// Reconciling the records of assets and collections with the index.

import Foundation

extension FolderReconciler {
  /// The number of records that are read before the index is written.
  private static let recordBatch = 256

  /// Indexes every record that differs from the state in the index, some at a time.
  ///
  /// - Returns: Whether the reading lasted.
  func scanAllRecords(in reading: ChangeProgress.Reading?) throws(PhotoLibraryError) -> Bool {
    var changed = try changedRecords()
    while !changed.isEmpty {
      let isRead = try index(
        changesOf: [], records: Array(changed.prefix(Self.recordBatch)), in: reading)
      guard isRead else { return false }
      changed.removeFirst(min(Self.recordBatch, changed.count))
    }
    return true
  }

  /// The records that differ from the state in the index, relative to the library's folder, collections first.
  func changedRecords() throws(PhotoLibraryError) -> [String] {
    var all: [String] = []
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
      all += changed.sorted()
    }
    return all
  }

  /// Indexes these records now.
  ///
  /// - Parameter paths: Relative to the library's folder.
  func reindex(records paths: [String]) throws(PhotoLibraryError) { try index(changesOf: [], records: paths) }

  func snapshot(ofRecord path: String) -> RecordSnapshot? {
    guard let id = LibraryFolder.recordID(Disk.name(of: path)) else { return nil }
    let isAlbum = Disk.folder(of: path) == LibraryFolder.albumFolder
    let absolute = folder.absolute(path)
    let nothing: RecordSnapshot.Content = isAlbum ? .collection(nil) : .record(nil)
    // Of what is read, or of what was there before it: a record that another program was just writing is read again.
    let before = disk.status(absolute)
    do throws(PhotoLibraryError) {
      let file = try RecordStore(folder: folder, disk: disk).file(absolute)
      guard let file else { return RecordSnapshot(id: id, path: path, status: nil, content: nothing) }
      let content: RecordSnapshot.Content =
        isAlbum
        ? .collection(try CollectionRecord(json: file.data, path: absolute))
        : .record(try AssetRecord(json: file.data, path: absolute))
      if case .record(let record?) = content, record.albums.count > AssetRecord.mostAlbums {
        Self.logger.warning(
          "“\(absolute)” names \(record.albums.count) albums; the first \(AssetRecord.mostAlbums) are shown.")
      }
      return RecordSnapshot(id: id, path: path, status: file.status, content: content)
    } catch {
      // It may have hidden its picture; `verify` reports it.
      guard let status = disk.status(absolute), status.kind == .file else {
        return RecordSnapshot(id: id, path: path, status: nil, content: nothing)
      }
      return RecordSnapshot(id: id, path: path, status: before ?? status, content: .unreadable(isCollection: isAlbum))
    }
  }
}
