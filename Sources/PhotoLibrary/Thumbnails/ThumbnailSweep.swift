// The search through all of the desktop's thumbnails, in the background.

import CameraCore
import Foundation
import Synchronization

/// Removes the thumbnails of one library's hidden and missing pictures that can't be found by their names, as their
/// addresses are spelled in another way or are former ones.
///
/// All thumbnails of the desktop are read for that, which takes seconds when there are a hundred thousand: so no change
/// waits for it, only the end of the library. Requests that come during a search are taken together in the next one.
final class ThumbnailSweep: Sendable {
  private struct State {
    /// Of pictures that are hidden or deleted, for the next search.
    var paths: Set<PathBytes> = []
    var isRequested = false
    /// Whether a change has asked for it, and so the library waits for its end.
    var isOwed = false
    var isRunning = false
    var isHeld = false
    var isStopped = false
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// Whether a search begins now.
    mutating func begins() -> Bool {
      guard isRequested, !isRunning, !isHeld, !isStopped else { return false }
      isRunning = true
      return true
    }
  }

  private let thumbnails: LibraryThumbnails
  private let fail: @Sendable (Int32) -> Void
  private let done: @Sendable ([String]) -> Void
  private let state = Mutex(State())

  private static let niceness: Int32 = 19

  /// - Parameters:
  ///   - fail: Gets the error number of a thumbnail that could not be removed.
  ///   - done: Gets the paths of a search that has come to its end.
  init(
    _ thumbnails: LibraryThumbnails, fail: @escaping @Sendable (Int32) -> Void,
    done: @escaping @Sendable ([String]) -> Void
  ) {
    (self.thumbnails, self.fail, self.done) = (thumbnails, fail, done)
  }

  /// Begins a search soon.
  ///
  /// - Parameters:
  ///   - paths: Of hidden and deleted pictures: absolute, without symbolic links.
  ///   - isOwed: Whether the library waits for it when it is closed.
  func request(_ paths: [String], isOwed: Bool = false) {
    let begins = state.withLock { state in
      state.paths.formUnion(paths.map(PathBytes.init))
      state.isOwed = state.isOwed || isOwed
      state.isRequested = true
      return state.begins()
    }
    if begins { begin() }
  }

  /// Ends the search, for good.
  func stop() { state.withLock { $0.isStopped = true } }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Returns when what is owed is done.
  func settle() async { if isOwed { await finish() } }

  private var isOwed: Bool { state.withLock { $0.isOwed && !$0.isHeld } }

  /// Returns when nothing is left to be done.
  func finish() async { await withCheckedContinuation { wait($0) } }

  private func wait(_ waiter: CheckedContinuation<Void, Never>) {
    let isIdle = state.withLock { state in
      let isIdle = !state.isRunning && (!state.isRequested || state.isStopped)
      if !isIdle { state.waiters.append(waiter) }
      return isIdle
    }
    if isIdle { waiter.resume() }
  }

  /// Begins no search until `release`, for tests.
  func hold() { state.withLock { $0.isHeld = true } }

  func release() {
    let begins = state.withLock { state in
      state.isHeld = false
      return state.begins()
    }
    if begins { begin() }
  }

  private func begin() {
    Task.detached(priority: .background) { await Blocking.run(niceness: Self.niceness) { self.run() } }
  }

  private func run() {
    while let paths = next() {
      let code = thumbnails.removeOrphans(and: paths) { self.isStopped }
      if let code { fail(code) }
      if !isStopped { done(paths) }
    }
  }

  /// The paths of the next search; `nil` at the end.
  private func next() -> [String]? {
    let (paths, waiters) = state.withLock { state -> ([String]?, [CheckedContinuation<Void, Never>]) in
      if state.isRequested, !state.isStopped, !state.isHeld {
        defer { (state.paths, state.isRequested) = ([], false) }
        return (state.paths.map(\.path), [])
      }
      state.isRunning = false
      // Those who wait while it is held go on waiting.
      guard !state.isRequested || state.isStopped else { return (nil, []) }
      defer { (state.waiters, state.isOwed) = ([], false) }
      return (nil, state.waiters)
    }
    for waiter in waiters { waiter.resume() }
    return paths
  }
}
