// The fixture of the models' tests: a scripted camera and a library in a folder of its own.

import CameraCore
import CameraModels
import Foundation
import Observation
import PhotoLibrary
import Testing

@MainActor
final class ModelBench {
  let folder: URL
  let camera = ScriptedCamera()
  let messages = MessageModel()
  let store: TransientSettingsStore
  let settings: SettingsModel
  let library: PhotoLibrary
  let strip: ThumbnailStripModel
  let model: CameraModel
  /// The sensor's own frame of the shots that want one; `nil` where it gets lost.
  var rawFrame: BayerFrame?

  /// - Parameters:
  ///   - libraryFolder: `nil` takes an empty folder.
  ///   - clock: Measures countdowns.
  init(
    settings values: AppSettings = AppSettings(), libraryFolder: URL? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-models-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = TransientSettingsStore(values)
    settings = SettingsModel(store: store, messages: messages)
    library = try await PhotoLibrary.open(
      at: libraryFolder ?? folder.appendingPathComponent("PhotoMe"),
      index: folder.appendingPathComponent("index.sqlite"))
    strip = ThumbnailStripModel(library: library, images: ImageManager())
    model = CameraModel(
      service: camera, library: library, strip: strip, settings: settings, messages: messages, clock: clock)
  }

  /// Closes the library and removes what the test made.
  func end() async throws {
    await library.close()
    try FileManager.default.removeItem(at: folder)
  }

  /// Plays the engine's part of a shot up to its still.
  func expose(_ capture: ScriptedCamera.Capture) {
    let id = CaptureID(rawValue: UInt64(capture.settings.pressed.nanoseconds))
    let wantsRaw = model.session?.savesRaw == true && !capture.settings.isOfBurst
    let resolved = ResolvedPhotoSettings(
      id: id, isLive: capture.settings.isLive, size: SampleMedia.photo.size, stillTime: capture.settings.pressed,
      date: Date(), camera: ScriptedCamera.webcam, microphone: nil, wantsRaw: wantsRaw,
      group: capture.settings.group)
    capture.sink.yield(.willBegin(resolved))
    capture.sink.yield(.willCapture)
    capture.sink.yield(.didCapture)
    capture.sink.yield(.thumbnail(SampleMedia.jpeg))
    var photo = SampleMedia.photo
    photo.raw = wantsRaw ? rawFrame : nil
    capture.sink.yield(.photo(photo))
    if !capture.settings.isLive { capture.sink.finish() }
  }

  var captures: [ScriptedCamera.Capture] { camera.with { $0.captures } }

  /// Waits until a condition on observable models holds; the suites' time limits end a wait that never does.
  func until(_ condition: @MainActor () -> Bool) async { await Self.until(condition) }

  static func until(_ condition: @MainActor () -> Bool) async {
    while !Task.isCancelled {
      let (changes, sink) = AsyncStream.makeStream(of: Void.self)
      if withObservationTracking(condition, onChange: { sink.yield() }) { return }
      for await _ in changes { break }
    }
  }
}
