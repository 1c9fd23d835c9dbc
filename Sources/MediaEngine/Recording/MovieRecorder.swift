// One recording: takes the camera's frames and the microphone's sound, and makes a movie of them.

import CameraCore
import Foundation
import Synchronization

/// Records one movie.
///
///     let recorder = MovieRecorder(settings, environment) { … } onLastFrame: { … }
///     store.begin(recorder)                                    // frames and sound come from now on
///     let movie = try await recorder.run(input)                // until `stop`, or until it can't go on
///
/// Streaming threads call both `receive` methods, which never wait: frames go into a bounded queue, sound into a source
/// that takes any amount. One thread of its own decodes, and blocks while the encoder is busy. `RecordingStateMachine`
/// decides; what it decides is carried out here.
final class MovieRecorder: Sendable {
  typealias EncodingMaker =
    @Sendable (RecordingEncoding.Form, String, MovieProgress) throws(MovieFailure) -> RecordingEncoding

  /// The world around a recording; tests have their own.
  struct Environment: Sendable {
    var limits = EngineLimits()
    /// The installed encoders, best first.
    var encoders: @Sendable () -> [VideoEncoder] = VideoEncoder.installed
    /// Those of HEVC, for movies that are to be it.
    var hevcEncoders: @Sendable () -> [VideoEncoder] = VideoEncoder.installedHEVC
    /// Those of 10 bits, for frames that have them.
    var deepEncoders: @Sendable () -> [VideoEncoder] = VideoEncoder.installedDeep
    var soundEncoders: @Sendable () -> [SoundEncoder] = SoundEncoder.installed
    /// The bytes that may be written into a folder; `nil` when that isn't known.
    var freeBytes: @Sendable (URL) -> Int64? = RecordingFile.freeBytes
    /// Returns after a second; throws when the task is canceled.
    var waitASecond: @Sendable () async throws -> Void = { try await Task.sleep(nanoseconds: 1_000_000_000) }
    /// Returns after a time limit; throws when the task is canceled.
    var wait: @Sendable (TimeSpan) async throws -> Void = { try await Task.sleep(nanoseconds: UInt64($0.nanoseconds)) }
    /// Builds an encoding that writes to a path. Perhaps called on several threads at once.
    var makeEncoding: EncodingMaker = {
      (form: RecordingEncoding.Form, path: String, progress: MovieProgress) throws(MovieFailure) in
      try RecordingEncoding(form, path: path, progress: progress)
    }
    /// Makes what was written durable; the `errno` of a failure.
    var synchronize: @Sendable (RecordingFile) -> Int32? = { $0.synchronize() }
    /// The same for the finished file.
    var synchronizeWhole: @Sendable (RecordingFile) -> Int32? = { $0.synchronizeWhole() }
    var now: @Sendable () -> MonotonicTime = { .now }
  }

  /// The streams that are recorded.
  struct Input: Sendable {
    /// Of the frames; others are left out. `nil` for those of the first frame that comes.
    var frames: FrameForm?
    /// Whether frames of 10 bits keep them, where there is an encoder for that.
    var isHDR = false
    var rate: FrameRate
    /// What became of the microphone.
    var sound: LiveSound
    /// Of the sound; `nil` for a silent movie.
    var channels: Int?
  }

  /// Free bytes below which a recording ends: enough for the index of a long movie, and for the desktop to go on.
  static let reserve: Int64 = 64 << 20
  /// The time after which sound that hasn't come is silence. The muxer waits for it, and the frames wait for the muxer, in
  /// the queue.
  static let soundPatience = TimeSpan.milliseconds(500)
  /// The most by which sound is ahead of the picture: what is beyond it becomes silence. Sound waits in memory for the
  /// frames, which may not come.
  static let soundLead = TimeSpan.seconds(5)
  /// How full the queue of frames may be while they are stabilized: where the computer can't keep up, that ends first.
  static let stabilizedFullness = 0.75

  struct State {
    var machine = RecordingStateMachine()
    /// `nil` while nothing is open.
    var take: Take?
    var sound = LiveSound.off
    var hasBegun = false
    var frameCount = 0
    var droppedFrames = 0
    /// The length of the movie, from the start of its first frame.
    var elapsed = TimeSpan.zero
    var unusable = UnusableFrames()
    /// Whether something of the last encoding doesn't let go, and may still write to the file.
    var isHanging = false
  }

  /// The streams into one encoding.
  struct Take {
    var form: RecordingEncoding.Form
    var timeline: RecordingTimeline
    var queue: RecordingQueue
    var sound: RecordingSound?
    var encoding: RecordingEncoding
    /// Samples of silence where there was no sound.
    var missingSamples = 0

    /// Adds silence where sound has not come in time.
    mutating func fillSilence(until time: MonotonicTime) {
      guard sound != nil else { return }
      let missing = timeline.fill(until: time)
      missingSamples += missing
      if missing > 0 { sound?.pushSilence(missing) }
    }

    /// Nothing follows: the tracks end with the last frame.
    mutating func end(at time: MonotonicTime) {
      timeline.pause(at: time)
      if sound != nil, let last = timeline.lastFrameTime {
        let missing = timeline.fill(untilMovieTime: last + form.rate.interval)
        missingSamples += missing
        if missing > 0 { sound?.pushSilence(missing) }
      }
      // Also when no frame has come yet: the muxer waits for the end of each track.
      sound?.end()
      queue.end()
    }
  }

  let settings: RecordingSettings
  let environment: Environment
  let send: @Sendable (RecordingEvent) -> Void
  let onLastFrame: @Sendable (MovieRecorder) -> Void
  /// The form of a camera's frames.
  struct FrameForm: Sendable, Hashable {
    var size: PixelSize
    /// The color space of 10 bits, by GStreamer's name; `nil` for frames of 8 bits.
    var deepColorimetry: String?

