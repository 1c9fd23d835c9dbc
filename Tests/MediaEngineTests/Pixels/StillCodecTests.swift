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
}
