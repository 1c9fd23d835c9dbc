// The newest-only mailbox between a camera or a movie and the screen, and its converting thread.

import CameraCore
import Dispatch
import EngineInterface
import Foundation
import PhotoEffects
import Synchronization

/// Takes frames from a streaming thread, converts the newest on a thread of its own, and hands it to the painter.
///
/// A late frame is dropped on either side, never queued: the streaming thread replaces the frame that waits to be
/// converted, and the preview thread replaces the one that waits to be painted.
final class PreviewPump: PreviewSource {
  private let core: Core

  /// - Parameters:
  ///   - pauses: Whether a frame may be the last one for a while: a movie's, which comes before there is a view, is shown once
  ///     there is one. A camera's next frame comes by itself.
  ///   - onShown: Called with each frame that was marked as shown; any thread.
  init(name: String, pauses: Bool = false, onShown: (@Sendable (CameraFrame, MonotonicTime) -> Void)? = nil) {
    core = Core(pauses: pauses, onShown: onShown)
    let core = core
    let thread = Thread { core.run() }
    thread.name = name
    thread.start()
  }

  deinit { core.end() }

  /// Replaces the newest frame; called on a streaming thread. Never waits for the conversion.
  ///
  /// - Parameter movieTime: The presentation time of a movie's frame, in seconds from the movie's start.
  func offer(_ frame: CameraFrame, movieTime: Double? = nil) { core.offer(Frame(frame, movieTime: movieTime)) }

  /// Drops all frames and counts before another camera or movie.
  func reset() { core.reset() }

  func setTarget(_ size: PixelSize?) { core.setTarget(size) }
  func setMirrored(_ isMirrored: Bool) { core.setMirrored(isMirrored) }
  func setProcessor(_ processor: (any FrameProcessing)?) { core.setProcessor(processor) }

  /// Leaves out frames, before they are decoded, and decodes the others smaller.
  func setMeasures(_ measures: PressureMeasures) { core.setMeasures(measures) }

  /// Sets a callback that also gets each frame, unconverted, on the streaming thread, whether anything is shown or not,
  /// unless it is left out to relieve the computer; `nil` ends the calls. It must not block.
  func setTap(_ tap: (@Sendable (CameraFrame) -> Void)?) { core.setTap(tap) }

  /// Sets a callback that sees decoded frames on the preview's thread, only some or none to relieve the computer; `nil` ends
  /// the calls, though one may be in progress. It must not block.
  func setInspector(_ inspector: PreviewRenderer.FrameInspector?) { core.setInspector(inspector) }

  func setFrameHandler(_ handler: (@Sendable () -> Void)?) { core.handler.withLock { $0 = handler } }
  func takeFrame() -> (any PreviewFrame)? { core.takeFrame() }
  func markShown(_ time: MonotonicTime, at shown: MonotonicTime) { core.markShown(time, at: shown) }
  var statistics: PreviewStatistics { core.statistics }
  var presence: Double? { core.presence }
  func setMatteFailureHandler(_ handler: (@Sendable (any Error) -> Void)?) { core.setMatteFailureHandler(handler) }
}

/// A frame with its presentation time, if it is a movie's.
private struct Frame {
  let camera: CameraFrame
  let movieTime: Double?

  init(_ camera: CameraFrame, movieTime: Double?) {
    self.camera = camera
    self.movieTime = movieTime
  }
}

/// The state that the pump shares with its thread.
private final class Core: Sendable {
  /// The number of painted frames whose originals are kept, so that a shot gets the very frame that was on screen. Frames
  /// that the painter didn't take don't count: while it is late by a second, thirty are converted.
  private static let rememberedCount = 6
  /// A painting is marked as shown soon after it was made; no press refers to one that is older.
  private static let memory = TimeSpan.seconds(0.7)

