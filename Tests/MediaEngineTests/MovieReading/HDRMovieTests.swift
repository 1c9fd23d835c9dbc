// HDR movies of every codec and container look right, and edits of them are ordinary movies.

import CameraCore
import EngineInterface
import Foundation
import MediaFormats
import PhotoEffects
import StillCodecs
import Synchronization
import TestSupport
import Testing

@testable import MediaEngine

@Suite(
  "HDR movies", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: Command.areInstalled("ffmpeg", "ffprobe"), "ffmpeg makes the movies"))
struct HDRMovieTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-hdr-\(UUID().uuidString)")

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  private static let (width, height, patch) = (128, 64, 32)

  /// Patches of light of BT.2020, in multiples of white, 32 pixels wide: gray, bright, and two colors.
  private static let light: [[Double]] = [[0.2, 0.2, 0.2], [3, 3, 3], [0.5, 0.3, 0.2], [0.1, 0.3, 0.1]]

  /// What a screen shows of them.
  private static let shown: [[Double]] = light.map { color in
    let toned = color.map(HDRToneCurve.toned)
    // From BT.2020 to BT.709 (ITU-R BT.2407, 2).
    let rows = [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]]
    return rows.map { row in ScreenColorsTests.screen(zip(row, toned).reduce(0) { $0 + $1.0 * $1.1 }) }
  }

  /// A movie of ten equal frames, and a tone.
  private func movie(_ name: String, _ codec: [String], isHLG: Bool, bits: Int = 10) throws -> MovieSource {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var planes: [[UInt16]] = [[], [], []]
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        let color = Self.light[x / Self.patch].map {
          isHLG ? ScreenColorsTests.hybrid($0 * 203) : ScreenColorsTests.quantized($0 * 203)
        }
        let samples = ScreenColorsTests.samples(color)
        planes[0].append(UInt16(samples.0))
        if x % 2 == 0, y % 2 == 0 {
          planes[1].append(UInt16(samples.1))
          planes[2].append(UInt16(samples.2))
        }
      }
    }
    let frame = planes.joined().reduce(into: Data()) { data, word in
      if bits == 10 { data += [UInt8(word & 255), UInt8(word >> 8)] } else { data.append(UInt8((word + 2) / 4)) }
    }
    let raw = folder.appendingPathComponent("frames.yuv")
    try (0..<10).reduce(into: Data()) { data, _ in data += frame }.write(to: raw)
    let url = folder.appendingPathComponent(name)
    let form = bits == 10 ? "yuv420p10le" : "yuv420p"
    let input = ["-f", "rawvideo", "-pix_fmt", form, "-s", "\(Self.width)x\(Self.height)", "-r", "10", "-i", raw.path]
    let sound = ["-f", "lavfi", "-i", "sine=duration=1"]
    let colors = [
      "-color_primaries", "bt2020", "-color_trc", isHLG ? "arib-std-b67" : "smpte2084", "-colorspace", "bt2020nc",
      "-color_range", "tv",
    ]
    let arguments = ["-nostdin", "-v", "error", "-y"] + input + sound + codec + colors + ["-pix_fmt", form, url.path]
    let result = try Command.run("ffmpeg", arguments, at: folder)
    #expect(result.status == 0, "\(result.errors)")
    return try source(url)
  }

  private func source(_ url: URL) throws -> MovieSource {
    let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? UInt64
    return MovieSource(url: url, byteRange: 0..<(size ?? 0))
  }

  /// Holds the middle of each patch against what a screen shall show.
  private func check(_ image: DecodedImage, within tolerance: Double, _ words: String = "") {
    for (index, wanted) in Self.shown.enumerated() {
      let x = (index * Self.patch + Self.patch / 2) * image.size.width / Self.width
      let at = image.size.height / 2 * image.stride + 4 * x
      let bytes = image.block.bytes
      let found = [bytes[at + 2], bytes[at + 1], bytes[at]]
      #expect(
        zip(found, wanted).allSatisfy { abs(Double($0) - $1) <= tolerance }, "\(words) \(index): \(found), \(wanted)")
    }
  }

  private static let x265 = ["-c:v", "libx265", "-x265-params", "log-level=error:crf=8", "-tag:v", "hvc1"]
  private static let x264 = ["-c:v", "libx264", "-crf", "5"]
  private static let vp9 = ["-c:v", "libvpx-vp9", "-crf", "8", "-b:v", "0", "-cpu-used", "8"]
  private static let av1 = ["-c:v", "libaom-av1", "-crf", "8", "-cpu-used", "8"]

  @Test(
    "Frames are toned down, whatever the codec and the container",
    arguments: [
      ("phone.mov", x265, true, 10), ("phone.mp4", x265, false, 10), ("phone.mkv", x265, true, 10),
      ("clip.mp4", x264, true, 10), ("clip.mkv", x264, false, 10), ("eight.mp4", x264, true, 8),
      ("clip.webm", vp9, false, 10), ("hybrid.webm", vp9, true, 10), ("av1.mp4", av1, false, 10),
      ("av1.mkv", av1, true, 10), ("eight.webm", vp9, false, 8),
    ])
  func frames(name: String, codec: [String], isHLG: Bool, bits: Int) async throws {
    defer { remove() }
    let source = try movie(name, codec + ["-an"], isHLG: isHLG, bits: bits)
    // Encoders have their noise, and 8 bits large steps.
    let tolerance: Double = bits == 10 ? 5 : 7
    for size in [PixelSize(width: 128, height: 64), PixelSize(width: 60, height: 60)] {
      let image = try await EngineMovieReader().frame(of: source, at: 0.45, fitting: size)
      check(image, within: tolerance, name)
    }
    let seen = Mutex<[DecodedImage]>([])
    try await EngineMovieReader().readFrames(of: source, fitting: PixelSize(width: 128, height: 64), atMost: nil) {
      frame in seen.withLock { $0.append(frame.image) }
    }
    let images = seen.withLock { $0 }
    #expect(images.count == 10)
    for image in images { check(image, within: tolerance, name) }
  }

  @Test("Playback shows the same colors")
  func playback() async throws {
    defer { remove() }
    let player = MoviePlayer(try movie("phone.mov", Self.x265 + ["-an"], isHLG: true), isMuted: true)
    let seen = Mutex<[DecodedImage]>([])
    let preview = player.preview
    preview.setFrameHandler { [weak preview] in
      guard let frame = preview?.takeFrame() else { return }
      let bytes = UnsafeRawBufferPointer(start: frame.pixels, count: frame.stride * frame.size.height)
      seen.withLock {
        $0.append(DecodedImage(size: frame.size, stride: frame.stride, block: FrameBlock(copying: bytes)))
      }
    }
    preview.setTarget(PixelSize(width: 128, height: 64))
    try await player.play()
    let images = seen.withLock { $0 }
    #expect(!images.isEmpty)
    for image in images { check(image, within: 5) }
  }

  /// What a file says of its picture.
  private func tags(_ url: URL) throws -> [String] {
    let result = try Command.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v", "-show_entries",
        "stream=pix_fmt,color_space,color_transfer,color_primaries",
        "-of", "csv=p=0", url.path,
      ], at: folder)
    return result.output.split(whereSeparator: { $0 == "," || $0.isNewline }).map(String.init)
  }

  @Test(
    "An edit is an ordinary movie in the same colors, and says so",
    arguments: [
      ("phone.mov", x265, true), ("clip.mkv", x264, false), ("phone.mkv", x265, true), ("clip.webm", vp9, false),
      ("av1.mkv", av1, true),
    ])
  func edit(name: String, codec: [String], isHLG: Bool) async throws {
    defer { remove() }
    let source = try movie(name, codec, isHLG: isHLG)
    let processor = try FrameProcessor(AdjustmentRecipe(), isEven: true)
    for edit in [
      MovieEdit(processor: processor), MovieEdit(processor: nil, trim: 0.2...0.7),
      MovieEdit(processor: nil, isBounced: true),
    ] {
      let made = try await EngineEditRenderer().movie(of: source, edit: edit, into: folder) { _ in }
      #expect(try tags(made.url) == ["yuv420p", "bt709", "bt709", "bt709"])
      #expect(made.hasSound != edit.isBounced)
      let image = try await EngineMovieReader().frame(
        of: self.source(made.url), at: 0, fitting: PixelSize(width: 128, height: 64))
      check(image, within: 6, name)
    }
    guard name == "phone.mov" else { return }
    let still = try await EngineEditRenderer().longExposure(of: source, trim: nil, processor: nil) { _ in }
    check(try still.data.withUnsafeBytes { try JPEGDecoder().decode($0) }, within: 6, name)
  }

  @Test("An edit that leaves the picture alone keeps it as HDR", arguments: [("phone.mov", x265), ("clip.mkv", x264)])
  func muted(name: String, codec: [String]) async throws {
    defer { remove() }
    let source = try movie(name, codec, isHLG: true)
    let edit = MovieEdit(processor: nil, isMuted: true)
    let made = try await EngineEditRenderer().movie(of: source, edit: edit, into: folder) { _ in }
    #expect(try tags(made.url) == ["yuv420p10le", "bt2020nc", "arib-std-b67", "bt2020"])
    #expect(!made.hasSound)
    let size = PixelSize(width: 128, height: 64)
    let reader = EngineMovieReader()
    let (old, new) = (
      try await reader.frame(of: source, at: 0, fitting: size),
      try await reader.frame(of: self.source(made.url), at: 0, fitting: size)
    )
    #expect(old.block.bytes == new.block.bytes)
  }

  @Test("Wide colors without HDR are those of the same light", arguments: ["smpte432", "bt2020"])
  func wide(primaries: String) async throws {
    defer { remove() }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent("wide.mov")
    // A gray, and the green of the primaries, which no screen of sRGB has, with some red.
    let arguments =
      ["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "color=c=0x808080:size=64x64:rate=10:duration=1"]
      + ["-f", "lavfi", "-i", "color=c=0x80FF80:size=64x64:rate=10:duration=1", "-filter_complex"]
      + ["[0][1]hstack,scale=out_color_matrix=bt709,format=yuv420p"] + Self.x264
      + ["-color_primaries", primaries, "-color_trc", "bt709", "-colorspace", "bt709", url.path]
    #expect(try Command.run("ffmpeg", arguments, at: folder).status == 0)
    let size = PixelSize(width: 128, height: 64)
    let bytes = try await EngineMovieReader().frame(of: source(url), at: 0, fitting: size).block.bytes
    func pixel(_ x: Int) -> [UInt8] { [2, 1, 0].map { bytes[(32 * 128 + x) * 4 + $0] } }
    #expect(pixel(32).allSatisfy { abs(Int($0) - 128) <= 4 }, "\(pixel(32))")
    // The same values in BT.709 would have 128 of red. ffmpeg's conversion is off by a step of 8 bits.
    let (gray, green) = (0.216, 1.0)
    let rows =
      primaries == "bt2020" ? [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083]] : [[1.2249, -0.2247, 0]]
    let red = rows[0][0] * gray + rows[0][1] * green + rows[0][2] * gray
    #expect(abs(Double(pixel(96)[0]) - ScreenColorsTests.screen(red)) <= 18 && pixel(96)[1] >= 253, "\(pixel(96))")
  }

  @Test("Ordinary movies of 10 bits are decoded as before")
  func ordinary() async throws {
    defer { remove() }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent("ordinary.mp4")
    let bars = ["-f", "lavfi", "-i", "testsrc=size=96x64:rate=10:duration=1"]
    let arguments = ["-nostdin", "-v", "error", "-y"] + bars + Self.x264 + ["-pix_fmt", "yuv420p10le", url.path]
    #expect(try Command.run("ffmpeg", arguments, at: folder).status == 0)
    let layouts = Mutex<Set<String>>([])
    let decoding = try await MovieDecoding(source(url), niceness: 0, progress: MovieProgress(), keepsDepth: true) {
      frame in
      layouts.withLock { _ = $0.insert(frame.layout.name) }
      return true
    }
    try await decoding.run(patience: .seconds(20))
    #expect(layouts.withLock { $0 } == ["I420"])
  }
}
