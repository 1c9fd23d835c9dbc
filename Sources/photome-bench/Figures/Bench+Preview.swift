// Figures: processor time of the preview.

import CameraCore

extension Bench {
  /// Processor time a frame, of the whole program, with the frames counted that came to the screen.
  func measurePreview() throws -> [Figure] {
    [try previewAgainstPipeline(), try previewAgainstCheese(), try viewfinderWithComic()].flatMap { $0 }
  }

  private func previewAgainstPipeline() throws -> [Figure] {
    let (full, shown) = (PixelSize(width: 1920, height: 1080), PixelSize(width: 960, height: 540))
    let pipeline = Contestant.pipeline(full)
    let scaled = Contestant.scaledPipeline(full, shown: shown)
    say("Preview, 1080p Motion JPEG shown 960 pixels wide, against two pipelines")
    let camera = { [self] in try BenchCamera(on: desktop, encoding: .motionJPEG, size: full) }
    var (ours, bare, fitted): (Watch?, Watch?, Watch?) = (nil, nil, nil)
    var notes: (bare: String?, fitted: String?)
    for _ in 0..<rounds {
      ours = sum(ours, try watch(photoMe(), at: shown, camera))
      let bareRound = ifAvailable("bare pipeline") { try watch(pipeline, at: nil, camera) }
      let fittedRound = ifAvailable("scaling pipeline") { try watch(scaled, at: nil, camera) }
      (bare, notes.bare) = (sum(bare, bareRound.result), bareRound.note)
      (fitted, notes.fitted) = (sum(fitted, fittedRound.result), fittedRound.note)
    }
    return [
      Figure(
        "preview, 1080p30 Motion JPEG shown 960 wide", value: ours?.millisecondsPerFrame, unit: "ms/frame",
        peer: bare?.millisecondsPerFrame, peerName: pipeline.name, peerCommand: pipeline.commandLine,
        goal: .ratio(atMost: 1), note: notes.bare ?? counts(ours, bare)),
      Figure(
        "the same, against a pipeline that scales", value: ours?.millisecondsPerFrame, unit: "ms/frame",
        peer: fitted?.millisecondsPerFrame, peerName: scaled.name, peerCommand: scaled.commandLine,
        note: notes.fitted ?? counts(ours, fitted)),
    ]
  }

  private func previewAgainstCheese() throws -> [Figure] {
    let size = PixelSize(width: 1280, height: 720)
    say("Preview, 720p Motion JPEG at full size, against Cheese")
    let camera = { [self] in try BenchCamera(on: desktop, encoding: .motionJPEG, size: size) }
    var (ours, cheese, note): (Watch?, Watch?, String?) = (nil, nil, nil)
    for _ in 0..<rounds {
      ours = sum(ours, try watch(photoMe(), at: size, camera))
      let round = ifAvailable("Cheese") { try watch(.cheese, at: size, camera) }
      (cheese, note) = (sum(cheese, round.result), round.note)
    }
    return [
      Figure(
        "preview, 720p30 Motion JPEG at full size", value: ours?.millisecondsPerFrame, unit: "ms/frame",
        peer: cheese?.millisecondsPerFrame, peerName: Contestant.cheese.name,
        peerCommand: Contestant.cheese.commandLine, goal: .ratio(atMost: 0.5), note: note ?? counts(ours, cheese))
    ]
  }

  /// The contestants take turns, so that what else the machine does falls on all of them.
  var rounds: Int { isQuick ? 1 : 2 }

  /// Seconds of one turn.
  var turn: Double { isQuick ? 4 : 10 }

  /// One turn of one contestant, at a size of its picture or at that which it chooses.
  private func watch(
    _ contestant: Contestant, at size: PixelSize?, _ plugIn: () throws -> BenchCamera
  ) throws -> Watch {
    let camera = try plugIn()
    defer { camera.unplug() }
    let performance = try Performance(of: contestant, on: desktop)
    defer { performance.end() }
    if let size { try performance.showPicture(at: size) } else { try performance.findPicture() }
    pass(seconds: 2)
    let watch = try performance.watch(seconds: turn)
    say(
      "  \(contestant.name): \(Figure.number(watch.millisecondsPerFrame)) ms a frame, "
        + "\(Figure.number(watch.percent)) % of a core, \(watch.shown) of \(watch.sent) frames at "
        + "\(performance.picture?.area.description ?? "?")")
    return watch
  }

  private func sum(_ one: Watch?, _ other: Watch?) -> Watch? {
    guard let one, let other else { return one ?? other }
    return one + other
  }

  /// The frames that came to the screen, of those that were sent.
  private func counts(_ ours: Watch?, _ peer: Watch?) -> String? {
    guard let ours, let peer else { return nil }
    return "frames shown \(ours.shown) of \(ours.sent), the peer \(peer.shown) of \(peer.sent); "
      + "\(Figure.number(ours.percent)) % of a core, the peer \(Figure.number(peer.percent)) %"
  }
}
