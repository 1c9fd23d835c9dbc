// Figures: Portrait on frames, in the viewfinder and on a live photo; the steadiness and accuracy of mattes.

import ArgumentParser
import CameraCore
import DrawnPeople
import Foundation
import PersonMatte
import PhotoEffects

/// The options of `photome-bench portrait`.
struct PortraitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A picture of a person to use instead of the drawn one, in any format that ffmpeg reads.", valueName: "file"))
  var picture: String?
  @Option(
    help: ArgumentHelp(
      "The Python with cv2, ai_edge_litert, or mediapipe for the usual recipe; data/dev/bench portrait has one.",
      valueName: "path"))
  var python = "/usr/bin/python3"
}

extension Bench {
  func measurePortrait(_ options: PortraitOptions) async throws -> [Figure] {
    if let reason = PersonMatteProvider().reasonForAbsence() {
      throw BenchError("\(reason)")
    }
    let picture = try options.picture.map { URL(fileURLWithPath: $0) } ?? drawnPicture()
    var figures: [Figure] = []
    figures += try portraitFrames(picture, options)
    figures += part("portrait, viewfinder") { try portraitViewfinder() }
    figures += await part("portrait, live photo") { try await portraitMovie(picture) }
    figures += try matteFigures()
    return figures
  }

  /// The drawn person as a file.
  private func drawnPicture() throws -> URL {
    let size = PixelSize(width: 1920, height: 1080)
    let url = folder.appendingPathComponent("person.jpg")
    try PixelBuffer(raw: Data(DrawnPerson.picture(size)), size: size).jpeg().write(to: url)
    return url
  }

  // MARK: Frames

  private func portraitFrames(_ picture: URL, _ options: PortraitOptions) throws -> [Figure] {
    say("Portrait on frames")
    var figures: [Figure] = []
    for size in [PixelSize(width: 1280, height: 720), PixelSize(width: 1920, height: 1080)] {
      let frame = try frame(of: picture, size)
      let png = folder.appendingPathComponent("person-\(size.height).png")
      try BenchClip.ffmpeg(["-i", picture.path, "-vf", Self.fit(size), "-frames:v", "1", png.path], in: folder)
      let name = "Portrait, processor time per \(size.height)p frame, whole"
      let ours = try portraitTime(frame)
      var isFirst = true
      for peer in ["OpenCV", "LiteRT", "MediaPipe"] {
        let (time, note) = ifAvailable(peer) { try recipeTime(peer, png, options.python) }
        figures.append(
          Figure(
            isFirst ? name : "the same", value: ours, unit: "ms", peer: time,
            peerName: "the usual recipe with \(peer)",
            peerCommand: "the same network, its matte enlarged, GaussianBlur, blended",
            goal: isFirst ? .ratio(atMost: 1) : nil,
            note: note))
        isFirst = false
      }
    }
    return figures
  }

  private static func fit(_ size: PixelSize) -> String {
    "scale=\(size.width):\(size.height):force_original_aspect_ratio=increase,crop=\(size.width):\(size.height)"
  }