  private struct State {
    var target: PixelSize?
    var isMirrored = false
    var processor: (any FrameProcessing)?
    /// See `PreviewRenderer.Form`.
    var processorNumber = 0
    var scale = 1.0
    /// See `PressureMeasures.mattePeriod`.
    var mattePeriod = 1
    /// Chooses the frames that are decoded; `nil` for all.
    var pace: PreviewPace?
    /// See `PressureMeasures.keepsRateWithMattes`.
    var keepsRateWithMattes = false
    /// The frame that waits to be converted.
    var pending: Frame?
    /// The last frame of what pauses, for the view that isn't there yet.
    var held: Frame?
    /// The last frame that was taken to be converted.
    var latest: Frame?
    /// The frame that waits to be painted, and its original.
    var ready: (frame: PooledPreviewFrame, original: CameraFrame)?
    /// The originals of the last frames that went to the painter.
    var originals: [CameraFrame] = []
    var statistics = PreviewStatistics()
    /// See `setTap`.
    var tap: (@Sendable (CameraFrame) -> Void)?
    /// See `setInspector`.
    var inspector: PreviewRenderer.FrameInspector?
    /// See `PreviewSource`.
    var presence: Double?
    var matteFailureHandler: (@Sendable (any Error) -> Void)?
    var inspection = Inspection.ofAll
    var hasEnded = false
    /// Incremented by `reset`, so that a frame that was being converted meanwhile is dropped.
    var generation = 0

    mutating func forgetFrames() {
      pending = nil
      latest = nil
      ready = nil
      presence = nil
      originals = []
    }

    /// Keeps the original of a frame that goes to the painter. Those of a large camera are large: of the ones that are older
    /// than any that may still be marked, the newest stays, which may be on screen.
    mutating func remember(_ original: CameraFrame) {
      originals.append(original)
      if originals.count > rememberedCount { originals.removeFirst() }
      let limit = original.time - memory
      while originals.count > 1, originals[1].time <= limit { originals.removeFirst() }
    }

    /// The original of a frame that is on screen now. Those before it were on screen before, or never will be.
    mutating func original(shown time: MonotonicTime) -> CameraFrame? {
      guard let index = originals.lastIndex(where: { $0.time == time }) else { return nil }
      originals.removeFirst(index)
      return originals[0]
    }
  }

  /// The frames that the inspector sees.
  private enum Inspection {
    case ofAll, ofNone
    case paced(PreviewPace)

    /// - Parameter rate: The most frames a second; `nil` for all, 0 for none.
    init(rate: Double?) {
      guard let rate else { self = .ofAll; return }
      self = rate > 0 ? .paced(PreviewPace(rate: rate)) : .ofNone
    }

    mutating func takes(_ time: MonotonicTime) -> Bool {
      switch self {
      case .ofAll: return true
      case .ofNone: return false
      case .paced(var pace):
        defer { self = .paced(pace) }
        return pace.takes(time)
      }
    }
  }

  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  /// A lock of its own: it is held while the handler runs, so that none runs after it was removed.
  let handler = Mutex<(@Sendable () -> Void)?>(nil)
  private let onShown: (@Sendable (CameraFrame, MonotonicTime) -> Void)?

  private let pauses: Bool

  init(pauses: Bool, onShown: (@Sendable (CameraFrame, MonotonicTime) -> Void)?) {
    (self.pauses, self.onShown) = (pauses, onShown)
  }

  var statistics: PreviewStatistics { state.withLock { $0.statistics } }
  var presence: Double? { state.withLock { $0.presence } }

  func setMatteFailureHandler(_ handler: (@Sendable (any Error) -> Void)?) {
    state.withLock { $0.matteFailureHandler = handler }
  }

  func offer(_ frame: Frame) {
    let (mustWake, tap) = state.withLock { state in
      state.statistics.arrived += 1
      if pauses { state.held = frame }
      guard state.target != nil else { return (false, state.tap) }
      let isPaced = !(state.keepsRateWithMattes && state.processor?.needsMatte == true)
      guard !isPaced || state.pace?.takes(frame.camera.time) ?? true else {
        state.statistics.skipped += 1
        return (false, nil)
      }
      let wasEmpty = state.pending == nil
      if !wasEmpty { state.statistics.dropped += 1 }
      state.pending = frame
      return (wasEmpty, state.tap)
    }
    if mustWake { wakeUp.signal() }
    tap?(frame.camera)
  }

  func setTap(_ tap: (@Sendable (CameraFrame) -> Void)?) { state.withLock { $0.tap = tap } }

  @inline(never)  // reached from asynchronous functions: see “Locks” in MediaEngine.md
  func setInspector(_ inspector: PreviewRenderer.FrameInspector?) { state.withLock { $0.inspector = inspector } }

  @inline(never)  // reached from asynchronous functions: see “Locks” in MediaEngine.md
  func reset() {
    state.withLock { state in
      state.forgetFrames()
      state.held = nil
      state.statistics = PreviewStatistics()
      state.generation += 1
    }
  }

