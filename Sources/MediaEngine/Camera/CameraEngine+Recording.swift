// Recording of one movie, from the request to its finished file.

import CameraCore
import EngineInterface
import Foundation

extension CameraEngine: MovieRecording {
  public func record(_ settings: RecordingSettings) -> AsyncThrowingStream<RecordingEvent, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: RecordingEvent.self, throwing: (any Error).self)
    let (store, core) = (store, core)
    let recorder = MovieRecorder(settings, recordingEnvironment) {
      continuation.yield($0)
    } onLastFrame: { [weak store] in
      store?.end($0)
    }
    do throws(CameraError) {
      let source = try store.begin(recorder)
      // Dropping the stream ends the movie; its file is finished as ever.
      continuation.onTermination = { if case .cancelled = $0 { recorder.stop() } }
      Task.detached(priority: .userInitiated) {
        do {
          let movie = try await Self.record(source, settings, recorder, store, core)
          continuation.yield(.finished(movie))
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
    } catch { continuation.finish(throwing: error) }
    return stream
  }

  public func hevcRefusal() -> CameraError? { VideoEncoder.hevcRefusal() }

  public func room(for settings: RecordingSettings) async -> TimeSpan? {
    guard let session = store.withState({ $0.session }) else { return nil }
    let environment = recordingEnvironment
    return await Blocking.run {
      guard let free = environment.freeBytes(settings.folder) else { return nil }
      let encoder = VideoEncoder.candidates(
        for: settings.codec, isDeep: session.isHDR && !settings.isStabilized, deep: environment.deepEncoders,
        hevc: environment.hevcEncoders, h264: environment.encoders
      ).first
      return MovieRecorder.time(
        until: free,
        byteRate: MovieRecorder.byteRate(
          session.format.size, session.frameRate, settings.quality, encoder?.coding ?? .h264))
    }
  }

  public func pauseRecording() { store.recorder?.pause() }

  public func resumeRecording() { store.recorder?.resume() }

  public func stopRecording() { store.recorder?.stop() }

  public func recoverRecordings(in folder: URL) async -> [RecoveredRecording] {
    await Blocking.run { UnfinishedMovies.recover(in: folder) }
  }

  private static func record(
    _ source: CaptureStore.RecordingSource, _ settings: RecordingSettings, _ recorder: MovieRecorder,
    _ store: CaptureStore, _ core: EngineCore
  ) async throws(CameraError) -> RecordedMovie {
    // The microphone of Live stays as it is when the movie is to have no sound.
    var sound = settings.microphone == .none ? LiveSound.off : await core.setRecordingSound(settings.microphone)
    // The microphone opens with the camera's first frame.
    if sound == .off, settings.microphone != .none { sound = .awaited }
    var channels: Int?
    if case .recording = sound { channels = store.soundChannels ?? 1 }
    if sound == .awaited { channels = 1 }
    let input = MovieRecorder.Input(
      frames: source.frames, isHDR: source.session.isHDR, rate: source.session.frameRate, sound: sound,
      channels: channels)
    let movie: Result<RecordedMovie, CameraError>
    do throws(CameraError) { movie = .success(try await recorder.run(input)) } catch { movie = .failure(error) }
    // The movie has its name; a sound server that hangs doesn't hold that up.
    Task { await core.endRecordingSound() }
    return try movie.get()
  }
}
