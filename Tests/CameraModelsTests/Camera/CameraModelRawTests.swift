// Raw pictures: the setting, the modes, and the cameras that have none.

import CameraCore
import CameraModels
import EngineInterface
import Testing

@MainActor
@Suite(.timeLimit(.minutes(30))) struct CameraModelRawTests {
  private static let size = PixelSize(width: 1280, height: 720)

  private func bench(bayer: Bool) async throws -> ModelBench {
    let bench = try await ModelBench(settings: AppSettings())
    let encodings: [FrameEncoding] = [.motionJPEG] + (bayer ? [.bayer("rggb")] : [])
    let camera = CameraDevice(
      id: "cam-1", name: "Webcam", kind: .v4l2(path: "/dev/video9"),
      formats: encodings.map { CameraFormat(encoding: $0, size: Self.size, frameRates: [FrameRate(30)]) })
    bench.camera.with { $0.devices = DeviceList(cameras: [camera, ScriptedCamera.test], microphones: []) }
    await bench.model.start()
    await ModelBench.until { bench.model.camera == camera }
    return bench
  }

  @Test func theModeWithRawPicturesIsOpenedAndRemembered() async throws {
    let bench = try await bench(bayer: true)
    #expect(bench.model.rawRefusal == nil && !bench.model.savesRaw)
    #expect(bench.model.session?.format.encoding == .motionJPEG)
    await bench.model.setSavesRaw(true)
    #expect(bench.model.session?.format.encoding == .bayer("rggb"))
    #expect(bench.model.session?.savesRaw == true && bench.settings.values.savesRaw)
    #expect(bench.messages.messages.last?.text == "Each photo is now saved with a DNG file.")
    await bench.model.setSavesRaw(false)
    #expect(bench.model.session?.format.encoding == .motionJPEG && bench.model.session?.savesRaw == false)
    #expect(bench.messages.messages.last?.text == "RAW is off.")
    try await bench.end()
  }

  @Test(arguments: [false, true]) func aShotWithoutItsRawFrameSaysSo(isLost: Bool) async throws {
    let bench = try await bench(bayer: true)
    await bench.model.setSavesRaw(true)
    while bench.messages.takeNext() != nil {}
    bench.rawFrame = isLost ? nil : SampleMedia.rawFrame()
    let shot = try #require(bench.model.takePhoto())
    bench.captures.forEach(bench.expose)
    // What is chosen meanwhile doesn't count for it.
    await bench.model.setSavesRaw(false)
    let saved = try await shot.saved
    #expect(saved.shortfall == (isLost ? "The photo was saved without its DNG file." : nil))
    #expect((saved.rawURL == nil) == isLost)
    await bench.until { bench.model.activity == .idle }
    let texts = bench.messages.messages.map(\.text)
    #expect(texts.contains("The photo was saved without its DNG file.") == isLost && texts.contains("RAW is off."))
    try await bench.end()
  }

  @Test func aBurstHasNoneAndSaysSoAtItsBeginning() async throws {
    let bench = try await bench(bayer: true)
    await bench.model.setSavesRaw(true)
    while bench.messages.takeNext() != nil {}
    bench.rawFrame = SampleMedia.rawFrame()
    let shots = await bench.model.burst.take(1)
    #expect(bench.messages.takeNext()?.text == "Bursts are taken without RAW.")
    bench.captures.forEach(bench.expose)
    let saved = try await #require(shots.first).saved
    #expect(saved.rawURL == nil && saved.shortfall == nil)
    await bench.until { bench.model.activity == .idle }
    #expect(bench.messages.messages.isEmpty)
    try await bench.end()
  }

  @Test func aCameraWithoutThemSaysSoAndWorks() async throws {
    let bench = try await bench(bayer: false)
    #expect(
      bench.model.rawRefusal == "RAW isn’t available: “Webcam” doesn’t offer raw pictures")
    await bench.model.setSavesRaw(true)
    #expect(bench.model.session?.format.encoding == .motionJPEG && bench.model.session?.savesRaw == false)
    #expect(
      bench.messages.messages.map(\.text) == [
        "RAW is on, but “Webcam” doesn’t offer it. It will be used with the next camera that does."
      ])
    try await bench.end()
  }

  @Test func withoutACameraItWaitsForTheNextOne() async throws {
    let bench = try await ModelBench()
    await bench.model.setSavesRaw(true)
    #expect(bench.messages.messages.map(\.text) == ["RAW is on for the next camera that offers it."])
    try await bench.end()
  }
}
