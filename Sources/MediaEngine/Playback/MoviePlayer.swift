// Playback of movies with GStreamer.

import CGStreamer
import CameraCore
import EngineInterface
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
  private let pump = PreviewPump(name: "movie")
  private let control = MovieControl()
  private let current = Mutex<OneShot<Void, CameraError>?>(nil)

  /// - Parameter isMuted: Whether its sound is left out.
  init(_ source: MovieSource, isMuted: Bool) {
    self.source = source
    self.isMuted = isMuted
  }

  func play() async throws(CameraError) {
    let end = OneShot<Void, CameraError>()
    begin(end)
    defer { forget(end) }
    guard !Task.isCancelled else { return }
    let playing = try await MoviePlaying(source, isMuted: isMuted, pump: pump, control: control, end: end)
    try await playing.run()
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

  func stop() { current.withLock { $0 }?.decide(.success(())) }

  func setPaused(_ isPaused: Bool) { control.setPaused(isPaused) }

  func seek(to seconds: Double) { control.seek(to: seconds) }

  func positions() -> AsyncStream<Double> { control.positions() }
}

/// One run through a movie: the pipeline, the orders to it, and its end.
@PipelineActor
private final class MoviePlaying {
  private let pipeline: MoviePipeline
  private let control: MovieControl
  private let end: OneShot<Void, CameraError>
  /// Whether the sinks are prerolled, before which nothing can seek.
  private var isReady = false
  private var isHeld = false

  init(
    _ source: MovieSource, isMuted: Bool, pump: PreviewPump, control: MovieControl, end: OneShot<Void, CameraError>
  ) throws(CameraError) {
    self.control = control
    self.end = end
    let receiver = PlayedFrameReceiver(pump: pump, control: control)
    let outputs = MoviePipeline.Outputs(
      picture: { () throws(CameraError) in [try AppSink.make(receiver: receiver, isSynchronized: true)] },
      sound: isMuted ? nil : Self.openSound)
    pipeline = try MoviePipeline(source, kind: "movie", outputs) { end.decide($0) }
    pump.reset()
  }

  private nonisolated static let openSound: @Sendable () -> Element? = { SoundOutput.open() }

  func run() async throws(CameraError) {
    defer { pipeline.stop() }
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
    isHeld = control.isPaused
    pipeline.start(isPaused: isHeld)
    do throws(CameraError) {
      // No time limit: the movie ends by itself.
      try await end.wait(orWhenCancelled: .notRunning)
    } catch {
      if !Task.isCancelled { throw error }
    }
  }

  private func becameReady() {
    isReady = true
    obey()
  }

  /// Carries out the orders that have come meanwhile.
  private func obey() {
    guard isReady else { return }
    if let seconds = control.takeSeek() {
      // `readiness` yields again when it has been done. A movie that can't seek plays on.
      if pipeline.seek(to: .seconds(min(seconds, 1_000_000))) { isReady = false }
    }
    guard control.isPaused != isHeld else { return }
    isHeld = control.isPaused
    pipeline.setPaused(isHeld)
  }
}

/// Hands the pictures of a movie to the preview, each when its time has come.
private final class PlayedFrameReceiver: SampleReceiver {
  private let pump: PreviewPump
  private let control: MovieControl

  init(pump: PreviewPump, control: MovieControl) {
    self.pump = pump
    self.control = control
  }

  /// While the movie is paused, the prerolled picture is the one to see.
  func receivePreroll(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    if control.isPaused { receive(buffer, caps: caps) }
  }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    guard let caps, let frame = CameraFrame.copying(buffer, caps: caps) else { return }
    let time = buffer.pointee.pts == GStreamerRuntime.noTime ? nil : UInt64(buffer.pointee.pts)
    pump.offer(frame, movieTime: Double(time ?? 0) / 1_000_000_000)
    if let time { control.showed(nanoseconds: time) }
  }
}
