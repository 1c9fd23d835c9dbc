// Supervision of the computer's load while a camera runs.

import CameraCore
import Dispatch
import EngineInterface
import Foundation
import Synchronization

/// Reads the signals of pressure once a second while a camera delivers, and applies what `PressureRule` decides.
///
/// Readings are taken on a queue of the monitor's own, since a thermal zone's firmware may take its time.
final class PressureMonitor: Sendable {
  /// What the monitor looks at and changes.
  struct Subject: Sendable {
    /// The preview's counts.
    var preview: @Sendable () -> PreviewStatistics
    /// Whether people are told from the background in the preview.
    var findsPeople: @Sendable () -> Bool = { false }
    /// How full the queue of a movie's frames is, 0 to 1.
    var movieBacklog: @Sendable () -> Double
    /// Called with each new state, on the monitor's queue or on that of whoever ends the watch, in order.
    var changed: @Sendable (SystemPressure) -> Void
  }

  private struct State {
    var rule = PressureRule()
    var savesPower = false
    var last: PreviewStatistics?
    var timer: (any DispatchSourceTimer)?
  }

  /// From one reading to the next, in milliseconds.
  private static let interval = 1000
  /// Fewer lost frames than this between two readings say nothing, whatever their share.
  private static let leastLoss = 3

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "photome.pressure", qos: .utility)
  private let reader: any SystemSignalReader
  private let subject: Subject
  private let isTimed: Bool

  /// - Parameter isTimed: Whether readings are taken by themselves while a camera delivers.
  init(_ subject: Subject, reader: any SystemSignalReader, isTimed: Bool = true) {
    self.subject = subject
    self.reader = reader
    self.isTimed = isTimed
  }

  deinit { state.withLock { $0.timer?.cancel() } }

  /// A camera delivers from now on, or none does.
  func setWatching(_ isWatching: Bool) {
    state.withLock { state in
      guard isTimed, isWatching != (state.timer != nil) else { return }
      guard isWatching else {
        state.timer?.cancel()
        state.timer = nil
        state.last = nil
        if let changed = state.rule.rested() { subject.changed(changed) }
        return
      }
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(
        deadline: .now() + .milliseconds(Self.interval), repeating: .milliseconds(Self.interval),
        leeway: .milliseconds(Self.interval / 4))
      timer.setEventHandler { [weak self] in self?.look(at: .now) }
      state.timer = timer
      timer.activate()
    }
  }

  /// The desktop's power saver was switched on or off.
  @inline(never)  // reached from asynchronous functions: see “Locks” in MediaEngine.md
  func setSavesPower(_ savesPower: Bool) { state.withLock { $0.savesPower = savesPower } }

  /// The present state.
  var pressure: SystemPressure { state.withLock { $0.rule.state } }

  /// Takes a reading.
  func look(at time: MonotonicTime) {
    let system = reader.read()
    let (counts, findsPeople, backlog) = (subject.preview(), subject.findsPeople(), subject.movieBacklog())
    state.withLock { state in
      // A camera that has closed meanwhile.
      guard state.timer != nil || !isTimed else { return }
      defer { state.last = counts }
      let signals = PressureSignals(
        previewLoss: state.last.map { Self.loss(from: $0, to: counts) } ?? 0, findsPeople: findsPeople,
        movieBacklog: backlog,
        processorStall: system.processorStall, memoryStall: system.memoryStall, temperature: system.temperature,
        savesPower: state.savesPower)
      // Under the lock, so that states are told in their order.
      if let changed = state.rule.received(signals, at: time) { subject.changed(changed) }
    }
  }

  /// The share of the frames for the preview that came too late between two readings.
  static func loss(from last: PreviewStatistics, to counts: PreviewStatistics) -> Double {
    let wanted = counts.arrived - last.arrived - (counts.skipped - last.skipped)
    let lost = counts.dropped - last.dropped
    // Another camera's counts begin anew.
    guard counts.arrived >= last.arrived, lost >= leastLoss, wanted > 0 else { return 0 }
    return min(1, Double(lost) / Double(wanted))
  }
}
