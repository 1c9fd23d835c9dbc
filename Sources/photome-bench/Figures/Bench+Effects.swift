// Figures: processor time of each effect on a 1080p frame, and of other programs' cartoon filters.

import CameraCore
import Foundation
import MediaEngine
import PhotoEffects

extension Bench {
  func measureEffects(picture: URL?) async throws -> [Figure] {
    say("Effects on a 1080p frame")
    let clip = try await BenchClip(in: folder, picture: picture)
    let frame = try pixels(of: clip.frame)
    var figures: [Figure] = []
    let peers = comicPeers(clip)
    for effect in Effect.all where !effect.renderer.needsMatte {
      let time = try await processorTime(of: effect, on: frame)
      guard effect == Effect.all.first else {
        figures.append(Figure("\(effect.title), processor time per 1080p frame", value: time, unit: "ms"))
        continue
      }
      let found = peers.compactMap { peer in peer.time.map { (peer, $0) } }
      let fastest = found.min { $0.1 < $1.1 }
      figures.append(
        Figure(
          "\(effect.title), processor time per 1080p frame", value: time, unit: "ms", peer: fastest?.1,
          peerName: fastest?.0.name, peerCommand: fastest?.0.command, goal: .ratio(atMost: 0.16),
          note: peers.compactMap(\.problem).first))
      figures.append(Figure("the same, by itself", value: time, unit: "ms", goal: .atMost(20)))
      figures += found.filter { $0.0.name != fastest?.0.name }.map { peer, milliseconds in
        Figure(
          "the same, against \(peer.name)", value: time, unit: "ms", peer: milliseconds, peerName: peer.name,
          peerCommand: peer.command)
      }
    }
    return figures + [try calm(clip)]
  }

  // MARK: Ours

  private func pixels(of picture: URL) throws -> PixelBuffer {
    let raw = folder.appendingPathComponent("frame.bgra")
    try BenchClip.ffmpeg(["-i", picture.path, "-f", "rawvideo", "-pix_fmt", "bgra", raw.path], in: folder)
    return try PixelBuffer(raw: Data(contentsOf: raw), size: BenchClip.size)
  }

  /// In milliseconds a frame, on one thread: the median of some runs.
  private func processorTime(of effect: Effect, on frame: PixelBuffer) async throws -> Double {
    var recipe = AdjustmentRecipe()
    recipe.effect = .init(effect)
    let processor = try FrameProcessor(recipe)
    let context = processor.context(.movieFrame, time: 0, fullSize: frame.size)
    let scratch = EffectScratch()
    var times: [Double] = []
    // The first run makes the tables and allocates memory.
    for number in 0..<(isQuick ? 6 : 21) {
      let before = ProcessUsage.threadSeconds()
      _ = try processor.render(frame, context: context, scratch: scratch)
      if number > 0 { times.append((ProcessUsage.threadSeconds() - before) * 1000) }
    }
    return times.median ?? 0
  }

  // MARK: Peers

  private struct Peer {
    var name: String
    var command: String
    /// In milliseconds a frame.
    var time: Double?
    var problem: String?
  }

  private func comicPeers(_ clip: BenchClip) -> [Peer] {
    let (movie, frame) = (clip.movie.path, clip.frame.path)
    let frames = isQuick ? 10 : 30
    func peer(_ name: String, _ command: String, _ measure: () throws -> Double) -> Peer {
      say("  \(name)")
      let (time, problem) = ifAvailable(name, measure)
      return Peer(name: name, command: command, time: time, problem: problem)
    }
    func ffmpeg(_ filter: String) throws -> Double {
      let end = ["-frames:v", "\(frames)", "-f", "null", "-"]
      let with = try CommandRun(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", movie, "-vf", filter] + end, in: folder)
      let without = try CommandRun(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", movie, "-vf", "format=bgra"] + end, in: folder)
      return (with.processor - without.processor) * 1000 / Double(frames)
    }
    func openCV(_ body: String, _ count: Int) throws -> Double {
      let script = """
        import cv2, sys, time
        frame = cv2.imread(sys.argv[1])
        def comic(frame):
            \(body)
        comic(frame)
        start = time.process_time()
        for _ in range(\(count)): comic(frame)
        print((time.process_time() - start) * 1000 / \(count))
        """
      let run = try CommandRun(["/usr/bin/python3", "-c", script, frame], in: folder)
      guard let time = Double(run.lastLine) else { throw BenchError("OpenCV: \(run.lastLine)") }
      return time
    }
    func recipe(_ scale: Int) -> String {
      // The usual recipe: three bilateral filters, a median and an adaptive threshold.
      """
      small = frame[::\(scale), ::\(scale)].copy()
          color = small
          for _ in range(3): color = cv2.bilateralFilter(color, 9, 75, 75)
          color = cv2.resize(color, (frame.shape[1], frame.shape[0]))
          gray = cv2.medianBlur(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), 7)
          edges = cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 9, 2)
          return cv2.bitwise_and(color, cv2.cvtColor(edges, cv2.COLOR_GRAY2BGR))
      """
    }
    return [
      peer("frei0r cartoon", "ffmpeg -i clip.mp4 -vf format=bgra,frei0r=cartoon -f null -") {
        try ffmpeg("format=bgra,frei0r=cartoon")
      },
      peer("OpenCV recipe, quarter size", "3 × bilateralFilter(9, 75, 75), medianBlur(7), adaptiveThreshold(9, 2)") {
        try openCV(recipe(4), isQuick ? 2 : 5)
      },
      peer("OpenCV recipe", "the same at full size") { try openCV(recipe(1), 1) },
      peer("OpenCV edgePreservingFilter", "cv2.edgePreservingFilter(frame)") {
        try openCV("return cv2.edgePreservingFilter(frame)", 1)
      },
      peer("OpenCV stylization", "cv2.stylization(frame)") { try openCV("return cv2.stylization(frame)", 1) },
      peer("GEGL cartoon", "gegl frame.png -o out.png -- cartoon") {
        let out = folder.appendingPathComponent("gegl.png").path
        let with = try CommandRun(["gegl", frame, "-o", out, "--", "cartoon"], in: folder)
        let without = try CommandRun(["gegl", frame, "-o", out, "--", "nop"], in: folder)
        return (with.processor - without.processor) * 1000
      },
    ]
  }

  // MARK: Calm

  /// The change of a still scene with camera noise from frame to frame, before and after Comic.
  private func calm(_ clip: BenchClip) throws -> Figure {
    let still = try pixels(of: clip.frame)
    var recipe = AdjustmentRecipe()
    recipe.effect = .init(Effect.all[0])
    let processor = try FrameProcessor(recipe)
    let context = processor.context(.movieFrame, time: 0, fullSize: still.size)
    let scratch = EffectScratch(threadCount: 2)
    var random = BenchRandom(seed: 7)
    var (before, after, last): (Double, Double, (PixelBuffer, PixelBuffer)?) = (0, 0, nil)
    let count = 4
    for _ in 0...count {
      let noisy = still.addingNoise(deviation: 4, using: &random)
      let comic = try processor.render(noisy, context: context, scratch: scratch)
      if let last {
        before += noisy.meanChange(from: last.0)
        after += comic.meanChange(from: last.1)
      }
      last = (noisy, comic)
    }
    return Figure(
      "Comic on a still scene with noise (σ 4): mean change from frame to frame", value: after / Double(count),
      unit: "steps of 255", peer: before / Double(count), peerName: "before the effect", goal: .ratio(atMost: 1))
  }
}
