// PhotoMe's models, engine and library in this process, as in the window, with a painter that paints nothing.

import CameraCore
import CameraModels
import EngineInterface
import Foundation
import MediaEngine
import Observation
import PhotoLibrary

/// The whole camera but for GTK: what is measured here is the same code that the window runs.
@MainActor
final class Studio {
  let engine = CameraEngine()
  let library: PhotoLibrary
  let strip: ThumbnailStripModel
  let model: CameraModel

  /// Opens a library in an empty folder, and a camera.
  init(folder: URL, camera: CameraConfiguration) async throws {
    library = try await PhotoLibrary.open(
      at: folder.appendingPathComponent("PhotoMe"), index: folder.appendingPathComponent("index.sqlite"))
    let messages = MessageModel()
    let settings = SettingsModel(store: TransientSettingsStore(), messages: messages)
    strip = ThumbnailStripModel(library: library, images: ImageManager())
    model = CameraModel(service: engine, library: library, strip: strip, settings: settings, messages: messages)
    await strip.start()
    // Each frame is taken and noted as shown, as the window's paintable does.
    let preview = engine.preview
    preview.setFrameHandler { [weak preview] in
      guard let preview, let frame = preview.takeFrame() else { return }
      preview.markShown(frame.time, at: .now)
    }
    preview.setTarget(PixelSize(width: 1280, height: 720))
    try await model.open(camera)
  }

  func close() async {
    engine.preview.setFrameHandler(nil)
    await model.shutDown()
    await library.close()
  }

  /// Presses the shutter and returns how long it took, in milliseconds, until the strip had the thumbnail, and until the
  /// file was durable under its name.
  func shoot() async throws -> (thumbnail: Double, saved: Double) {
    let pressed = MonotonicTime.now
    guard let shot = model.takePhoto(pressed: pressed) else { throw model.status.error ?? CameraError.notRunning }
    await until { self.strip.items.contains { $0.id == shot.assetID } }
    let thumbnail = (MonotonicTime.now - pressed).seconds * 1000
    let saved = try await shot.saved
    return (thumbnail, saved.pressToSaved.seconds * 1000)
  }

  /// Takes one live photo without sound.
  ///
  /// - Returns: Its file; `nil` when it has no movie.
  func shootLive() async throws -> URL? {
    await model.microphones.select(.none)
    await model.live.setOn(true)
    await engine.waitForPreRoll()
    guard let shot = model.takePhoto() else { throw model.status.error ?? CameraError.notRunning }
    let saved = try await shot.saved
    return saved.isLive ? saved.url : nil
  }

  /// Presses evenly over one second, and waits for the files.
  ///
  /// - Returns: The number of different files, and the reasons why others are missing.
  func burst(presses: Int) async throws -> (saved: Int, failures: [String]) {
    let first = MonotonicTime.now
    var shots: [PhotoCapture] = []
    for number in 0..<presses {
      let wait = first + .seconds(Double(number) / Double(presses)) - .now
      if wait > .zero { try await Task.sleep(nanoseconds: UInt64(wait.nanoseconds)) }
      if let shot = model.takePhoto() { shots.append(shot) }
    }
    var saved: Set<URL> = []
    var failures: [String] = []
    for shot in shots {
      do { saved.insert(try await shot.saved.url) } catch { failures.append("\(error)") }
    }
    return (saved.filter { FileManager.default.fileExists(atPath: $0.path) }.count, failures)
  }

  /// The preview's counts at an instant when no frame is under way.
  func idleStatistics() async throws -> PreviewStatistics {
    var last = engine.preview.statistics
    while true {
      try await Task.sleep(nanoseconds: 12_000_000)
      let now = engine.preview.statistics
      if now == last { return now }
      last = now
    }
  }

  /// Waits until a condition on the models holds.
  private func until(_ condition: @MainActor () -> Bool) async {
    while true {
      let (changes, sink) = AsyncStream.makeStream(of: Void.self)
      if withObservationTracking(condition, onChange: { sink.yield() }) { return }
      for await _ in changes { break }
    }
  }
}
