// Warnings about an open library: restrictions, and what happened to pictures without being asked for.

import CameraCore
import Foundation
import Localization
import Synchronization

/// A restriction, or an event, that the user should know about.
public enum LibraryWarning: Sendable, Hashable, CustomStringConvertible {
  /// The system has no inotify watches left: changes by other programs in some folders are seen at the next start only.
  ///
  /// - limit: The kernel setting with their number.
  case notFollowed(folder: String, limit: String)
  /// The library isn't there, as when its disk is not mounted. Nothing is saved until it is back.
  case absent(description: String)
  /// Records and originals of pictures that have been gone for long were moved to the desktop's trash.
  case movedToTrash(count: Int, days: Int)
  /// A change of favorites or albums is done, but isn't in all of the pictures' own metadata yet.
  case metadataPending(reason: String)
  /// Thumbnails of a picture that was hidden or deleted could not be removed.
  case thumbnailsKept(folder: String, reason: String)
  static func thumbnailsKept(in folder: String, code: Int32) -> LibraryWarning {
    .thumbnailsKept(folder: folder, reason: String(cString: strerror(code)))
  }
  /// A change that another process had left unfinished was finished while the library was open.
  case recovered(RecoveryNote)
  /// A picture was edited here after another program had changed it: that version has another name.
  case keptVersion(of: URL, as: URL)
  /// An edited picture is without the XMP packet of its predecessor.
  case metadataLeftOut(of: URL, reason: String)
  /// An edited picture is without the gain map of its original: on HDR screens it is no brighter than white.
  case gainMapLeftOut(of: URL)
  /// The transparent parts of an edited picture's original are white in it.
  case transparencyLeftOut(of: URL)

  /// Another program has been changing the library for some seconds, and a change waits for it.
  case waiting

  /// Whether it is over after a while, and may come again.
  fileprivate var isPassing: Bool { self == .waiting }

  public var description: String { words.displayed }

  /// With names and reasons as others wrote them.
  private var words: String {
    switch self {
    case .recovered(let note): note.description
    case .keptVersion(let url, let kept):
      localized(
        """
        Another program changed “\(url.lastPathComponent)” after it was edited in PhotoMe. That version \
        was kept as “\(kept.lastPathComponent)”.
        """)
    case .metadataLeftOut(let url, let reason):
      localized(
        """
        The edited version of “\(url.lastPathComponent)” doesn’t include keywords, ratings, and \
        descriptions from other programs: \(reason). The original still has them, and “Revert to \
        Original” brings them back.
        """)
    case .gainMapLeftOut(let url):
      localized(
        """
        The edited version of “\(url.lastPathComponent)” doesn’t include its HDR highlights (gain map). The original \
        still has them, and “Revert to Original” brings them back.
        """)
    case .transparencyLeftOut(let url):
      localized(
        """
        The transparent parts of “\(url.lastPathComponent)” are white in the edited version. The original still has \
        them, and “Revert to Original” brings them back.
        """)
    case .notFollowed(let folder, let limit):
      localized(
        """
        PhotoMe can’t notice changes by other programs in “\(folder)” right away because the system’s \
        limit of watched folders is reached. Close a program that watches many folders, or raise \
        “\(limit)”, and restart PhotoMe.
        """)
    case .waiting:
      localized(
        """
        PhotoMe is waiting for another program that is changing the library. If that program is \
        suspended, resume or quit it.
        """)
    case .absent(let description):
      description
    case .movedToTrash(let count, let days):
      localized(
        """
        \(count) item has been missing from the library for more than \(days) days. Its original, favorite, albums, \
        and edits were moved to the Trash.
        """,
        plural: """
          \(count) items have been missing from the library for more than \(days) days. Their originals, favorites, \
          albums, and edits were moved to the Trash.
          """, count: count)
    case .metadataPending(let reason):
      localized(
        """
        Your changes are saved, but some files don’t show them in other programs yet: \
        \(reason.asClause). PhotoMe will update those files the next time it starts.
        """)
    case .thumbnailsKept(let folder, let reason):
      localized(
        """
        Thumbnails of a hidden or deleted item couldn’t be removed from “\(folder)”: \(reason). Delete \
        them there.
        """)
    }
  }
}

/// The distinct warnings so far, and the streams that get them.
final class WarningBoard: Sendable {
  private struct State {
    var warnings: [LibraryWarning] = []
    /// The same, to find out whether one is known: a journal may bring very many.
    var known: Set<LibraryWarning> = []
    var listeners: [UUID: AsyncStream<LibraryWarning>.Continuation] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  func post(_ warning: LibraryWarning) {
    let listeners = state.withLock { state in
      guard !state.isClosed, warning.isPassing || state.known.insert(warning).inserted else {
        return [AsyncStream<LibraryWarning>.Continuation]()
      }
      if !warning.isPassing { state.warnings.append(warning) }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(warning) }
  }

  func stream() -> AsyncStream<LibraryWarning> {
    let (stream, continuation) = AsyncStream.makeStream(of: LibraryWarning.self)
    let id = UUID()
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
    }
    let isClosed = state.withLock { state in
      for warning in state.warnings { continuation.yield(warning) }
      if !state.isClosed { state.listeners[id] = continuation }
      return state.isClosed
    }
    if isClosed { continuation.finish() }
    return stream
  }

  func close() {
    let listeners = state.withLock { state in
      state.isClosed = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
