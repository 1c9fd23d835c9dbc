// Figures: memory of the preview and of the live photo ring.

import CameraCore
import MediaEngine

extension Bench {
  func measureMemory() async throws -> [Figure] {
    say("Memory in preview, 720p Motion JPEG, against Cheese")
    let ours = try memoryInPreview(of: photoMe())
    let (cheese, note) = ifAvailable("Cheese") { try memoryInPreview(of: .cheese) }
    let preview = Figure(
      "memory in preview, 720p30", value: ours.resident, unit: "MB", peer: cheese?.resident,
      peerName: Contestant.cheese.name, peerCommand: Contestant.cheese.commandLine, goal: .atMost(120),
      note: note
        ?? "resident, with what is shared; without: \(Figure.number(ours.proportional)) MB, "
        + "the peer \(Figure.number(cheese?.proportional ?? .infinity)) MB")
    return [preview] + (try await ringMemory())
  }

  private func memoryInPreview(of contestant: Contestant) throws -> (resident: Double, proportional: Double) {
    let size = PixelSize(width: 1280, height: 720)
    let camera = try BenchCamera(on: desktop, encoding: .motionJPEG, size: size)
    defer { camera.unplug() }
    let performance = try Performance(of: contestant, on: desktop)
    defer { performance.end() }
    try performance.showPicture(at: size)
    pass(seconds: isQuick ? 3 : 10)
    let memory = ProcessUsage.memory(of: performance.process.pid)
    guard performance.process.isRunning else {
      throw BenchError("\(contestant.name) ended: \(performance.process.lastWords)")
    }
    return (Double(memory.resident) / 1e6, Double(memory.proportional) / 1e6)
  }

  /// The ring's bytes with Live on, in this process, with the built-in test camera and its tone.
  private func ringMemory() async throws -> [Figure] {
    say("Memory of the ring of Live")
    let compressed = try await ringBytes(
      CameraConfiguration(
        cameraID: CameraDevice.testID, size: PixelSize(width: 1920, height: 1080), sizeIsExact: true,
        encoding: .motionJPEG))
    let raw = try await ringBytes(
      CameraConfiguration(
        cameraID: CameraDevice.testID, size: PixelSize(width: 1280, height: 720), sizeIsExact: true,
        encoding: .raw("I420")))
    return [
      Figure(
        "ring of Live, 1080p30 Motion JPEG with sound", value: Double(compressed) / 1e6, unit: "MB", goal: .atMost(12)),
      Figure(
        "ring of Live, 720p30 raw with sound", value: Double(raw) / Double(1 << 20), unit: "MiB", goal: .atMost(64)),
    ]
  }

  /// The most that the ring held within some seconds after it was full.
  private func ringBytes(_ configuration: CameraConfiguration) async throws -> Int {
    let engine = CameraEngine()
    try await engine.start(configuration)
    await engine.setLive(true, microphone: .device(CameraDevice.testID))
    await engine.waitForPreRoll()
    var most = 0
    for _ in 0..<(isQuick ? 40 : 100) {
      try await Task.sleep(nanoseconds: 50_000_000)
      most = max(most, engine.ringByteCount)
    }
    await engine.setLive(false, microphone: .none)
    await engine.stop()
    return most
  }
}
