// Messages about the recovery after a crash.

import CameraCore
import Foundation
import Localization

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

  /// What a person is told of: one sentence for all photos, and nothing of files that never were pictures.
  public static func summary(of notes: [RecoveryNote]) -> [String] {
    var (photos, movies, others) = ([RecoveryNote](), [RecoveryNote](), [String]())
    for note in notes {
      switch note {
      case .recoveredPhoto: photos.append(note)
      case .removedMovie: movies.append(note)
      case .removedLeftover: break
      default: others.append(note.description)
      }
    }
    // The movies are those of the photos.
    let main = photos.isEmpty ? movies : photos
    guard let first = main.first else { return others }
    let count = main.count
    let text =
      if count == 1 {
        first.description
      } else if photos.isEmpty {
        localized(
          "PhotoMe quit unexpectedly. \(count) unfinished video was removed.",
          plural: "PhotoMe quit unexpectedly. \(count) unfinished videos were removed.", count: count)
      } else {
        localized(
          "PhotoMe quit while taking photos. \(count) photo was recovered, without its video.",
          plural: "PhotoMe quit while taking photos. \(count) photos were recovered, without their videos.",
          count: count)
      }
    return [text] + others
  }

  /// With names and reasons as others wrote them.
  private var words: String {
    switch self {
    case .recoveredPhoto(let url):
      localized(
        """
        PhotoMe quit while taking a photo. The photo was recovered as “\(url.lastPathComponent)”, without \
        its video.
        """)
    case .removedMovie(let name):
      localized(
        """
        The unfinished video “\(name)” was removed. It was left over from when PhotoMe quit \
        unexpectedly.
        """)
    case .removedLeftover(let name):
      localized(
        """
        The incomplete file “\(name)” was removed. It was left over from when PhotoMe quit unexpectedly.
        """)
    case .finishedChange:
      localized("A change that was interrupted when PhotoMe quit is now complete.")
    case .keptVersion(let path, let kept):
      localized("Another app had changed “\(path)”. That version was kept as “\(kept.path)”.")
    case .broughtBack(let url):
      localized("“\(url.path)” was restored. It was about to be replaced when PhotoMe quit.")
    case .couldNotRecover(let path, let reason):
      localized(
        """
        “\(path)”, left over from when PhotoMe quit unexpectedly, stays where it is: \(reason.asClause).
        """)
    case .rebuiltIndex(let url, let reason):
      localized(
        """
        The library’s index was damaged (\(reason)) and is being rebuilt from your photos and videos. \
        The damaged one was kept as “\(url.path)”.
        """)
    case .newerIndex(let url):
      localized(
        """
        A newer version of PhotoMe created the library’s index “\(url.path)”. It’s kept as it is, and \
        this version uses an index of its own. Update PhotoMe to use a single index again.
        """)
    case .indexInMemory(let reason):
      localized(
        """
        The library’s index can’t be stored (\(reason)), so PhotoMe scans your photos and videos each \
        time it starts.
        """)
    }
  }
}
