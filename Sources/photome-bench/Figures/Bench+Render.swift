// Figures: Comic applied to a live photo, file to file, against the same transcode without an effect.

import ArgumentParser
import CameraCore
import EngineInterface
import Foundation
import MediaEngine
import PersonMatte
import PhotoEffects
import PhotoLibrary

extension Bench {
  func measureRender(picture: URL?) async throws -> [Figure] {
    say("A 3 s 1080p30 live photo made Comic")
    let clip = try await BenchClip(in: folder, picture: picture)
    let count = isQuick ? 2 : 5
    let transcode =
      ["ffmpeg", "-nostdin", "-y", "-v", "error", "-i", clip.movie.path] + BenchClip.encoding
      + ["-c:a", "copy", folder.appendingPathComponent("transcode.mp4").path]
    var (ours, plain, peers): ([RenderLook], [RenderLook], [CommandRun]) = ([], [], [])
    // In turn, so that a slower moment meets all.
    for _ in 0..<count {
      ours.append(try render(clip, effect: "comic"))
      plain.append(try render(clip, effect: nil))
      peers.append(try CommandRun(transcode, in: folder))
    }
    guard let seconds = ours.map(\.seconds).median, let peer = peers.map(\.seconds).median,
      let neutral = plain.map(\.seconds).median
    else { return [] }
    let name = "Comic on a 3 s 1080p30 live photo, file to file"
    return [
      Figure(
        name, value: seconds, unit: "s", peer: peer, peerName: "the same transcode by ffmpeg",
        peerCommand: transcode.map { $0.hasPrefix("/") ? URL(fileURLWithPath: $0).lastPathComponent : $0 }
          .joined(separator: " "), goal: .ratio(atMost: 1.35),
        note: "\(count) times each; processor time \(Figure.number(ours.map(\.processor).median ?? 0)) s, the peer "
          + "\(Figure.number(peers.map(\.processor).median ?? 0)) s"),
      Figure(
        "\(name), of the clip's length", value: seconds / BenchClip.seconds, unit: "", goal: .atMost(0.9)),
      Figure(
        "\(name), against PhotoMe without an effect", value: seconds, unit: "s", peer: neutral,
        peerName: "an empty edit"),
      Figure(
        "\(name): memory", value: ours.map { Double($0.peakMemory) / 1_048_576 }.max(), unit: "MiB",
        goal: .atMost(300), note: "the most of a process that does nothing else"),
      Figure(
        "an empty edit of the movie: PSNR", value: try psnr(clip, plain[0].output), unit: "dB",
        note: "of brightness and color, against the source, as ffmpeg's filter psnr has it; encoded at quality 21"),
    ]
  }

  func render(_ clip: BenchClip, effect: String?) throws -> RenderLook {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let run = try CommandRun(
      [own, "render-look", clip.movie.path, "--output", folder.appendingPathComponent("rendered").path]
        + (effect.map { ["--effect", $0] } ?? []), in: folder)
    guard let look = try? JSONDecoder().decode(RenderLook.self, from: Data(run.lastLine.utf8)) else {
      throw BenchError("The rendering failed: \(run.lastLine)")
    }
    return look
  }

  private func psnr(_ clip: BenchClip, _ output: String) throws -> Double? {
    let run = try CommandRun(
      [
        "ffmpeg", "-nostdin", "-hide_banner", "-i", output, "-i", clip.movie.path, "-lavfi", "[0:v][1:v]psnr", "-f",
        "null", "-",
      ], in: folder)
    // … PSNR y:… u:… v:… average:42.1 min:… max:…
    return run.lastLine.split(separator: " ").first { $0.hasPrefix("average:") }.flatMap { Double($0.dropFirst(8)) }
  }
}

/// The time and memory of one rendering in a process of its own.
struct RenderLook: Codable {
  /// From file to file.
  var seconds = 0.0
  /// Of the whole process.
  var processor = 0.0
  var peakMemory = 0
  var output = ""
}

/// `photome-bench render-look`: renders a movie once and prints what it took.
struct RenderLookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render-look", abstract: "Render a movie once.", shouldDisplay: false)

  @Argument var movie: String
  @Option var effect: String?
  @Option(help: "A folder.") var output: String

  func run() async throws {
    var recipe = AdjustmentRecipe()
    recipe.effect = try effect.map { .init(try Effect.named($0)) }
    let url = URL(fileURLWithPath: movie)
    let length = try FileManager.default.attributesOfItem(atPath: movie)[.size] as? UInt64 ?? 0
    let began = ContinuousClock.now
    let rendered = try await EngineEditRenderer().movie(
      of: MovieSource(url: url, byteRange: 0..<length),
      edit: MovieEdit(processor: try FrameProcessor(recipe, isEven: true, mattes: PersonMatteProvider())),
      into: URL(fileURLWithPath: output, isDirectory: true)
    ) { _ in }
    let look = RenderLook(
      seconds: began.milliseconds / 1000, processor: Double(clock()) / Double(CLOCKS_PER_SEC),
      peakMemory: ProcessUsage.ownPeakMemory(), output: rendered.url.path)
    print(String(decoding: try JSONEncoder().encode(look), as: UTF8.self))
  }
}
