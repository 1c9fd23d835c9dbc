// Playback of movies with GStreamer.

import CGStreamer
import CameraCore
import EngineInterface
import Localization
import Synchronization

/// Makes players that use GStreamer.
public struct EngineMoviePlayerFactory: MoviePlayerFactory {
  public init() {}

  public func player(of source: MovieSource, isMuted: Bool) -> any MoviePlayback {
    MoviePlayer(source, isMuted: isMuted)
  }
}

/// Plays one movie, any number of times. The picture comes at the size that is shown, not mirrored.
final class MoviePlayer: MoviePlayback {
  var preview: any PreviewSource { pump }

  private let source: MovieSource
  private let isMuted: Bool
  private let output: SoundOutput
  private let patience: TimeSpan
  private let pump = PreviewPump(name: "movie", pauses: true)
  private let control = MovieControl()
  /// That of the latest run. A thread of an abandoned one may still report to its own.
  private let hearing = Mutex(Hearing())
  private let current = Mutex<OneShot<Void, CameraError>?>(nil)
  private let stopCount = Atomic(0)

  /// - Parameters:
  ///   - isMuted: Whether its sound is left out.
  ///   - patience: The time that the sound output may stand still; then the movie goes on without it.
  init(
    _ source: MovieSource, isMuted: Bool, output: SoundOutput = .shared, patience: TimeSpan = .seconds(2)
  ) {
    (self.source, self.isMuted, self.output, self.patience) = (source, isMuted, output, patience)
  }

  func play() async throws(CameraError) {
    let stops = stopCount.load(ordering: .relaxed)
    guard try await run(hasSound: !isMuted) == .soundLost else { return }
    // A sound server that hangs or ends takes no picture with it.
    latestHearing().isRefused.store(true, ordering: .relaxed)
    guard stops == stopCount.load(ordering: .relaxed) else { return }
    control.seekToPosition()
    _ = try await run(hasSound: false)
  }

  /// Plays once.
  private func run(hasSound: Bool) async throws(CameraError) -> MoviePlaying.Ending {
    let end = OneShot<Void, CameraError>()
    begin(end)
    defer { forget(end) }
    guard !Task.isCancelled else { return .over }
    let hearing = newHearing(isRefused: !hasSound && latestHearing().isRefused.load(ordering: .relaxed))
    let playing = try await MoviePlaying(
      source, output: hasSound ? output : nil, hearing: hearing, pump: pump, control: control, end: end)
    return try await playing.run(patience: patience)
  }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func latestHearing() -> Hearing { hearing.withLock { $0 } }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func newHearing(isRefused: Bool) -> Hearing {
    hearing.withLock { hearing in
      hearing = Hearing(isRefused: isRefused)
      return hearing
    }
  }

  /// Ends the run before.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func begin(_ end: OneShot<Void, CameraError>) {
    let before = current.withLock { current in
      defer { current = end }
      return current
    }
    before?.decide(.success(()))
  }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func forget(_ end: OneShot<Void, CameraError>) { current.withLock { if $0 === end { $0 = nil } } }

  func stop() {
    stopCount.add(1, ordering: .relaxed)
    current.withLock { $0 }?.decide(.success(()))
  }

  func setPaused(_ isPaused: Bool) { control.setPaused(isPaused) }

  func seek(to seconds: Double) { control.seek(to: seconds) }

  func positions() -> AsyncStream<Double> { control.positions() }

  var silence: String? {
    guard latestHearing().isRefused.load(ordering: .relaxed) else { return nil }
    return localized(
      """
      “\(source.url.lastPathComponent)” plays without sound because the sound server isn’t responding. Restart it, or log \
      out and back in.
      """)
  }
}

/// One run through a movie: the pipeline, the orders to it, and its end.
@PlaybackActor
private final class MoviePlaying {
  /// How a run ended.
  enum Ending: Sendable {
    /// At the movie's end, or when it was told to.
    case over
    /// The sound output hangs or broke: the pictures may go on without it.
    case soundLost
  }

  private let pipeline: MoviePipeline
  private let control: MovieControl
  private let end: OneShot<Void, CameraError>
  /// Counts what arrives at the sinks.
  private let progress = MovieProgress()
  private let hearing: Hearing
  private let receiver: PlayedFrameReceiver
  private let isSoundLost: SoundLoss
  /// Whether the sinks are prerolled, before which nothing can seek.
  private var isReady = false
  private var isHeld = false

  /// - Parameter output: `nil` without sound.
  init(
    _ source: MovieSource, output: SoundOutput?, hearing: Hearing, pump: PreviewPump, control: MovieControl,
    end: OneShot<Void, CameraError>
  ) async throws(CameraError) {
    self.control = control
    self.end = end
    self.hearing = hearing
    let progress = progress
    let receiver = PlayedFrameReceiver(pump: pump, control: control, progress: progress)
    self.receiver = receiver
    isSoundLost = SoundLoss(end)
    let sound = output.map { output -> @Sendable () -> Element? in
      {
        let sink = output.openBlocking()
        if let sink {
          progress.countPackets(of: sink, pad: "sink")
          progress.noteEnd(at: sink, pad: "sink")
        }
        hearing.isOpen.store(sink != nil, ordering: .relaxed)
        hearing.isRefused.store(sink == nil && !output.answers, ordering: .relaxed)
        return sink
      }
    }
    let outputs = MoviePipeline.Outputs(
      picture: { () throws(CameraError) in
        let sink = try AppSink.make(receiver: receiver, isSynchronized: true)
        hearing.pictures.countPackets(of: sink, pad: "sink")
        return [sink]
      },
      sound: sound, onLinked: { hearing.linked(at: .now) })
    let bytes = try await MovieBytes.open(source)
    pipeline = try MoviePipeline(bytes, kind: "movie", outputs) { end.decide($0) }
    pump.reset()
  }

