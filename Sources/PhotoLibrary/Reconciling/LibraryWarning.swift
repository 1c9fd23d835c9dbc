// What a person should know while a library is open, though everything goes on.

import Foundation
import Synchronization

/// Something that works less well than it should.
public enum LibraryWarning: Sendable, Hashable, CustomStringConvertible {
  /// The system has no more watches: what other programs do in some of the folders is seen at the next start only.
  ///
  /// - limit: The kernel's setting that says how many there are.
  case notFollowed(folder: String, limit: String)

  public var description: String {
    switch self {
    case .notFollowed(let folder, let limit):
      "PhotoMe can't see at once what other programs change in “\(folder)”, as all of the system's watches are in use. "
        + "Close a program that watches many folders, or raise “\(limit)”, and start PhotoMe again."
    }
  }
}

/// The warnings so far, each once, and everyone who wants to be told.
final class WarningBoard: Sendable {
  private struct State {
    var warnings: [LibraryWarning] = []
    var listeners: [UUID: AsyncStream<LibraryWarning>.Continuation] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  func post(_ warning: LibraryWarning) {
    let listeners = state.withLock { state in
      guard !state.isClosed, !state.warnings.contains(warning) else {
        return [AsyncStream<LibraryWarning>.Continuation]()
      }
      state.warnings.append(warning)
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
