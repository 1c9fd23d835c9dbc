// Figures: processor time of an effect on the viewfinder.

import CameraCore

extension Bench {
  /// The viewfinder with Comic against the viewfinder without, turn by turn: no frame may be lost to it.
  func viewfinderWithComic() throws -> [Figure] {
    let size = PixelSize(width: 1280, height: 720)
    say("Viewfinder with Comic, 720p30 Motion JPEG at full size")
    let camera = try BenchCamera(on: desktop, encoding: .motionJPEG, size: size)
    defer { camera.unplug() }
    let performance = try Performance(of: photoMe(), on: desktop)
    defer { performance.end() }
    try performance.showPicture(at: size)
    var (plain, comic): (Watch?, Watch?)
    var counts = (arrived: 0, converted: 0, shown: 0)
    for _ in 0..<rounds {
      plain = try turn(of: performance, effect: "", after: plain)
      let before = allStatistics().last
      comic = try turn(of: performance, effect: "comic", after: comic)
      guard let before, let after = allStatistics().last else { continue }
      counts.arrived += after.arrived - before.arrived
      counts.converted += after.converted - before.converted
      counts.shown += after.shown - before.shown
    }
    guard let plain, let comic else { return [] }
    say(
      "  Comic: \(Figure.number(comic.millisecondsPerFrame)) ms a frame, without: "
        + Figure.number(plain.millisecondsPerFrame))
    return [
      Figure(
        "viewfinder with Comic, 720p30: processor time", value: comic.millisecondsPerFrame, unit: "ms/frame",
        peer: plain.millisecondsPerFrame, peerName: "no effect",
        note: "\(Figure.number(comic.percent)) % of a core, without \(Figure.number(plain.percent)) %"),
      Figure(
        "viewfinder with Comic, 720p30: frames that came to the screen",
        value: comic.sent > 0 ? 100 * Double(comic.shown) / Double(comic.sent) : nil, unit: "%",
        peer: plain.sent > 0 ? 100 * Double(plain.shown) / Double(plain.sent) : nil, peerName: "no effect",
        goal: .leastRatio(0.99),
        note: "seen \(comic.shown) of \(comic.sent), without \(plain.shown) of \(plain.sent); by PhotoMe's own count "
          + "\(counts.arrived) arrived, \(counts.converted) were rendered, \(counts.shown) shown"),
    ]
  }

  private func turn(of performance: Performance, effect: String, after sum: Watch?) throws -> Watch {
    let call = ["gdbus", "call", "--session", "--dest", "io.github.photome.PhotoMe"]
    let object = ["--object-path", "/io/github/photome/PhotoMe"]
    let activation = ["--method", "org.gtk.Actions.Activate", "effect", "[<'\(effect)'>]", "{}"]
    guard try desktop.output(of: call + object + activation) != nil else {
      throw BenchError("PhotoMe does not answer to its actions.")
    }
    pass(seconds: 2)
    let watch = try performance.watch(seconds: turn)
    return sum.map { $0 + watch } ?? watch
  }
}
