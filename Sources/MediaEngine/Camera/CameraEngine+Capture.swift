// Capture of one shot, from the press to its last event.

import CameraCore
import Foundation

extension CameraEngine {
  public func capture(_ settings: PhotoSettings) -> AsyncThrowingStream<CaptureEvent, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: CaptureEvent.self, throwing: (any Error).self)
    let chosen = choose(settings)
    if let chosen { Self.announce(chosen, settings) { continuation.yield($0) } }
    let (store, writer) = (store, writer)
    let work = Task.detached(priority: .userInitiated) {
      do throws(CameraError) {
        let choice: CaptureStore.Choice
        if let chosen {
          choice = chosen
        } else {
          // The camera stands still, or is gone.
          choice = try await store.nextChoice(isLive: settings.isLive)
          Self.announce(choice, settings) { continuation.yield($0) }
        }
        defer { store.abandon(choice.id) }
        try await Self.finish(choice, settings, store, writer) { continuation.yield($0) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    // Dropping the stream gives up the shot, and with it its hold on the ring.
    continuation.onTermination = { if case .cancelled = $0 { work.cancel() } }
    return stream
  }

  /// The number of damaged frames that are skipped to find the picture of a shot.
  private static let attempts = 3

  /// Chooses the frame of a shot. What was on screen was decoded for that; any other frame is decoded here, since a frame
  /// that was cut on the cable must not become the picture.
  private func choose(_ settings: PhotoSettings) -> CaptureStore.Choice? {
    var limit: MonotonicTime?
    for _ in 0..<Self.attempts {
      guard
        let choice = store.choose(
          pressed: settings.pressed, isLive: settings.isLive, before: limit,
          companions: settings.quality == .quality ? StillStacking.most : 0)
      else { return nil }
      if choice.wasShown || StillMaker.isWhole(choice.frame) { return choice }
      store.abandon(choice.id)
      limit = choice.frame.time
    }
    return nil
  }

  private static func announce(
    _ choice: CaptureStore.Choice, _ settings: PhotoSettings, _ send: (CaptureEvent) -> Void
  ) {
    let resolved = ResolvedPhotoSettings(
      id: choice.id, isLive: settings.isLive, size: choice.frame.size, stillTime: choice.frame.time,
      date: Date(timeIntervalSinceNow: (choice.frame.time - .now).seconds), camera: choice.session.camera,
      microphone: choice.microphone, mayImprove: choice.companions.count >= StillStacking.fewest)
    send(.willBegin(resolved))
    send(.willCapture)
    send(.didCapture)
  }

  private static func finish(
    _ choice: CaptureStore.Choice, _ settings: PhotoSettings, _ store: CaptureStore, _ writer: LivePhotoWriter,
    _ send: @Sendable (CaptureEvent) -> Void
  ) async throws(CameraError) {
    let original = try StillMaker.jpeg(of: choice.frame, for: settings.quality)
    let jpeg = settings.isMirrored ? try StillMaker.mirrored(original, of: choice.frame) : original
    let thumbnail = try StillMaker.thumbnail(of: jpeg)
    send(.thumbnail(thumbnail))
    let data = jpeg.withUnsafeBytes { Data($0) }
    send(.photo(CapturedPhoto(jpeg: data, thumbnail: thumbnail, size: choice.frame.size, raw: choice.raw)))
    // Beside the sensor's own frame stands its picture, not that of several.
    if choice.raw == nil { improve(original, choice, isMirrored: settings.isMirrored, thumbnail, send) }
    guard settings.isLive else { return }
    guard var window = await store.gather(choice.id) else { throw .movieFailed(message: "it was canceled") }
    window.isMirrored = settings.isMirrored
    send(.movieRecorded)
    // The writer lets the frames go one by one, if nobody else holds them.
    send(.movie(try await writer.write(consume window, into: settings.movieFolder)))
  }

  /// Sends a still with less noise, where the frames around it allow. What fails costs nothing: the first still is safe.
  private static func improve(
    _ jpeg: FrameBlock, _ choice: CaptureStore.Choice, isMirrored: Bool, _ thumbnail: Data,
    _ send: (CaptureEvent) -> Void
  ) {
    guard let better = try? StillStacking.improved(jpeg, by: choice.companions),
      let shown = isMirrored ? try? JPEGMirror.mirrored(better.jpeg) : better.jpeg
    else { return }
    let data = shown.withUnsafeBytes { Data($0) }
    send(
      .improved(
        CapturedPhoto(jpeg: data, thumbnail: thumbnail, size: choice.frame.size, frameCount: better.frameCount)))
  }
}
