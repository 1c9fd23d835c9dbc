// Ratings and keywords of many pictures, written in batches.

import CameraCore
import Foundation
import Localization

extension PhotoLibrary {
  /// Writes the ratings and keywords of a list of pictures. When that fails, the change itself is done: the records
  /// have it, the next start goes on, and the user is told.
  ///
  /// - Parameter list: Relative to the library's folder.
  func finishPendingAndTell(_ list: String) {
    do throws(PhotoLibraryError) { try finishPending(list) } catch {
      Self.logger.error("\(error.description)")
      warningBoard.post(.metadataPending(reason: error.description))
    }
  }

  /// Does what dead processes left, and what this one couldn't do.
  ///
  /// - Throws: The error of the disk, when some of it is still left.
  func finishPendingMetadata() async throws(PhotoLibraryError) {
    try await Blocking.run { () throws(PhotoLibraryError) in
      _ = try self.session.writeUnlessEnded { () throws(PhotoLibraryError) in try self.finishAllPending() }
    }
  }

  /// Blocks.
  private func finishAllPending() throws(PhotoLibraryError) {
    for name in try disk.contents(of: layout.pending).sorted() {
      guard let token = Journal.parts(of: name)?.token,
        token == session.token || !LibrarySession.isAlive(layout, token, disk: disk)
      else { continue }
      try finishPending(layout.relative("\(layout.pending)/\(name)") ?? name)
    }
  }

  /// Does in the background what an earlier run left, if anything.
  func finishPendingMetadataInBackground() {
    guard disk.status(layout.pending) != nil else { return }
    Task.detached(priority: .background) { [weak self] in
      do throws(PhotoLibraryError) { try await self?.finishPendingMetadata() } catch {
        // The next start tries again.
        Self.logger.notice("\(error.description)")
      }
    }
  }

  /// Writes what a list says, batch by batch, and removes the list. Each batch is atomic; other processes may change
  /// the library between two of them.
  private func finishPending(_ list: String) throws(PhotoLibraryError) {
    let path = layout.absolute(list)
    // Done meanwhile, in the background.
    guard disk.status(path) != nil else { return }
    let file = try ReadableFile(path, disk: disk)
    guard file.size <= UInt64(PendingMetadata.largestFile) else {
      throw .unusableFile(path: path, reason: localized("it’s too long for a list of items"))
    }
    let data = try file.data(at: 0, count: Int(file.size))
    var left = try PendingMetadata(json: data, path: path).assets[...]
    while !left.isEmpty { left = left.dropFirst(try performBatch(left)) }
    try disk.remove(path)
    try disk.synchronizeFolder(layout.pending)
  }

  /// - Returns: The number of assets that are done.
  private func performBatch(_ ids: ArraySlice<Asset.ID>) throws(PhotoLibraryError) -> Int {
    try repeatedly { () throws(PhotoLibraryError) in
      try locked { () throws(PhotoLibraryError) in
        var transaction = ChangeTransaction(self)
        // Files that a journal still names are needed at the next start.
        defer { if !journals.hasJournal(of: session) { transaction.clear() } }
        let count = try transaction.prepareBatch(of: ids)
        _ = try journals.perform(transaction.steps, session: session)
        reindex(after: transaction, added: [])
        return count
      }
    }
  }
}
