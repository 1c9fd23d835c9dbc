// Whether the library's folder is there, followed while the library is open.

import CameraCore
import Dispatch
import Foundation
import Localization
import Synchronization

/// Finds out that the library has gone and that it is back, and tells it to streams.
///
/// It looks when something is mounted or unmounted, when a scan or a change fails for it, and when it is asked to; from time
/// to time while the library is away, and on file systems whose end the kernel doesn't report. Looks run on a queue of their
/// own: one may hang as long as its disk does, which is told as well.
final class AvailabilityMonitor: Sendable {
  private struct State {
    var now = LibraryAvailability.available
    var listeners = StreamListeners<LibraryAvailability>()
    var isClosed = false
    /// Whether a look was asked for that hasn't begun.
    var isLookPending = false
    /// Counts the looks; odd while one is in progress.
    var look = 0
    /// Counts what others have found missing.
    var faults = 0
    /// The disk that the last look has seen.
    var device: UInt64?
    var timer: (any DispatchSourceTimer)?
    var mounts: MountWatcher.Listener?
  }

  private let path: String
  private let check: @Sendable () throws(PhotoLibraryError) -> Void
  private let device: @Sendable () -> UInt64?
  private let returned: @Sendable () -> Void
  private let state = Mutex(State())
  private let isRemote = Atomic(false)
  private let queue = DispatchQueue(label: "photome.library.availability", qos: .utility)
  private static let clock = DispatchQueue(label: "photome.library.availability.clock", qos: .utility)

  /// In seconds.
  private static let intervalWhileAway = 2
  private static let intervalOfRemote = 5
  /// In seconds: no disk takes longer to spin up.
  private static let patience = 20

  /// - Parameters:
  ///   - path: The library's folder.
  ///   - check: Looks for the library, and throws `libraryAbsent` when it isn't there. May block.
  ///   - device: The number of the disk that the folder is on; `nil` when there is none.
  ///   - returned: Called when the library is back, also when nobody saw that it was away.
  init(
    path: String, check: @escaping @Sendable () throws(PhotoLibraryError) -> Void,
    device: @escaping @Sendable () -> UInt64? = { nil }, returned: @escaping @Sendable () -> Void
  ) {
    (self.path, self.check, self.device, self.returned) = (path, check, device, returned)
    state.withLock { $0.device = device() }
  }

  deinit { stop() }

  /// Looks from now on.
  ///
  /// - Parameter isRemote: Whether the library is on a file system whose end the kernel doesn't report.
  func start(isRemote: Bool) {
    let mounts = MountWatcher.shared.listen { [weak self] in self?.look() }
    state.withLock { state in
      guard !state.isClosed else { return }
      state.mounts = mounts
      let timer = DispatchSource.makeTimerSource(queue: Self.clock)
      timer.setEventHandler { [weak self] in
        guard let self else { return }
        // While it is there, only some have to be asked.
        if isRemote || reason != nil { look() }
      }
      Self.schedule(timer, every: isRemote ? Self.intervalOfRemote : nil)
      timer.resume()
      state.timer = timer
    }
    self.isRemote.store(isRemote, ordering: .relaxed)
  }

  /// - Parameter seconds: `nil` for never.
  private static func schedule(_ timer: any DispatchSourceTimer, every seconds: Int?) {
    guard let seconds else { return timer.schedule(deadline: .distantFuture) }
    timer.schedule(deadline: .now() + .seconds(seconds), repeating: .seconds(seconds), leeway: .milliseconds(500))
  }

  // Called by asynchronous functions: see “Locks” in MediaEngine.md.

  /// Ends the streams and looks no more.
  @inline(never)
  func stop() {
    let mounts = state.withLock { state in
      state.isClosed = true
      state.timer?.cancel()
      state.timer = nil
      state.listeners.finish()
      defer { state.mounts = nil }
      return state.mounts
    }
    mounts?.end()
  }

  /// `nil` while the library is available.
  var reason: PhotoLibraryError? { @inline(never) get { state.withLock { $0.now.reason } } }

  /// The present state, and then every change, until `stop`.
  @inline(never)
  func stream() -> AsyncStream<LibraryAvailability> {
    let (stream, continuation) = AsyncStream.makeStream(of: LibraryAvailability.self)
    let isClosed = state.withLock { state in
      continuation.yield(state.now)
      if !state.isClosed { state.listeners.add(continuation) }
      return state.isClosed
    }
    if isClosed { continuation.finish() }
    return stream
  }

  // MARK: News

  /// Looks as soon as possible; returns at once.
  @inline(never)
  func look() {
    let mustLook = state.withLock { state in
      if state.isClosed || state.isLookPending { return false }
      state.isLookPending = true
      return true
    }
    if mustLook { queue.async { [weak self] in self?.lookNow() } }
  }

  /// Waits for the looks that were asked for.
  func settle() { queue.sync {} }

  private func lookNow() {
    let (look, faults) = state.withLock { state in
      state.isLookPending = false
      state.look += 1
      return (state.look, state.faults)
    }
    Self.clock.asyncAfter(deadline: .now() + .seconds(Self.patience)) { [weak self] in self?.complain(of: look) }
    let outcome = Result { () throws(PhotoLibraryError) in try check() }
    let device = device()
    let isOther = state.withLock { state in
      state.look += 1
      defer { state.device = device ?? state.device }
      return state.now == .available && state.device != nil && device != nil && device != state.device
    }
    switch outcome {
    // What failed meanwhile may be news.
    case .success:
      if !set(.available, unlessSince: faults) { return self.look() }
      if isOther { returned() }
    case .failure(let error): note(error)
    }
  }

  /// - Parameter look: The number of the one that takes so long.
  private func complain(of look: Int) {
    let reason = PhotoLibraryError.libraryAbsent(path: path, reason: localized("its disk doesn’t respond"))
    set(.unavailable(reason: reason), during: look)
  }

  /// Something has failed because the library isn't there. Other errors say nothing about that.
  func note(_ error: PhotoLibraryError) {
    guard case .libraryAbsent = error else { return }
    state.withLock { $0.faults += 1 }
    set(.unavailable(reason: error))
  }

  /// A scan has seen the library. It may have gone while the scan went on, so what is away is looked for.
  func noteSeen() { if reason != nil { look() } }

  /// - Parameters:
  ///   - look: The look that must be in progress still; `nil` for any time.
  ///   - faults: The number of faults, if others have found no further ones; `nil` for any number.
  /// - Returns: Whether they haven't.
  @discardableResult
  private func set(_ now: LibraryAvailability, during look: Int? = nil, unlessSince faults: Int? = nil) -> Bool {
    let isRemote = isRemote.load(ordering: .relaxed)
    let (isBack, isOld) = state.withLock { state in
      guard faults ?? state.faults == state.faults else { return (false, true) }
      guard !state.isClosed, state.now != now, look ?? state.look == state.look else { return (false, false) }
      let wasAway = state.now.reason != nil
      state.now = now
      state.listeners.send(now)
      if let timer = state.timer {
        let interval = isRemote ? Self.intervalOfRemote : nil
        Self.schedule(timer, every: now == .available ? interval : Self.intervalWhileAway)
      }
      return (wasAway && now == .available, false)
    }
    if isBack { returned() }
    return !isOld
  }
}
