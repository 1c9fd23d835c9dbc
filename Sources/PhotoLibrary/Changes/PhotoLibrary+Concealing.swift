// Removal of the thumbnails and cached images of pictures that are hidden or deleted.

import Foundation

extension PhotoLibrary {
  /// Performs changes, and removes the thumbnails of what they hide or delete.
  ///
  /// Once before the change, so that a kill at any moment leaves none of a picture that is hidden or gone; and again
  /// afterwards, because other programs may have made new ones meanwhile. File managers go on to show hidden pictures, as
  /// their files stay where they are, and may make thumbnails again. Those whose addresses are spelled in another way are
  /// searched for in the background, for which `close` waits; if the process is killed, the next start does it.
  ///
  /// - Throws: What `body` throws.
  func concealing<Result>(
    _ changes: ChangeSet, _ body: () throws(PhotoLibraryError) -> Result
  ) throws(PhotoLibraryError) -> Result {
    let affected = try concealment(of: changes)
    guard !affected.isEmpty else { return try body() }
    ConcealedPictures.shared.conceal(affected.concealed)
    let paths = paths(of: affected.concealed) + affected.removed
    _ = thumbnails?.remove(of: paths)
    let isSearched = thumbnails != nil && !paths.isEmpty
    if isSearched { try index.noteUnswept(paths) }
    let result: Result
    do throws(PhotoLibraryError) { result = try body() } catch {
      ConcealedPictures.shared.reveal(affected.concealed.filter { !$0.isHidden })
      if isSearched { clearUnswept(paths) }
      throw error
    }
    ConcealedPictures.shared.reveal(affected.revealed)
    if !paths.isEmpty, let thumbnails {
      if let code = thumbnails.remove(of: paths) { warn(ofThumbnailsIn: thumbnails, code) }
      thumbnailSweep?.request(paths, isOwed: true)
    }
    return result
  }

  /// For a change that wasn't made. What stays costs a search at the next start.
  private func clearUnswept(_ paths: [String]) {
    do throws(PhotoLibraryError) { try index.clearUnswept(paths) } catch { Self.logger.notice("\(error.description)") }
  }

  /// The paths of pictures, and of their DNGs and the originals of those that are edited, which show them as well.
  func paths(of assets: [Asset]) -> [String] {
    let store = RecordStore(folder: layout, disk: disk)
    let parts = assets.flatMap { asset in
      do throws(PhotoLibraryError) { return try index.parts(of: asset.id).map { layout.absolute($0.path) } } catch {
        // The next start tries again.
        Self.logger.notice("\(error.description)")
        return []
      }
    }
    let raw = assets.map { RawCompanion.path(beside: $0.url.path) }.filter { disk.status($0) != nil }
    return assets.map(\.url.path) + raw + parts
      + assets.filter(\.isEdited).compactMap { asset in
        do throws(PhotoLibraryError) {
          return try store.record(asset.id).edit.map { "\(layout.originals)/\($0.original)" }
        } catch {
          // The next start tries again.
          Self.logger.notice("\(error.description)")
          return nil
        }
      }
  }

  private struct Concealment {
    /// To be hidden or deleted.
    var concealed: [Asset] = []
    /// To be shown again, and those that are gone: their names may be given to others, or to them again.
    var revealed: [Asset] = []
    /// The paths of those that are restored from the trash or deleted there, and the former ones of the latter.
    var removed: [String] = []

    var isEmpty: Bool { concealed.isEmpty && revealed.isEmpty && removed.isEmpty }
  }

  private func concealment(of changes: ChangeSet) throws(PhotoLibraryError) -> Concealment {
    var result = Concealment()
    // Read once, and only where there is need.
    lazy var raws = TrashedRaws(self)
    lazy var pairs = TrashedPairs(self)
    for change in changes.changes {
      switch change {
      case .asset(let request):
        guard let isHidden = request.isHidden, let asset = try index.asset(id: request.id) else { continue }
        if isHidden { result.concealed.append(asset) } else { result.revealed.append(asset) }
      case .delete(let id), .trash(let id):
        guard let asset = try index.asset(id: id) else { continue }
        result.concealed.append(asset)
        result.revealed.append(asset)
      case .deleteTrashed(let assets):
        let assets = assets + assets.flatMap { pairs.parts(of: $0) }
        // Another picture may have the name by now.
        let former = assets.map(\.url.path)
        let leaving = Set(assets.map { PathBytes($0.trashedURL.path) })
        result.removed += (former + former.map { RawCompanion.path(beside: $0) }).filter { disk.status($0) == nil }
        result.removed += assets.map(\.trashedURL.path) + assets.compactMap { raws.raw(of: $0, besides: leaving)?.file }
      case .restore(let asset):
        result.removed += [asset.trashedURL.path, raws.raw(of: asset)?.file].compactMap(\.self)
        result.removed += pairs.parts(of: asset).map(\.trashedURL.path)
      case .reverse(let change):
        for (id, part) in change.assets {
          guard let hidden = part.hidden, let asset = try index.asset(id: id) else { continue }
          if hidden.before { result.concealed.append(asset) } else { result.revealed.append(asset) }
        }
      case .createCollection, .album, .list, .deleteCollection, .arrange, .sortByTitle: continue
      }
    }
    return result
  }
}
