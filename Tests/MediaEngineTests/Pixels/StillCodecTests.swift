// Stills as long as the editor shows them can be saved, and no longer ones.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import StillCodecs
import Testing

@testable import MediaEngine

@Suite struct StillCodecTests {
  private let url = FileManager.default.temporaryDirectory.appendingPathComponent("photome-\(UUID().uuidString).jpg")

  /// A small JPEG, and nothing behind it up to a length; a sparse file.
  private func still(of length: UInt64) throws -> StillSource {
    let size = PixelSize(width: 32, height: 24)
    let image = DecodedImage(
      size: size, stride: size.width * 4,
      block: FrameBlock(count: size.area * 4) { $0.initializeMemory(as: UInt8.self, repeating: 90) })
    let jpeg: Data = try JPEGEncoder().encode(image, quality: 90)
    try jpeg.write(to: url)
    let file = try FileHandle(forWritingTo: url)
    try file.truncate(atOffset: length)
    try file.close()
    return StillSource(url: url, byteRange: 0..<length)
  }

  @Test func theLimitIsTheEditors() throws {
    defer { try? FileManager.default.removeItem(at: url) }
    // More than saving once took.
    let image = try StillCodec.decode(try still(of: 129 << 20))
    guard case .image(let picture) = image.content else {
      Issue.record("not 8 bits")
      return
    }
    #expect(picture.size == PixelSize(width: 32, height: 24))
    let long = try still(of: StillSource.largestByteCount + 1)
    #expect(
      throws: EditError.unreadablePicture(file: url.lastPathComponent, reason: "the file is too large (268.4 MB)")
    ) {
      try StillCodec.decode(long)
    }
  }

  @Test(
    "Edits keep more than 8 bits a channel where the format has them", arguments: [PhotoFormat.png, .tiff, .jxl, .heic])
  func depth(_ format: PhotoFormat) throws {
    defer { try? FileManager.default.removeItem(at: url) }
    let size = PixelSize(width: 64, height: 32)
    let picture = DeepPixels(size) { pixels in
      for index in 0..<size.area { pixels[index] = DeepPixels.Pixel(repeating: UInt16(20_000 + 10 * index)) }
    }
    guard let data = try StillCodecs.encode(picture, as: format) else {
      // An encoder of 8 bits.
      #expect(StillCodecs.missingDeepEncoder(for: format) != nil)
      return
    }
    try data.write(to: url)
    let source = StillSource(url: url, byteRange: 0..<UInt64(data.count), format: format, orientation: 6)
    var recipe = AdjustmentRecipe()
    recipe.adjustments.exposure = 0.5
    let result = try StillCodec.render(try StillCodec.decode(source), FrameProcessor(recipe), time: 0)
    #expect(result.size == PixelSize(width: 32, height: 64))
    let deep = try #require(try StillCodecs.decodeDeep(result.data, as: format))
    #expect(deep.pixels.size == result.size)
    // Effects draw with 8 bits.
    recipe.effect = AdjustmentRecipe.EffectSetting(try #require(Effect.all.first))
    let drawn = try StillCodec.render(try StillCodec.decode(source), FrameProcessor(recipe), time: 0)
    #expect(drawn.size == result.size)
    #expect(try StillCodecs.decodeDeep(drawn.data, as: format) == nil)
  }

  // MARK: Transparent parts

  /// Opaque on the left, transparent on the right; half transparent in the lower left.
  private func alpha(_ size: PixelSize) -> AlphaPlane? {
    AlphaPlane(
      size: size,
      block: FrameBlock(count: size.area) { target in
        for index in 0..<size.area {
          let (x, y) = (index % size.width, index / size.width)
          target[index] = x >= size.width / 2 ? 0 : y >= size.height / 2 ? 128 : 255
        }
      })
  }

  /// A file of 128 × 64 pixels in one color.
  private func file(_ format: PhotoFormat, isDeep: Bool = false, hasAlpha: Bool = true) throws -> StillSource? {
    let size = PixelSize(width: 128, height: 64)
    let alpha = hasAlpha ? alpha(size) : nil
    let color: DeepPixels.Pixel = .init(200 * 257, 80 * 257, 40 * 257, 0)
    let pixels = DeepPixels(size) { pixels in for index in 0..<size.area { pixels[index] = color } }
    let data =
      isDeep
      ? try StillCodecs.encode(pixels, alpha: alpha, as: format)
      : try StillCodecs.encode(pixels.narrowed, alpha: alpha, as: format)
    guard let data else { return nil }
    try data.write(to: url)
    return StillSource(url: url, byteRange: 0..<UInt64(data.count), format: format)
  }

  @Test(
    "Edits keep transparent parts where they belong", arguments: [PhotoFormat.png, .webp, .tiff, .jxl, .avif, .heic],
    [false, true])
  func transparency(_ format: PhotoFormat, isDeep: Bool) throws {
    defer { try? FileManager.default.removeItem(at: url) }
    guard format != .webp || !isDeep, let source = try file(format, isDeep: isDeep) else { return }
    let still = try StillCodec.decode(source)
    var turned = AdjustmentRecipe()
    turned.geometry.turn = .right
    // The upper part of what is turned: what was left.
    turned.geometry.crop = Geometry.Crop(x: 0, y: 0, width: 1, height: 0.75)
    var noir = AdjustmentRecipe(AdjustmentRecipe.EffectSetting(try Effect.named("noir")))
    noir.geometry.turn = .right
    for (recipe, size) in [(turned, PixelSize(width: 64, height: 96)), (noir, PixelSize(width: 64, height: 128))] {
      let result = try StillCodec.render(still, FrameProcessor(recipe), time: 0)
      #expect(result.size == size && !result.losesTransparency)
      let edited = try StillCodecs.decode(result.data, as: format)
      let plane = try #require(edited.alpha)
      #expect(plane.size == size)
      // The left has become the top, and the lower half the left.
      for (x, y, wanted) in [(48, 32, 255), (16, 32, 128), (16, size.height - 12, 0), (48, size.height - 12, 0)] {
        let found = plane.block.withUnsafeBytes { Int($0[y * size.width + x]) }
        #expect(abs(found - wanted) <= 2, "\(found) at \(x), \(y)")
      }
      // Half transparent or not, the colors are the same.
      let colors = plane.straight(edited.image).block.bytes
      for channel in 0..<3 {
        let (solid, half) = (Int(colors[4 * (32 * 64 + 48) + channel]), Int(colors[4 * (32 * 64 + 16) + channel]))
        #expect(abs(solid - half) < 12, "\(solid), \(half)")
      }
      if recipe.effect == nil { #expect((try StillCodecs.decodeDeep(result.data, as: format) != nil) == isDeep) }
    }
  }

  @Test("What is opaque has no alpha channel after an edit: the whole picture, or what is left of it")
  func opaque() throws {
    defer { try? FileManager.default.removeItem(at: url) }
    var left = AdjustmentRecipe()
    left.geometry.crop = Geometry.Crop(x: 0, y: 0, width: 0.5, height: 0.5)
    for hasAlpha in [false, true] {
      let source = try #require(try file(.png, hasAlpha: hasAlpha))
      let result = try StillCodec.render(try StillCodec.decode(source), FrameProcessor(left), time: 0)
      // The color type of IHDR: truecolor.
      #expect(result.data[25] == 2 && !result.losesTransparency)
    }
  }

  @Test("Where the edit can't have transparent parts, it says so")
  func lostTransparency() throws {
    defer { try? FileManager.default.removeItem(at: url) }
    // Two pixels beside each other, of which the second is transparent; codes of three bits.
    let gif: [UInt8] =
      Array("GIF89a".utf8) + [2, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 200, 200, 200, 0x21, 0xf9, 4, 1, 0, 0, 1, 0]
      + [0x2c, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 2, 0x44, 0x0a, 0, 0x3b]
    try Data(gif).write(to: url)
    let source = StillSource(url: url, byteRange: 0..<UInt64(gif.count), format: .gif)
    var recipe = AdjustmentRecipe()
    recipe.geometry.isFlipped = true
    let result = try StillCodec.render(try StillCodec.decode(source), FrameProcessor(recipe), time: 0)
    #expect(result.losesTransparency && result.data.starts(with: [0xff, 0xd8]))
    let pixels = try result.data.withUnsafeBytes { try JPEGDecoder().decode($0) }.block.bytes
    #expect(pixels[1] > 245 && pixels[5] < 10)
    // A processor that only draws.
    struct Drawing: FrameProcessing {
      func outputSize(for source: PixelSize) -> PixelSize { source }
      func render(_ source: PixelView, into target: PixelView, context: FrameContext, scratch: EffectScratch) {
        for index in 0..<target.height * target.stride { target.pixels[index] = 0x80_8080 }
      }
    }
    let png = try #require(try file(.png))
    let drawn = try StillCodec.render(try StillCodec.decode(png), Drawing(), time: 0)
    #expect(drawn.losesTransparency && drawn.data[25] == 2)
  }
}
