// High dynamic range: the setting, the modes, and the cameras that have none.

import CameraCore
import CameraModels
import EngineInterface
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30))) struct CameraModelHDRTests {
  private static let size = PixelSize(width: 1280, height: 720)

  private func bench(deep: Bool) async throws -> ModelBench {
    let bench = try await ModelBench(settings: AppSettings())
    let encodings: [FrameEncoding] = [.motionJPEG] + (deep ? [.raw("P010_10LE")] : [])
    let camera = CameraDevice(
      id: "cam-1", name: "Webcam", kind: .v4l2(path: "/dev/video9"),
      formats: encodings.map { CameraFormat(encoding: $0, size: Self.size, frameRates: [FrameRate(30)]) })
    bench.camera.with { $0.devices = DeviceList(cameras: [camera, ScriptedCamera.test], microphones: []) }
    await bench.model.start()
    await ModelBench.until { bench.model.camera == camera }
    return bench
  }

  @Test func theModeWithTenBitsIsOpenedAndRememberedForTheCamera() async throws {
    let bench = try await bench(deep: true)
    #expect(bench.model.hasHDR && !bench.model.isHDR)
    #expect(bench.model.session?.format.encoding == .motionJPEG)
    await bench.model.setHDR(true)
    #expect(bench.model.session?.format.encoding == .raw("P010_10LE") && bench.model.session?.isHDR == true)
    #expect(bench.model.isHDR && bench.settings.values.cameras["cam-1"]?.isHDR == true)
    #expect(bench.messages.messages.last?.text == "Camera set to 1280 × 720, 30 fps, 10-bit.")
    #expect(bench.model.modes.isDeep(Self.size))
    await bench.model.setHDR(false)
    #expect(bench.model.session?.format.encoding == .motionJPEG && bench.model.session?.isHDR == false)
    try await bench.end()
  }

  @Test func aCameraWithoutThemOffersNothing() async throws {
    let bench = try await bench(deep: false)
    #expect(!bench.model.hasHDR && !bench.model.isHDR)
    try await bench.end()
  }

  @Test func theNoteNamesTheFormatsThatKeepThem() async throws {
    let bench = try await bench(deep: true)
    bench.model.setPhotoFormat(.heic)
    #expect(bench.model.hdrNote.hasPrefix("HEIC photos keep 10 bits. Videos are HEVC with 10 bits. With Live on, "))
    bench.settings.update { $0.movieCodec = .h264 }
    #expect(bench.model.hdrNote.contains("Videos have 8 bits, because H.264 is chosen for them. "))
    try await bench.end()
  }
}