  func setTarget(_ size: PixelSize?) {
    let mustWake = state.withLock { state in
      let wasShown = state.target != nil
      state.target = size.flatMap { $0.width > 0 && $0.height > 0 ? $0 : nil }
      if state.target == nil { state.forgetFrames() }
      guard !wasShown, state.target != nil, let held = state.held else { return false }
      state.pending = held
      return true
    }
    // Without a view the thread frees its buffers.
    if size == nil || mustWake { wakeUp.signal() }
  }

  func setMeasures(_ measures: PressureMeasures) {
    state.withLock { state in
      state.scale = measures.previewScale
      state.mattePeriod = measures.mattePeriod
      state.pace = measures.previewRate.map { PreviewPace(rate: $0) }
      state.keepsRateWithMattes = measures.keepsRateWithMattes
      state.inspection = Inspection(rate: measures.codeRate)
    }
  }

  func setMirrored(_ isMirrored: Bool) { state.withLock { $0.isMirrored = isMirrored } }

  func setProcessor(_ processor: (any FrameProcessing)?) {
    let mustWake = state.withLock { state in
      state.processor = processor
      state.processorNumber += 1
      // A waiting frame will be rendered by it anyway; otherwise the last one is rendered again.
      guard state.pending == nil, state.target != nil, let latest = state.latest else { return false }
      state.pending = latest
      return true
    }
    if mustWake { wakeUp.signal() }
  }

  func takeFrame() -> PooledPreviewFrame? {
    state.withLock { state in
      guard let (frame, original) = state.ready else { return nil }
      state.ready = nil
      // Of movies, nobody asks.
      if onShown != nil { state.remember(original) }
      return frame
    }
  }

  func markShown(_ time: MonotonicTime, at shown: MonotonicTime) {
    let original = state.withLock { state -> CameraFrame? in
      state.statistics.shown += 1
      return state.original(shown: time)
    }
    if let original { onShown?(original, shown) }
  }

  func end() {
    state.withLock { state in
      state.hasEnded = true
      state.forgetFrames()
      state.held = nil
    }
    wakeUp.signal()
  }

  /// The preview thread's main function.
  func run() {
    let renderer = PreviewRenderer()
    while true {
      wakeUp.wait()
      var isEnd = false
      let work = state.withLock { state -> (Frame, PreviewRenderer.Form, Int)? in
        isEnd = state.hasEnded
        defer { state.pending = nil }
        guard let frame = state.pending, let target = state.target else { return nil }
        state.latest = frame
        let isInspected = state.inspector != nil && state.inspection.takes(frame.camera.time)
        let form = PreviewRenderer.Form(
          target: Self.box(target, of: frame.camera.size, scale: state.scale), isMirrored: state.isMirrored,
          processor: state.processor, processorNumber: state.processorNumber, mattePeriod: state.mattePeriod,
          movieTime: frame.movieTime,
          inspector: isInspected ? state.inspector : nil, onMatteFailure: state.matteFailureHandler)
        return (frame, form, state.generation)
      }
      if isEnd { return }
      guard let (frame, form, generation) = work else {
        if state.withLock({ $0.target == nil }) { renderer.rest() }
        continue
      }
      guard let rendered = renderer.render(frame.camera, as: form) else {
        count(generation) { if renderer.foundDamage { $0.damaged += 1 } else { $0.dropped += 1 } }
        continue
      }
      deliver(rendered, of: frame.camera, presence: renderer.presence, generation: generation)
    }
  }

  /// The box that a frame is decoded into. A view that is larger than the frame doesn't make up for the scale.
  private static func box(_ target: PixelSize, of frame: PixelSize, scale: Double) -> PixelSize {
    guard scale < 1 else { return target }
    let shown = frame.fitted(into: target)
    return PixelSize(
      width: max(1, Int(Double(shown.width) * scale)), height: max(1, Int(Double(shown.height) * scale)))
  }

  private func count(_ generation: Int, _ change: (inout PreviewStatistics) -> Void) {
    state.withLock { if $0.generation == generation { change(&$0.statistics) } }
  }

  private func deliver(
    _ rendered: PooledPreviewFrame, of frame: CameraFrame, presence: Double?, generation: Int
  ) {
    let mustCall = state.withLock { state in
      guard state.target != nil, state.generation == generation else { return false }
      state.presence = presence
      let wasTaken = state.ready == nil
      // The same frame with another effect is no loss.
      if let ready = state.ready, ready.original.time != frame.time { state.statistics.dropped += 1 }
      state.ready = (rendered, frame)
      state.statistics.converted += 1
      return wasTaken
    }
    if mustCall { handler.withLock { $0?() } }
  }
}
