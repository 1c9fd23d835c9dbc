// Removal of the thumbnails of pictures that others have hidden or removed.

import Foundation

extension PhotoLibrary {
  func warn(ofThumbnailsIn thumbnails: LibraryThumbnails, _ code: Int32) {
    warningBoard.post(.thumbnailsKept(folder: thumbnails.thumbnails.folder, reason: String(cString: strerror(code))))
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
      let paths = news.hidden.map(\.url.path)
      let code = thumbnails.remove(of: paths) ?? (news.isAny ? thumbnails.removeOrphans(and: paths) : nil)
      if let code { warn(ofThumbnailsIn: thumbnails, code) }
    } catch {
      // The next time, or the next start.
      Self.logger.error("\(error.description)")
    }
  }

  /// How far into the history of the index thumbnails were removed.
  struct ConcealedHistory: Sendable {
    /// The last row that was looked at.
    var sequence: Int64
    var hasBegun = false
  }
}
