// The choice of resolution and frame rate.

import CameraCore
import CameraModels
import EngineInterface
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30))) struct CameraModelModesTests {
  private static let hd = PixelSize(width: 1280, height: 720)
  private static let fullHD = PixelSize(width: 1920, height: 1080)

  /// A camera with two sizes, of which the larger is slower.
  private func bench(_ settings: AppSettings = AppSettings()) async throws -> ModelBench {
    let bench = try await ModelBench(settings: settings)
    let camera = CameraDevice(
      id: "cam-1", name: "Webcam", kind: .v4l2(path: "/dev/video9"),
      formats: [
        CameraFormat(encoding: .motionJPEG, size: Self.hd, frameRates: [FrameRate(60), FrameRate(30)]),
        CameraFormat(encoding: .motionJPEG, size: Self.fullHD, frameRates: [FrameRate(30)]),
      ])
    bench.camera.with { $0.devices = DeviceList(cameras: [camera, ScriptedCamera.test], microphones: []) }
    await bench.model.start()
    await ModelBench.until { bench.model.camera == camera }
    return bench
  }

  @Test func aChosenSizeIsOpenedAndRememberedForItsCamera() async throws {
    let bench = try await bench()
    #expect(bench.model.modes.sizes == [Self.fullHD, Self.hd])
    #expect(bench.model.chosenSize == nil && !bench.model.isHighResolution)
    await bench.model.setHighResolution(true)
    #expect(bench.model.session?.format.size == Self.fullHD && bench.model.isHighResolution)
    #expect(bench.settings.values.cameras["cam-1"]?.size == Self.fullHD)
    #expect(bench.messages.messages.last?.text == "Camera set to 1920 × 1080, 30 fps.")
    await bench.model.setHighResolution(false)
    #expect(bench.model.session?.format.size == Self.hd && bench.model.chosenSize == nil)
    try await bench.end()
  }

  @Test func aChosenRateIsOpenedAndGivesWayToTheSize() async throws {
    let bench = try await bench()
    await bench.model.selectRate(FrameRate(60))
    #expect(bench.model.session?.frameRate == FrameRate(60) && bench.model.chosenRate == FrameRate(60))
    await bench.model.selectSize(Self.fullHD)
    #expect(bench.model.session?.frameRate == FrameRate(30))
    #expect(bench.model.chosenRate == nil, "it isn't offered at this size")
    await bench.model.selectSize(nil)
    #expect(bench.model.session?.frameRate == FrameRate(60))
    try await bench.end()
  }

  @Test func aRememberedSizeThatIsNoLongerOfferedIsNotShown() async throws {
    var settings = AppSettings()
    settings.cameras["cam-1"] = .init(size: PixelSize(width: 4000, height: 3000), rate: FrameRate(120))
    let bench = try await bench(settings)
    #expect(bench.model.chosenSize == nil && bench.model.chosenRate == nil && bench.model.session != nil)
    try await bench.end()
  }
}
