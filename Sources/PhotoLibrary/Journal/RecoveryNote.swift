// Messages about the recovery after a crash.

import CameraCore
import Foundation

/// One thing that was recovered or cleaned up when the library was opened.
public enum RecoveryNote: Sendable, Hashable, CustomStringConvertible {
  /// The still of a live photo whose movie was not finished was saved as a plain photo.
  case recoveredPhoto(URL)
  /// The movie of a live photo that was never finished was removed.
  case removedMovie(name: String)
  /// A partly written file was removed; it never had a visible name.
  case removedLeftover(name: String)
  /// An unfinished change to several files was completed.
  case finishedChange
  /// A file that an interrupted change replaced had been changed by another program since; that version was kept.
  case keptVersion(of: String, as: URL)
  /// A file that an interrupted change had renamed aside has its name again.
  case broughtBack(URL)
  /// A leftover of an earlier run could be neither saved nor removed.
  case couldNotRecover(path: String, reason: String)
  /// The index was damaged; it was set aside and is being rebuilt.
  case rebuiltIndex(setAside: URL, reason: String)
  /// The index was written by a newer PhotoMe; it is kept, and this one has an index of its own.
  case newerIndex(kept: URL)
  /// The index can't be stored on disk, so it is kept in memory and rebuilt at each start.
  case indexInMemory(reason: String)

  public var description: String { words.displayed }

  /// With names and reasons as others wrote them.
  private var words: String {
    switch self {
    case .recoveredPhoto(let url):
      "A photo that was being taken when PhotoMe ended was saved as “\(url.lastPathComponent)”, without its video."
    case .removedMovie(let name):
      "The unfinished video “\(name)”, left by an earlier run, was removed."
    case .removedLeftover(let name):
      "The incomplete file “\(name)”, left by an earlier run, was removed."
    case .finishedChange:
      "A change that was being made when PhotoMe ended was finished."
    case .keptVersion(let path, let kept):
      "“\(path)” had been changed by another program. That version was kept as “\(kept.path)”."
    case .broughtBack(let url):
      "“\(url.path)”, which a change that was interrupted was about to replace, is back as it was."
    case .couldNotRecover(let path, let reason):
      "“\(path)” of an earlier run was left where it is: \(reason.asClause)."
    case .rebuiltIndex(let url, let reason):
      "The index was damaged (\(reason)). It was set aside as “\(url.path)” and is being made again from your pictures."
    case .newerIndex(let url):
      "A newer PhotoMe has written the index “\(url.path)”. It is kept as it is, and this PhotoMe makes an index of its own "
        + "from your pictures. Update PhotoMe to use one index again."
    case .indexInMemory(let reason):
      "The index can’t be kept on disk (\(reason)), so PhotoMe looks through your pictures at each start."
    }
  }
}
