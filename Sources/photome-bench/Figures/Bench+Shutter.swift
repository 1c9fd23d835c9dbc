// Figures: from the press to the frame, the thumbnail and the file.

import CameraCore
import Foundation

extension Bench {
  func measureShutter() async throws -> [Figure] {
    let (chosen, seen) = try pressedFrames()
    let (cheeseTimes, note) = ifAvailable("Cheese") { try pressToFile(of: .cheese, in: "Webcam") }
    let cheese = cheeseTimes?.median
    let (thumbnails, files) = try await pressTimes()
    return [
      chosen,
      Figure(
        "press → thumbnail in the strip, 95th percentile", value: thumbnails.percentile(0.95), unit: "ms",
        goal: .atMost(50), note: times(thumbnails)),
      Figure(
        "press → photo durable on disk, 95th percentile", value: files.percentile(0.95), unit: "ms", peer: cheese,
        peerName: "Cheese, not durable", peerCommand: Contestant.cheese.commandLine, goal: .atMost(60),
        note: note ?? times(files)),
      Figure(
        "press → file, seen from outside, median", value: seen.median, unit: "ms", peer: cheese, peerName: "Cheese",
        note: times(seen)),
    ]
  }

  private func times(_ times: [Double]) -> String {
    "\(times.count) presses: median \(Figure.number(times.median ?? 0)), most \(Figure.number(times.max() ?? 0)) ms"
  }

  /// Presses the real button at random instants and compares the frame in the photo with the frame that was on the screen
  /// before and after the press: where both are the same, the photo must have it; where the screen changed in between,
  /// either is right.
  private func pressedFrames() throws -> (figure: Figure, times: [Double]) {
    let count = isQuick ? 25 : 100
    say("\(count) presses at random instants")
    let camera = try BenchCamera(on: desktop, encoding: .motionJPEG, size: PixelSize(width: 1280, height: 720))
    defer { camera.unplug() }
    let performance = try Performance(of: photoMe(), on: desktop)
    defer { performance.end() }
    let picture = try performance.findPicture()
    let screen = try desktop.screen
    let shutter = try ShutterOnScreen(of: performance, folder: pictures)
    var right = 0
    var unsure = 0
    var times: [Double] = []
    var wrong: [String] = []
    while right + wrong.count < count, unsure < count {
      let (before, since) = frameOnScreen(picture, after: .random(in: 0.15...0.6))
      let pressed = ContinuousClock.now
      shutter.press()
      let after = picture.number(on: screen)
      let photo = shutter.waitForPhoto(seconds: 5)
      let time = (ContinuousClock.now - pressed) / .seconds(0.001)
      // The bar was read while it was being painted: such a press proves nothing.
      guard let before, let after else {
        unsure += 1
        continue
      }
      if let photo, let number = ShutterOnScreen.frameNumber(in: photo), number == before || number == after {
        right += 1
        times.append(time)
      } else {
        let got = photo.flatMap(ShutterOnScreen.frameNumber)
        let age = Figure.number((pressed - since) / .seconds(0.001))
        wrong.append("\(got.map(String.init) ?? "no photo") for \(before)–\(after), \(age) ms on screen")
      }
    }
    wrong.forEach { say("  wrong: frame \($0)") }
    let figure = Figure(
      "press → the frame that was on screen", value: Double(right), unit: "of \(count)", goal: .atLeast(Double(count)),
      note: wrong.isEmpty ? nil : "wrong: frame \(wrong.joined(separator: ", "))")
    return (figure, times)
  }

  /// Watches the screen for a while; says which frame was on it in the end, and since when as nearly as a reader of the
  /// screen can tell.
  private func frameOnScreen(
    _ picture: PictureOnScreen, after seconds: Double
  ) -> (number: UInt32?, since: ContinuousClock.Instant) {
    var (number, since) = (UInt32?.none, ContinuousClock.now)
    _ = waitUntil(seconds: seconds, interval: 0.001) {
      let now = try? picture.number(on: desktop.screen)
      if now != number { (number, since) = (now, ContinuousClock.now) }
      return false
    }
    return (number, since)
  }

  /// Milliseconds from the press to a whole file, as another program sees it.
  private func pressToFile(of contestant: Contestant, in folder: String) throws -> [Double] {
    say("\(contestant.name): press to file")
    let camera = try BenchCamera(on: desktop, encoding: .motionJPEG, size: PixelSize(width: 1280, height: 720))
    defer { camera.unplug() }
    let performance = try Performance(of: contestant, on: desktop)
    defer { performance.end() }
    try performance.findPicture()
    let shutter = try ShutterOnScreen(of: performance, folder: desktop.pictures.appendingPathComponent(folder))
    let times = (0..<(isQuick ? 5 : 20)).compactMap { _ -> Double? in
      pass(seconds: .random(in: 0.8...1.3))
      shutter.approach()
      let pressed = ContinuousClock.now
      shutter.press()
      guard shutter.waitForPhoto(seconds: 5) != nil else { return nil }
      return (ContinuousClock.now - pressed) / .seconds(0.001)
    }
    guard !times.isEmpty else { throw BenchError("\(contestant.name) took no photo.") }
    return times
  }

  /// The same models and services in this process, with the built-in test camera.
  private func pressTimes() async throws -> (thumbnails: [Double], files: [Double]) {
    let count = isQuick ? 20 : 60
    say("\(count) presses in this process: thumbnail and file")
    let studio = try await Studio(
      folder: folder.appendingPathComponent("shutter"), camera: CameraConfiguration(cameraID: CameraDevice.testID))
    var thumbnails: [Double] = []
    var files: [Double] = []
    for _ in 0..<count {
      try await Task.sleep(nanoseconds: .random(in: 100_000_000...300_000_000))
      let times = try await studio.shoot()
      thumbnails.append(times.thumbnail)
      files.append(times.saved)
    }
    await studio.close()
    return (thumbnails, files)
  }
}
