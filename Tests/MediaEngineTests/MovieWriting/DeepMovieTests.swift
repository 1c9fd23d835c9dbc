// Movies with 10 bits a sample: HEVC where there is an encoder, H.264 where not.

import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite("Movies with 10 bits") struct DeepMovieTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "photome-deep-\(UUID().uuidString)")

  private func window(count: Int = 15) throws -> LiveWindow {
    let format = LivePhotoSample.format(.raw("P010_10LE"))
    var window = try LivePhotoSample.window(format, count: count, still: 5, sound: nil)
    window.session.isHDR = true
    return window
  }

  /// The bytes of a window's movie, as text.
  private func write(_ window: LiveWindow, _ writer: LivePhotoWriter = LivePhotoWriter(limits: EngineLimits()))
    async throws -> String
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let movie = try await writer.write(window, into: folder)
    return String(decoding: try Data(contentsOf: movie.url), as: UTF8.self)
  }

  @Test(
    "Frames of 10 bits become HEVC",
    .enabled(if: VideoEncoder.deepRefusal() == nil, "no HEVC encoder for 10 bits is installed"))
  func hevc() async throws {
    let text = try await write(try window())
    #expect(text.contains("hvc1") && text.contains("hvcC") && !text.contains("avc1"))
  }

  @Test("Without an encoder for them they become H.264, and so they do without the wish, or with a frame of 8 bits")
  func h264() async throws {
    let writer = LivePhotoWriter(limits: EngineLimits(), deepEncoders: { [] })
    #expect(try await write(try window(), writer).contains("avc1"))
    var plain = try window()
    plain.session.isHDR = false
    #expect(try await write(plain).contains("avc1"))
    var mixed = try window()
    let jpeg = try StillMaker.jpeg(of: mixed.frames[8])
    mixed.frames[8].content = .jpeg
    mixed.frames[8].block = jpeg
    #expect(try await write(mixed).contains("avc1"))
  }

  @Test("Pictures are the camera's samples; a look is given with 8 bits")
  func pictures() throws {
    let frame = try #require(try window().frames.first)
    let planes = try #require(frame.deepPlanes())
    let maker = try MoviePictureMaker(size: frame.size, deepColorimetry: "bt709")
    #expect(try maker.picture(of: frame).bytes == planes.block.bytes)
    let mirror = try MoviePictureMaker(size: frame.size, isMirrored: true, deepColorimetry: "bt709")
    #expect(try mirror.picture(of: frame).bytes == frame.deepPlanes(isMirrored: true)?.block.bytes)
    var look = frame
    look.look = FrameLook(brightness: 0.1)
    let changed = try maker.picture(of: look)
    #expect(changed.count == planes.block.count)
    // A tenth brighter, of 876 steps.
    let middle = (planes.layout, changed)
    let (old, new) = (DeepSample.sample(planes, 0, 20, 300), DeepSample.sample(middle, 0, 20, 300))
    #expect(abs(new - old - 88) <= 6, "\(old) \(new)")
    // Frames that were compressed for lack of memory fit in.
    var small = frame
    small.block = try StillMaker.jpeg(of: frame)
    small.content = .jpeg
    let widened = (planes.layout, try maker.picture(of: small))
    #expect(abs(DeepSample.sample(widened, 0, 20, 300) - old) <= 24)
  }

  @Test("Pictures of PQ don't take frames that have lost their range")
  func lost() throws {
    let frame = try DeepSample.flat(colorimetry: "bt2100-pq", (573, 512, 512))
    let maker = try MoviePictureMaker(size: frame.size, deepColorimetry: "bt2100-pq")
    #expect(try maker.picture(of: frame).bytes == frame.deepPlanes()?.block.bytes)
    var small = frame
    small.block = try StillMaker.jpeg(of: frame)
    small.content = .jpeg
    #expect(throws: JPEGCodecError.self) { try maker.picture(of: small) }
  }

  @Test("Encoders of 8 bits only, and those without a parser, are left out")
  func encoders() {
    let all = VideoEncoder.installedDeep({ _ in true }, takes: { _ in true })
    #expect(all.last?.element == "x265enc" && all.allSatisfy { $0.coding == .hevcMain10 })
    #expect(VideoEncoder.installedDeep({ _ in true }, takes: { $0 == "x265enc" }).map(\.element) == ["x265enc"])
    #expect(VideoEncoder.installedDeep({ $0 != "h265parse" }, takes: { _ in true }).isEmpty)
  }
}
