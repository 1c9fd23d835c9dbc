// Figures: how much memory the preview and the ring of Live take.

import CameraCore

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
}
