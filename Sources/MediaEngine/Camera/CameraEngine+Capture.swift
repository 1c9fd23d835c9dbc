// Capture of one shot, from the press to its last event.

import CameraCore
import Foundation

extension CameraEngine {
  public func capture(_ settings: PhotoSettings) -> AsyncThrowingStream<CaptureEvent, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: CaptureEvent.self, throwing: (any Error).self)
    guard let choice = store.choose(pressed: settings.pressed, isLive: settings.isLive) else {
      continuation.finish(throwing: CameraError.notRunning)
      return stream
    }
    let resolved = ResolvedPhotoSettings(
      id: choice.id, isLive: settings.isLive, size: choice.frame.size, stillTime: choice.frame.time,
      date: Date(timeIntervalSinceNow: (choice.frame.time - .now).seconds), camera: choice.session.camera,
      microphone: choice.microphone)
    continuation.yield(.willBegin(resolved))
    continuation.yield(.willCapture)
    continuation.yield(.didCapture)
    let (store, writer) = (store, writer)
    let work = Task.detached(priority: .userInitiated) {
      do {
        try await Self.finish(choice, settings, store, writer) { continuation.yield($0) }
        continuation.finish()
      } catch {
        store.abandon(choice.id)
        continuation.finish(throwing: error)
      }
    }
    // Dropping the stream gives up the shot, and with it its hold on the ring.
    continuation.onTermination = { if case .cancelled = $0 { work.cancel() } }
    return stream
  }

  private static func finish(
    _ choice: CaptureStore.Choice, _ settings: PhotoSettings, _ store: CaptureStore, _ writer: LivePhotoWriter,
    _ send: @Sendable (CaptureEvent) -> Void
  ) async throws(CameraError) {
    let jpeg = try StillMaker.jpeg(of: choice.frame)
    let thumbnail = try StillMaker.thumbnail(of: jpeg)
    send(.thumbnail(thumbnail))
    let data = jpeg.withUnsafeBytes { Data($0) }
    send(.photo(CapturedPhoto(jpeg: data, thumbnail: thumbnail, size: choice.frame.size)))
    guard settings.isLive else { return }
    guard let window = await store.gather(choice.id) else { throw .movieFailed(message: "it was canceled") }
    send(.movieRecorded)
    // The writer lets the frames go one by one, if nobody else holds them.
    send(.movie(try await writer.write(consume window, into: settings.movieFolder)))
  }
}