    init(_ frame: CameraFrame) {
      size = frame.size
      deepColorimetry = frame.deepLayout.map { $0.colorimetry ?? MoviePictureMaker.colorimetry }
    }

    init(size: PixelSize) { self.size = size }
  }

  /// The form of the first frame that came; a failure when none is wanted any more.
  let firstForm = OneShot<FrameForm, CameraError>()
  private let state = Mutex(State())

  /// - Parameters:
  ///   - send: Gets the events in their order, on any thread. It must not block or use the recorder.
  ///   - onLastFrame: Called with the recorder when no further frame is wanted, perhaps more than once; on any thread.
  init(
    _ settings: RecordingSettings, _ environment: Environment, send: @escaping @Sendable (RecordingEvent) -> Void,
    onLastFrame: @escaping @Sendable (MovieRecorder) -> Void
  ) {
    self.settings = settings
    self.environment = environment
    self.send = send
    self.onLastFrame = onLastFrame
    _ = state.withLock { $0.machine.requested() }
  }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

  /// Whether frames are taken, or would be but for a pause.
  var isOpen: Bool { withState { $0.take != nil } }

  /// Frames that wait for the encoder.
  var queuedFrameCount: Int { withState { $0.take?.queue.count ?? 0 } }

  /// Frames that were placed in the movie.
  var frameCount: Int { withState { $0.frameCount } }

  // MARK: Arrivals, on streaming threads

  /// A frame of the camera.
  func receive(_ frame: CameraFrame) {
    firstForm.decide(.success(FrameForm(frame)))
    let (isOver, problem) = withState { state -> (Bool, String?) in
      guard state.machine.isTaking, var take = state.take else { return (false, nil) }
      defer { state.take = take }
      guard frame.size == take.form.size else {
        state.droppedFrames += 1
        let isTooMany = state.unusable.refused(at: frame.time)
        return (false, isTooMany ? UnusableFrames.reason(frame.size, insteadOf: take.form.size) : nil)
      }
      if let limit = settings.duration, take.timeline.lastFrameTime != nil {
        guard take.timeline.movieTime(of: frame.time) < limit else { return (true, nil) }
      }
      guard let time = take.timeline.place(frameAt: frame.time) else { return (false, nil) }
      if take.queue.offer(frame, at: time) {
        state.elapsed = time + take.form.rate.interval
        state.frameCount += 1
      } else {
        state.droppedFrames += 1
      }
      take.fillSilence(until: frame.time - Self.soundPatience)
      state.hasBegun = true
      if state.machine.firstFrame() == .tellBegan { send(.began(state.sound)) }
      return (false, nil)
    }
    if isOver { handle(at: frame.time) { $0.stop() } }
    if let problem { handle(at: frame.time) { $0.framesFailed(problem) } }
  }

  /// A frame of the camera that the movie does without, because the computer can't keep up. The sound goes on.
  func leaveOut(_ frame: CameraFrame) {
    withState { state in
      guard state.machine.isTaking, state.hasBegun else { return }
      state.droppedFrames += 1
      state.take?.fillSilence(until: frame.time - Self.soundPatience)
    }
  }

  /// How full the queue of frames is that wait for the encoder, 0 to 1.
  var backlog: Double { withState { $0.take?.queue.fullness ?? 0 } }

  /// A chunk of the microphone's sound.
  func receive(_ chunk: SoundChunk) {
    withState { state in
      // In a pause as well: what was heard before it may come late.
      guard state.machine.needsCamera, let take = state.take, take.sound != nil,
        take.timeline.movieTime(of: chunk.time) <= (take.timeline.lastFrameTime ?? .zero) + Self.soundLead
      else { return }
      let steps = state.take?.timeline.place(soundAt: chunk.time, sampleCount: chunk.sampleCount) ?? []
      for case .silence(let count) in steps { state.take?.missingSamples += count }
      state.take?.sound?.push(steps, of: chunk)
    }
  }

  // MARK: Requests, on any thread

  /// Leaves out what is seen and heard until `resume`.
  func pause() { handle { $0.pause() } }

  func resume() { handle { $0.resume() } }

  /// Ends the movie. `run` returns when its file is finished.
  func stop() { handle { $0.stop() } }

  /// The camera has ended.
  func cameraEnded() { handle { $0.cameraLost() } }

  /// Reports an event to the machine, and carries out what it decides.
  ///
  /// - Parameter time: When it happened; `nil` for now.
  func handle(
    at time: MonotonicTime? = nil, _ event: (inout RecordingStateMachine) -> RecordingStateMachine.Action
  ) {
    let now = time ?? environment.now()
    let (action, encoding) = withState { state -> (RecordingStateMachine.Action, RecordingEncoding?) in
      let action = event(&state.machine)
      switch action {
      // Told under the lock: what follows can't overtake it.
      case .pause:
        state.take?.timeline.pause(at: now)
        state.take?.queue.pause()
        send(.paused)
      case .resume:
        state.take?.timeline.resume(at: now)
        state.unusable = UnusableFrames()
        send(.resumed)
      case .finish:
        state.take?.end(at: now)
        send(.ending)
      case .cut, .discard: state.take?.queue.cancel()
      case .none, .open, .tellBegan: break
      }
      return (action, state.take?.encoding)
    }
    switch action {
    case .finish:
      onLastFrame(self)
    case .cut, .discard:
      firstForm.decide(.failure(.notRunning))
      encoding?.giveUp(.cancelled)
      onLastFrame(self)
    case .none, .open, .tellBegan, .pause, .resume: break
    }
  }
}

extension FrameRate {
  /// The time from one frame to the next.
  var interval: TimeSpan { .seconds(1 / max(0.1, framesPerSecond)) }
}