  private func frame(of picture: URL, _ size: PixelSize) throws -> PixelBuffer {
    let raw = folder.appendingPathComponent("person.bgra")
    try BenchClip.ffmpeg(
      ["-i", picture.path, "-vf", Self.fit(size), "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "bgra", raw.path],
      in: folder)
    return try PixelBuffer(raw: Data(contentsOf: raw), size: size)
  }

  /// In milliseconds a frame, on one thread, with the matte: the median of some frames with a camera's noise.
  private func portraitTime(_ still: PixelBuffer) throws -> Double? {
    let processor = try FrameProcessor(
      AdjustmentRecipe(.init(try Effect.named("portrait"))), mattes: PersonMatteProvider())
    let tracker = try processor.makeTracker(.live)
    let scratch = EffectScratch()
    var random = BenchRandom(seed: 3)
    let frames = (0..<4).map { _ in still.addingNoise(deviation: 3, using: &random) }
    var times: [Double] = []
    for number in 0..<(isQuick ? 10 : 60) {
      var context = processor.context(.still, time: Double(number) / 30, fullSize: still.size)
      let before = ProcessUsage.threadSeconds()
      context.matte = try frames[number % 4].matte(by: tracker, time: context.time)
      _ = try processor.render(frames[number % 4], context: context, scratch: scratch)
      if number > 3 { times.append((ProcessUsage.threadSeconds() - before) * 1000) }
      guard context.matte?.presence == 1 else { throw BenchError("Nobody was found in the picture.") }
    }
    return times.median
  }

  /// The same by the recipe that programs for video calls use.
  private func recipeTime(_ runtime: String, _ picture: URL, _ python: String) throws -> Double {
    guard let folder = ModelFile.installedFolder else { throw BenchError("There are no models.") }
    let model = folder.appendingPathComponent(ModelFile.selfieLandscape.rawValue).path
    let small = """
      def small(frame):
          small = cv2.cvtColor(cv2.resize(frame, (256, 144), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)
          return small.astype(np.float32) / 255
      """
    let network =
      switch runtime {
      case "OpenCV":
        """
        \(small)
        net = cv2.dnn.readNetFromTFLite(sys.argv[2])
        def matte(frame):
            net.setInput(small(frame).transpose(2, 0, 1)[None])
            return cv2.resize(net.forward().reshape(144, 256), (frame.shape[1], frame.shape[0]))
        """
      case "LiteRT":
        """
        \(small)
        from ai_edge_litert.interpreter import Interpreter
        net = Interpreter(sys.argv[2], num_threads=1)
        net.allocate_tensors()
        (entry,), (exit,) = net.get_input_details(), net.get_output_details()
        def matte(frame):
            net.set_tensor(entry['index'], small(frame)[None])
            net.invoke()
            return cv2.resize(net.get_tensor(exit['index']).reshape(144, 256), (frame.shape[1], frame.shape[0]))
        """
      default:
        """
        import mediapipe
        net = mediapipe.solutions.selfie_segmentation.SelfieSegmentation(model_selection=1)
        def matte(frame):
            return net.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)).segmentation_mask
        """
      }
    let script = """
      import cv2, sys, time
      import numpy as np
      cv2.setNumThreads(1)
      frame = cv2.imread(sys.argv[1])
      \(network)
      def portrait(frame):
          m = matte(frame)[..., None]
          blurred = cv2.GaussianBlur(frame, (0, 0), frame.shape[1] / 100)
          return (frame * m + blurred * (1 - m)).astype(np.uint8)
      portrait(frame)
      times = []
      for _ in range(\(isQuick ? 5 : 20)):
          start = time.process_time()
          portrait(frame)
          times.append(time.process_time() - start)
      print(sorted(times)[len(times) // 2] * 1000)
      """
    let run = try CommandRun([python, "-c", script, picture.path, model], in: self.folder)
    guard let time = Double(run.lastLine) else { throw BenchError("\(runtime): \(run.lastLine)") }
    return time
  }

  // MARK: Viewfinder

  /// The frames of half a minute that come to the screen, by PhotoMe's own count.
  private func portraitViewfinder() throws -> [Figure] {
    var figures: [Figure] = []
    for size in [PixelSize(width: 1280, height: 720), PixelSize(width: 1920, height: 1080)] {
      say("Viewfinder with Portrait, \(size.height)p30 Motion JPEG")
      let camera = try BenchCamera(on: desktop, encoding: .motionJPEG, size: size, showsPerson: true)
      defer { camera.unplug() }
      try? FileManager.default.removeItem(at: statistics)
      let performance = try Performance(of: photoMe(), on: desktop)
      defer { performance.end() }
      guard waitUntil(seconds: 20, interval: 0.2, { (allStatistics().last?.shown ?? 0) > 10 }) else {
        throw BenchError("PhotoMe shows no picture.")
      }
      if let window = try desktop.screen.windows().first {
        let screen = PrivateDesktop.screenSize
        try desktop.screen.place(
          window.id, width: min(screen.width, size.width), height: min(screen.height, size.height + 260))
      }
      guard try activate("effect", "portrait") else { throw BenchError("PhotoMe does not answer to its actions.") }
      pass(seconds: 3)
      let before = allStatistics().last
      pass(seconds: isQuick ? 8 : 30)
      guard let before, let after = allStatistics().last, after.arrived > before.arrived else {
        throw BenchError("PhotoMe has written no statistics.")
      }
      let (arrived, shown) = (after.arrived - before.arrived, after.shown - before.shown)
      figures.append(
        Figure(
          "viewfinder with Portrait, \(size.height)p30: frames shown", value: 100 * Double(shown) / Double(arrived),
          unit: "%", goal: size.height == 720 ? .atLeast(99) : nil, note: "\(shown) of \(arrived), on a free machine"))
      let memory = ProcessUsage.memory(of: performance.process.pid)
      figures.append(
        Figure(
          "the same: memory", value: Double(memory.resident) / 1e6, unit: "MB", note: "resident, with what is shared"))
    }
    return figures
  }

  private func activate(_ action: String, _ parameter: String) throws -> Bool {
    try desktop.output(of: [
      "gdbus", "call", "--session", "--dest", "io.github.photome.PhotoMe", "--object-path",
      "/io/github/photome/PhotoMe", "--method", "org.gtk.Actions.Activate", action, "[<'\(parameter)'>]", "{}",
    ]) != nil
  }

  // MARK: Live photo

  private func portraitMovie(_ picture: URL) async throws -> [Figure] {
    say("A 3 s 1080p30 live photo with Portrait")
    let clip = try await BenchClip(in: folder, picture: picture)
    var (ours, plain): ([RenderLook], [RenderLook]) = ([], [])
    for _ in 0..<(isQuick ? 1 : 3) {
      ours.append(try render(clip, effect: "portrait"))
      plain.append(try render(clip, effect: nil))
    }
    return [
      Figure(
        "Portrait on a 3 s 1080p30 live photo, file to file", value: ours.map(\.seconds).median, unit: "s",
        peer: plain.map(\.seconds).median, peerName: "the same without an effect",
        note: "processor time \(Figure.number(ours.map(\.processor).median ?? 0)) s, without "
          + "\(Figure.number(plain.map(\.processor).median ?? 0)) s"),
      Figure(
        "the same: memory", value: ours.map { Double($0.peakMemory) / 1_048_576 }.max(), unit: "MiB",
        peer: plain.map { Double($0.peakMemory) / 1_048_576 }.max(), peerName: "without an effect"),
    ]
  }

  // MARK: Mattes

  /// The flicker and accuracy of mattes over time, with smoothing and without.
  private func matteFigures() throws -> [Figure] {
    say("Mattes over time")
    let size = PixelSize(width: 640, height: 360)
    let count = isQuick ? 10 : 30
    func frames(walking: Int) throws -> [(picture: PixelBuffer, offset: Int)] {
      var random = BenchRandom(seed: 5)
      return try (0..<count).map { number in
        let offset = walking * (number - count / 2)
        let clean = try PixelBuffer(raw: Data(DrawnPerson.picture(size, offset: offset)), size: size)
        return (clean.addingNoise(deviation: 6, using: &random), offset)
      }
    }
    let provider = PersonMatteProvider()
    func mattes(_ frames: [(picture: PixelBuffer, offset: Int)], smoothed: Bool) throws -> [[UInt8]] {
      var tracker = try provider.makeTracker(.person, quality: .live)
      return try frames.enumerated().map { number, frame in
        if !smoothed { tracker = try provider.makeTracker(.person, quality: .live) }
        return try frame.picture.matte(by: tracker, time: Double(number) / 30).block.bytes
      }
    }
    func flicker(_ mattes: [[UInt8]]) -> Double {
      var (sum, edges) = (0, 0)
      for index in mattes[0].indices where mattes.contains(where: { (13...242).contains($0[index]) }) {
        edges += mattes.count - 1
        for (one, other) in zip(mattes, mattes.dropFirst()) { sum += abs(Int(one[index]) - Int(other[index])) }
      }
      return Double(sum) / Double(255 * max(1, edges))
    }
    func accuracy(_ mattes: [[UInt8]], _ frames: [(picture: PixelBuffer, offset: Int)]) -> Double {
      // The first frames have no past.
      let scores = zip(mattes, frames).dropFirst(3).map { matte, frame -> Double in
        var (common, both) = (0, 0)
        for row in 0..<size.height {
          for column in 0..<size.width {
            let isPerson =
              DrawnPerson.color(row: row, column: column, of: size, offset: frame.offset)
              != DrawnPerson.color(row: row, column: column, of: size, hasPerson: false)
            let isFound = matte[row * size.width + column] > 127
            common += isPerson && isFound ? 1 : 0
            both += isPerson || isFound ? 1 : 0
          }
        }
        return Double(common) / Double(max(1, both))
      }
      return scores.reduce(0, +) / Double(max(1, scores.count))
    }
    let (still, walking) = (try frames(walking: 0), try frames(walking: 12))
    let names = "640×360, drawn person, noise (σ 6)"
    return [
      Figure(
        "flicker of a matte’s edges, nobody moves", value: flicker(try mattes(still, smoothed: true)), unit: "",
        peer: flicker(try mattes(still, smoothed: false)), peerName: "without smoothing", goal: .ratio(atMost: 0.6),
        note: names),
      Figure(
        "intersection over union, walking 12 pixels a frame",
        value: accuracy(try mattes(walking, smoothed: true), walking),
        unit: "", peer: accuracy(try mattes(walking, smoothed: false), walking), peerName: "without smoothing",
        goal: .leastRatio(0.97), note: names),
    ]
  }
}
