// Pictures with more than 8 bits a channel: what is encoded is decoded again.

import CameraCore
import Foundation
import PhotoEffects
import Testing

@testable import StillCodecs

@Suite("Codecs with 16 bits a channel")
struct DeepCodecTests {
  private static let size = PixelSize(width: 256, height: 64)

  /// A smooth gradient of gray and colors, with 16 levels to each of 8 bits.
  private static var picture: DeepPixels {
    DeepPixels(size) { pixels in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let value = 20_000 + 16 * x + 100 * y
          pixels[y * size.width + x] = DeepPixels.Pixel(UInt16(value), UInt16(value + 3_000), UInt16(value + 6_000), 0)
        }
      }
    }
  }

  /// The mean difference of all values of two pictures, in steps of 16 bits.
  private static func difference(_ one: DeepPixels, _ other: DeepPixels) -> Double {
    one.withPixels { one in
      other.withPixels { other in
        let sums = (0..<size.area).map { index in
          let (a, b) = (SIMD4<Int>(truncatingIfNeeded: one[index]), SIMD4<Int>(truncatingIfNeeded: other[index]))
          return (0..<3).reduce(0) { $0 + abs(a[$1] - b[$1]) }
        }
        return Double(sums.reduce(0, +)) / Double(3 * size.area)
      }
    }
  }

  @Test("Formats keep what they can", arguments: [PhotoFormat.png, .tiff, .jxl, .heic, .avif])
  func roundTrip(_ format: PhotoFormat) throws {
    let picture = Self.picture
    let file = try StillCodecs.encode(picture, as: format, quality: .edit)
    guard let file else {
      // Encoders that have 8 bits.
      #expect(format.isHEIF && StillCodecs.missingDeepEncoder(for: format) != nil)
      return
    }
    let back = try #require(try StillCodecs.decodeDeep(file, as: format))
    #expect(back.pixels.size == Self.size)
    let difference = Self.difference(picture, back.pixels)
    switch format {
    case .png, .tiff: #expect(difference == 0)
    // A step of 8 bits is 257.
    case .jxl: #expect(difference < 100, "\(difference)")
    default: #expect(difference < 400, "\(difference)")
    }
    let levels = back.pixels.withPixels { pixels in Set((0..<Self.size.width).map { pixels[$0].x }) }
    // The row covers 16 levels of 8 bits.
    #expect(levels.count > 24, "\(levels.count)")
    // With 8 bits it is the same picture.
    let plain = try StillCodecs.decode(file, as: format)
    #expect(Self.difference(DeepPixels(widening: plain.image), back.pixels) < 400)
  }

  @Test("Files of 8 bits have no more", arguments: [PhotoFormat.png, .tiff, .jxl, .heic, .avif, .webp, .gif])
  func shallow(_ format: PhotoFormat) throws {
    guard StillCodecs.missingEncoder(for: format) == nil else { return }
    let file = try StillCodecs.encode(Self.picture.narrowed, as: format)
    #expect(try StillCodecs.decodeDeep(file, as: format) == nil)
  }

  @Test("Raw files are developed with 16 bits, and look as with 8")
  func raw() throws {
    let file = try RAWCodecTests.file()
    let deep = try #require(try StillCodecs.decodeDeep(file, as: .raw))
    let plain = try StillCodecs.decode(file, as: .raw)
    #expect(deep.pixels.size == plain.image.size)
    let narrowed = deep.pixels.narrowed
    #expect(narrowed.block.withUnsafeBytes { one in plain.image.block.withUnsafeBytes { one.elementsEqual($0) } })
  }
}
