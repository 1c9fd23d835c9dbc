// Writing into records which files they are of, where the files' contents don't tell.

import Foundation

extension FolderReconciler {
  /// The number of records that are written between two looks for other work.
  private static let bindingBatch = 64

  /// Names the files of assets in their records, so that an index that is made anew finds the same: files that another
  /// program has saved with other content, and copies whose ids depend on which was first. Removes records that did
  /// nothing else, and whose files are gone.
  func bindRecords() throws(PhotoLibraryError) {
    while true {
      let ids = try index.unbound(limit: Self.bindingBatch)
      guard !ids.isEmpty, let session, let journals else { return }
      let done: Void?
      do throws(PhotoLibraryError) {
        done = try session.writeUnlessEnded { () throws(PhotoLibraryError) in
          let lock = try WriteLock(journals)
          defer { lock.keep() }
          try bind(ids, session)
        }
      } catch {
        // In a read-only library the index alone knows.
        Self.logger.notice("\(error.description)")
        return try index.clearUnbound(ids)
      }
      // After the end the next start does it.
      if done == nil { return }
    }
  }

  private func bind(_ ids: [Asset.ID], _ session: LibrarySession) throws(PhotoLibraryError) {
    var written: [String] = []
    for id in ids {
      do throws(PhotoLibraryError) {
        var record = try RecordStore(folder: folder, disk: disk).record(id)
        guard let file = try index.file(id: id) else {
          if record.file != nil, record.isEmpty {
            try disk.remove(folder.record(id))
            written.append("\(LibraryFolder.recordFolder)/\(id).json")
          }
          continue
        }
        record.file = AssetRecord.File(path: file.path, content: file.contentID)
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
