// Figures: the cost of Live's pre-roll.

import CameraCore

extension Bench {
  /// Processor time a frame of the whole program with Live on, against the same program with Live off, turn by turn.
  func measureLive() throws -> [Figure] {
    [
      try liveFigure(
        "Live on ÷ Live off, 1080p30 Motion JPEG", encoding: .motionJPEG, size: PixelSize(width: 1920, height: 1080),
        goal: 1.05),
      try liveFigure(
        "Live on ÷ Live off, 720p30 raw", encoding: .raw("I420"), size: PixelSize(width: 1280, height: 720),
        goal: 1.15),
    ]
  }

  private func liveFigure(
    _ name: String, encoding: FrameEncoding, size: PixelSize, goal: Double
  ) throws -> Figure {
    say(name)
    let camera = try BenchCamera(on: desktop, encoding: encoding, size: size)
    defer { camera.unplug() }
    let performance = try Performance(of: photoMe(), on: desktop)
    defer { performance.end() }
    try performance.showPicture(at: PixelSize(width: 1280, height: 720))
    var off: Watch?
    var on: Watch?
    for _ in 0..<(2 * rounds) {
      // The pre-roll fills within two seconds; what Live held is given back as soon.
      pass(seconds: 2.5)
      let without = try performance.watch(seconds: turn)
      off = off.map { $0 + without } ?? without
      try toggleLive(to: true)
      pass(seconds: 2.5)
      let with = try performance.watch(seconds: turn)
      on = on.map { $0 + with } ?? with
      try toggleLive(to: false)
    }
    let ring = lastRingBytes.map { ", the ring held \(Figure.number(Double($0) / 1e6)) MB" } ?? ""
    let sound = try desktop.hasSound ? "with sound" : "without sound: apt install pulseaudio"
    say("  on: \(on?.millisecondsPerFrame ?? 0) ms a frame, off: \(off?.millisecondsPerFrame ?? 0)")
    return Figure(
      name, value: on?.millisecondsPerFrame, unit: "ms/frame", peer: off?.millisecondsPerFrame, peerName: "Live off",
      goal: .ratio(atMost: goal),
      note: "\(sound)\(ring); frames shown \(on?.shown ?? 0) of \(on?.sent ?? 0), "
        + "without Live \(off?.shown ?? 0) of \(off?.sent ?? 0)")
  }

  /// The most that PhotoMe's ring held, by its own statistics.
  private var lastRingBytes: Int? { allStatistics().map(\.ringBytes).max() }

  /// Performs the action of the key L.
  private func toggleLive(to isOn: Bool) throws {
    let object = ["--object-path", "/io/github/photome/PhotoMe"]
    let call = ["gdbus", "call", "--session", "--dest", "io.github.photome.PhotoMe"] + object
    guard
      try desktop.output(of: call + ["--method", "org.gtk.Actions.Activate", "toggle-live", "[]", "{}"]) != nil
    else { throw BenchError("PhotoMe does not answer to its actions.") }
    let isDone = try waitUntilThrowing(seconds: 5) {
      try desktop.output(of: call + ["--method", "org.gtk.Actions.Describe", "toggle-live"])?
        .contains("<\(isOn)>") == true
    }
    guard isDone else { throw BenchError("Live could not be turned \(isOn ? "on" : "off").") }
  }

  private func waitUntilThrowing(seconds: Double, _ condition: () throws -> Bool) throws -> Bool {
    var failure: (any Error)?
    let isDone = waitUntil(seconds: seconds, interval: 0.1) {
      do { return try condition() } catch {
        failure = error
        return true
      }
    }
    if let failure { throw failure }
    return isDone
  }
}