  /// - Parameter patience: The time without a picture or sound, while it plays with sound, after which it is given up. A
  ///   sound server that hangs keeps the pictures waiting as well.
  func run(patience: TimeSpan) async throws(CameraError) -> Ending {
    let result: Result<Void, CameraError>
    do throws(CameraError) { result = .success(try await play(patience)) } catch { result = .failure(error) }
    receiver.close()
    if isSoundLost.hasCome {
      pipeline.abandon()
      return .soundLost
    }
    await pipeline.stop()
    try result.get()
    return .over
  }

  private func play(_ patience: TimeSpan) async throws(CameraError) {
    let (control, hearing, end, isSoundLost) = (control, hearing, end, isSoundLost)
    let watchdog = progress.watch(
      patience,
      isExcused: { [progress] in
        // The decoder takes its time; and after the end of its sound a movie has none to lose.
        control.isPaused || !hearing.isOpen.load(ordering: .relaxed) || hearing.awaitsPicture(at: .now)
          || progress.isIndexing.load(ordering: .relaxed)
      }
    ) { isSoundLost.come() }
    defer { watchdog.cancel() }
    let orders = control.orders()
    let follower = Task { [weak self] in
      for await _ in orders { self?.obey() }
    }
    defer { follower.cancel() }
    let readiness = pipeline.readiness
    let readier = Task { [weak self] in
      for await _ in readiness { self?.becameReady() }
    }
    defer { readier.cancel() }
    // A run that goes on with the one before seeks first, and then plays.
    isHeld = control.isPaused || control.isSeekWanted
    pipeline.start(isPaused: isHeld) { isSoundLost.come() }
    do throws(CameraError) {
      // No time limit: the movie ends by itself.
      try await end.wait(orWhenCancelled: .notRunning)
    } catch {
      if !Task.isCancelled { throw error }
    }
  }

  private func becameReady() {
    isReady = true
    hearing.becameReady()
    obey()
  }

  /// Carries out the orders that have come meanwhile.
  private func obey() {
    guard isReady else { return }
    if let seconds = control.takeSeek() {
      // The rest of the orders when that is done.
      return seek(to: .seconds(min(seconds, 1_000_000)))
    }
    guard control.isPaused != isHeld else { return }
    isHeld = control.isPaused
    pipeline.setPaused(isHeld)
  }

  private func seek(to time: TimeSpan) {
    // `readiness` yields again when it has been done. A movie that can't seek plays on.
    isReady = false
    hearing.seekBegan(at: .now)
    progress.isIndexing.store(false, ordering: .relaxed)
    pipeline.seekInBackground(to: time) { [weak self] isDone in
      if !isDone { Task { await self?.becameReady() } }
    }
  }
}

/// Ends a run because of its sound. Any thread.
private final class SoundLoss: Sendable {
  private let end: OneShot<Void, CameraError>
  private let isLost = Atomic(false)

  init(_ end: OneShot<Void, CameraError>) { self.end = end }

  /// Whether that was the first end of the run.
  var hasCome: Bool { isLost.load(ordering: .acquiring) && end.result.map { (try? $0.get()) == nil } ?? false }

  func come() {
    isLost.store(true, ordering: .releasing)
    end.decide(.failure(.notRunning))
  }
}

/// Hands the pictures of a movie to the preview, each when its time has come.
private final class PlayedFrameReceiver: SampleReceiver {
  private let pump: PreviewPump
  private let control: MovieControl
  private let progress: MovieProgress
  private let isClosed = Atomic(false)

  /// Takes nothing from now on: the pipeline may hang, and another one goes on.
  func close() { isClosed.store(true, ordering: .releasing) }

  init(pump: PreviewPump, control: MovieControl, progress: MovieProgress) {
    (self.pump, self.control, self.progress) = (pump, control, progress)
  }

  /// While the movie is paused, the prerolled picture is the one to see.
  func receivePreroll(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?,
    segment: UnsafeMutablePointer<GstSegment>?
  ) {
    if control.isPaused { receive(buffer, caps: caps, segment: segment) }
  }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    receive(buffer, caps: caps, segment: nil)
  }

  func receive(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?,
    segment: UnsafeMutablePointer<GstSegment>?
  ) {
    progress.fed.add(1, ordering: .relaxed)
    guard !isClosed.load(ordering: .acquiring), let caps, let frame = CameraFrame.copying(buffer, caps: caps) else {
      return
    }
    let time = buffer.movieTime(by: segment)
    pump.offer(frame, movieTime: Double(time ?? 0) / 1_000_000_000)
    if let time { control.showed(nanoseconds: time) }
  }
}
