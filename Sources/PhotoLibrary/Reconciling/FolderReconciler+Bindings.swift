// Writing into records which files they are of, where the files' contents don't tell.

import Foundation

extension FolderReconciler {
  /// The number of records that are written between two looks for other work.
  private static let bindingBatch = 64

  /// Names the files of assets in their records, so that an index that is made anew finds the same: files that another
  /// program has saved with other content, and copies whose ids depend on which was first. Removes records that did
  /// nothing else, and whose files are gone.
  ///
  /// - Returns: Whether the reading lasted, and nobody else had the lock.
  func bindRecords(in reading: ChangeProgress.Reading?) throws(PhotoLibraryError) -> Bool {
    while true {
      let ids = try index.unbound(limit: Self.bindingBatch)
      guard !ids.isEmpty, let session, let journals else { return true }
      guard let (left, lost) = try followRecords(of: ids, in: reading) else { return refuse() }
      if left.isEmpty { continue }
      // Reading goes on meanwhile.
      if progress.isLocked { return false }
      let done: Void?
      do throws(PhotoLibraryError) {
        done = try session.writeUnlessEnded { () throws(PhotoLibraryError) in
          let lock = try self.lock(journals)
          defer { lock.keep() }
          try bind(left, lost: lost, session)
        }
      } catch {
        // In a read-only library the index alone knows.
        Self.logger.notice("\(error.description)")
        try index.clearUnbound(left)
        return true
      }
      // After the end the next start does it.
      if done == nil { return true }
    }
  }

  /// Follows the records that tell the truth: what another index of the library has written isn't overwritten.
  ///
  /// - Returns: The assets whose records have to be written; `lost` are those whose records name a file that belongs to
  ///   another one. `nil` when the reading didn't last.
  private func followRecords(
    of ids: [Asset.ID], in reading: ChangeProgress.Reading?
  ) throws(PhotoLibraryError) -> (left: [Asset.ID], lost: Set<Asset.ID>)? {
    var (right, left, unclear): ([Asset.ID], [Asset.ID], [Asset.ID]) = ([], [], [])
    var paths: [String] = []
    for id in ids {
      do throws(PhotoLibraryError) {
        let record = try RecordStore(folder: folder, disk: disk).record(id)
        if let file = record.file, try isRight(record, of: id) {
          right.append(id)
          paths.append(file.path)
        } else {
          left.append(id)
        }
      } catch {
        // It stays as it is; the index knows.
        Self.logger.notice("\(error.description)")
        unclear.append(id)
      }
    }
    // What is right now may not be known yet.
    let records = right.map { "\(LibraryFolder.recordFolder)/\($0).json" }
    guard try reindex(paths, records: records, in: reading) else { return nil }
    // First, as following one may leave another without a record.
    try index.clearUnbound(right + unclear)
    let lost = right.isEmpty ? [] : try index.adopt(right)
    return (left + lost, Set(lost))
  }

  /// Whether a record names a file that is there and holds what the record says. One that can't be read, or whose file
  /// can't be, may.
  func isRight(recordOf id: Asset.ID) -> Bool {
    do throws(PhotoLibraryError) {
      return try isRight(RecordStore(folder: folder, disk: disk).record(id), of: id)
    } catch {
      Self.logger.notice("\(error.description)")
      return true
    }
  }

  private func isRight(_ record: AssetRecord, of id: Asset.ID) throws(PhotoLibraryError) -> Bool {
    guard let file = record.file else { return false }
    let path = folder.absolute(file.path)
    guard ExactNames(root: folder.path, disk: disk).has(file.path), disk.status(path)?.kind == .file else {
      return false
    }
    let facts = try FileFacts(ReadableFile(path, disk: disk))
    return facts.map { $0.holds(file.content) || $0.holds(id) } ?? false
  }

  private func bind(
    _ ids: [Asset.ID], lost: Set<Asset.ID>, _ session: LibrarySession
  ) throws(PhotoLibraryError) {
    var written: [String] = []
    for id in ids {
      do throws(PhotoLibraryError) {
        var record = try RecordStore(folder: folder, disk: disk).record(id)
        // Another index has just written it.
        if !lost.contains(id), try isRight(record, of: id) { continue }
        guard let file = try index.file(id: id) else {
          if record.file != nil, record.isEmpty {
            try disk.remove(folder.record(id))
            written.append("\(LibraryFolder.recordFolder)/\(id).json")
          }
          continue
        }
        record.file = AssetRecord.File(path: file.path, content: file.contentID, number: file.inode)
        try disk.makeFolder(folder.records)
        let temporary = "\(session.path)/" + session.temporaryName(for: "\(id).json")
        try FileWriter(disk: disk).write(record.json, to: temporary)
        do throws(PhotoLibraryError) { try disk.replace(folder.record(id), with: temporary) } catch {
          disk.discard(temporary)
          throw error
        }
        written.append("\(LibraryFolder.recordFolder)/\(id).json")
      } catch {
        // A record that can't be read or written stays as it is; the index knows.
        Self.logger.notice("\(error.description)")
      }
    }
    if !written.isEmpty { try disk.synchronizeFolder(folder.records) }
    try reindex(records: written)
    try index.clearUnbound(ids)
  }
}
