// Removal of the thumbnails of pictures that others have hidden or removed.

import Foundation

extension PhotoLibrary {
  func warn(ofThumbnailsIn thumbnails: LibraryThumbnails, _ code: Int32) {
    warningBoard.post(.thumbnailsKept(in: thumbnails.thumbnails.folder, code: code))
  }

  /// Removes the thumbnails of pictures that others have hidden or removed: another machine that has the library on a
  /// share, or another program. The first call also removes what has come since the last run for those that are hidden.
  ///
  /// To be called when the index has taken in what others have changed.
  func concealNews() {
    do throws(PhotoLibraryError) {
      let before = concealed.withLock { $0 }
      let news = try index.concealmentNews(after: before.sequence, takesAll: !before.hasBegun)
      concealed.withLock { $0 = ConcealedHistory(sequence: news.sequence, hasBegun: true) }
      ConcealedPictures.shared.conceal(news.hidden)
      if !ConcealedPictures.shared.isEmpty { ConcealedPictures.shared.reveal(paths: try index.revealed(by: news)) }
      guard let thumbnails else { return }
      // The search of a process that was killed.
      let owed = before.hasBegun ? [] : try index.unswept()
      let paths = paths(of: news.hidden) + owed
      if let code = thumbnails.remove(of: paths) { warn(ofThumbnailsIn: thumbnails, code) }
      if news.isAny || !before.hasBegun { thumbnailSweep?.request(paths, isOwed: !owed.isEmpty) }
    } catch {
      // The next time, or the next start.
      Self.logger.error("\(error.description)")
    }
  }

  /// Returns when all thumbnails have been searched for those that should not be there.
  func sweptThumbnails() async { await thumbnailSweep?.finish() }

  /// How far into the history of the index thumbnails were removed.
  struct ConcealedHistory: Sendable {
    /// The last row that was looked at.
    var sequence: Int64
    var hasBegun = false
  }
}
