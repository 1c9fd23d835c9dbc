// The options at the viewfinder: those of the mode, and those that the camera has.

import CameraCore
import CameraModels
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30))) struct OfferedOptionsTests {
  private func bench(_ formats: [CameraFormat]) async throws -> ModelBench {
    let bench = try await ModelBench()
    let camera = CameraDevice(
      id: "cam-1", name: "Webcam", kind: .v4l2(path: "/dev/video9"), formats: formats)
    bench.camera.with { $0.devices = DeviceList(cameras: [camera, ScriptedCamera.test], microphones: []) }
    await bench.model.start()
    await ModelBench.until { bench.model.camera == camera }
    return bench
  }

  private static func format(_ encoding: FrameEncoding, _ width: Int, _ height: Int) -> CameraFormat {
    CameraFormat(
      encoding: encoding, size: PixelSize(width: width, height: height), frameRates: [FrameRate(30)])
  }

  @Test func theNumberOfPhotosBelongsToAnInterval() async throws {
    let bench = try await bench([Self.format(.motionJPEG, 640, 480)])
    let plain: [CaptureOption] = [.countdown, .interval, .booth, .flash, .mirror, .guides, .photoQuality, .photoFormat]
    #expect(bench.model.offeredOptions == plain)
    bench.model.setInterval(.minute)
    #expect(Set(bench.model.offeredOptions) == Set(plain + [.intervalCount]))
    try await bench.end()
  }

  @Test func aCameraWithRawFramesOffersThem() async throws {
    let bench = try await bench([Self.format(.motionJPEG, 640, 480), Self.format(.bayer("rggb"), 640, 480)])
    #expect(bench.model.offeredOptions.contains(.raw))
    try await bench.end()
  }

  @Test func moviesHaveOptionsOfTheirOwn() async throws {
    let bench = try await bench([Self.format(.motionJPEG, 640, 480)])
    let movies = MovieModel(
      service: ScriptedRecorder(), library: bench.library, live: bench.model.live, settings: bench.settings,
      messages: bench.messages)
    bench.model.movies = movies
    movies.setMode(.movie)
    #expect(bench.model.offeredOptions == [.countdown, .mirror, .guides, .movieQuality, .stabilization])
    movies.setMode(.photo)
    #expect(bench.model.offeredOptions.contains(.photoFormat))
    try await bench.end()
  }

  @Test func resolutionsAreOfferedWhereThereIsAChoice() async throws {
    let one = try await bench([Self.format(.motionJPEG, 640, 480)])
    #expect(one.model.offeredSizes.isEmpty)
    try await one.end()
    let two = try await bench([Self.format(.motionJPEG, 640, 480), Self.format(.motionJPEG, 1280, 720)])
    #expect(two.model.offeredSizes.map { two.model.title(of: $0) } == ["1280 × 720", "640 × 480"])
    #expect(two.model.title(of: nil) == "Automatic")
    try await two.end()
  }

  @Test func aFormatThatCanNotBeWrittenIsNotOffered() async throws {
    let bench = try await bench([Self.format(.motionJPEG, 640, 480)])
    bench.camera.with { $0.refusals[.avif] = "the encoder is missing" }
    #expect(PhotoFormat.allCases.filter(bench.model.offers) == [.jpeg, .heic, .png])
    try await bench.end()
  }
}
