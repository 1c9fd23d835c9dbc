// Figures: from the start to the first frame on the screen.

import CameraCore
import MediaEngine

extension Bench {
  func measureStart() throws -> [Figure] {
    say("Start to the first frame on the screen, against Cheese")
    let size = PixelSize(width: 1280, height: 720)
    let camera = try BenchCamera(on: desktop, encoding: .motionJPEG, size: size)
    defer { camera.unplug() }
    var ours: [Double] = []
    var cheese: [Double] = []
    let ownPlace = try place(of: photoMe())
    let (cheesePlace, note) = ifAvailable("Cheese") { try place(of: .cheese) }
    for _ in 0..<(isQuick ? 3 : 7) {
      ours.append(try start(photoMe(), at: ownPlace))
      if let cheesePlace, let time = ifAvailable("Cheese", { try start(.cheese, at: cheesePlace) }).result {
        cheese.append(time)
      }
    }
    say("  PhotoMe: \(ours.map(Figure.number)), Cheese: \(cheese.map(Figure.number))")
    return [
      Figure(
        "start → first preview frame", value: ours.median, unit: "s", peer: cheese.median,
        peerName: Contestant.cheese.name, peerCommand: Contestant.cheese.commandLine, goal: .ratio(atMost: 0.6),
        note: note)
    ]
  }

  /// The place of a program's picture after its start, found in a first start that also fills the caches.
  private func place(of contestant: Contestant) throws -> PictureOnScreen {
    let performance = try Performance(of: contestant, on: desktop)
    defer { performance.end() }
    return try performance.findPicture()
  }

  /// Seconds until the picture's frame number can be read where the picture will be.
  private func start(_ contestant: Contestant, at place: PictureOnScreen) throws -> Double {
    // The camera and PipeWire settle after the last reader left.
    pass(seconds: 1)
    let screen = try desktop.screen
    let began = ContinuousClock.now
    // Frames of an earlier start have lower numbers.
    let first = UInt32(truncatingIfNeeded: TestCamera.frameNumber(at: .now, rate: CameraCommand.rate))
    let performance = try Performance(of: contestant, on: desktop)
    defer { performance.end() }
    var seconds = 0.0
    let isShown = waitUntil(seconds: 15, interval: 0.002) {
      guard let number = place.number(on: screen), number >= first else { return !performance.process.isRunning }
      seconds = (ContinuousClock.now - began) / .seconds(1)
      return true
    }
    guard isShown, seconds > 0 else {
      throw BenchError("\(contestant.name) showed no picture: \(performance.process.lastWords)")
    }
    return seconds
  }
}
