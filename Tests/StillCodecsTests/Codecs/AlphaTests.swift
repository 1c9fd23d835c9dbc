// Transparent parts: what is encoded is decoded, through the decoder processes too, whose word on them is checked.

import CameraCore
import Foundation
import PhotoEffects
import TestSupport
import Testing

@testable import StillCodecs

@Suite("Transparent parts")
struct AlphaTests {
  static let formats: [PhotoFormat] = [.png, .webp, .tiff, .jxl, .avif, .heic]
  private static let size = PixelSize(width: 96, height: 64)

  /// Opaque on the left, transparent on the right; half transparent in the lower left.
  static func alpha(_ size: PixelSize = size, opaque: UInt8 = 255) -> AlphaPlane? {
    AlphaPlane(
      size: size,
      block: FrameBlock(count: size.area) { target in
        for index in 0..<size.area {
          let (x, y) = (index % size.width, index / size.width)
          target[index] = x >= size.width / 2 ? opaque == 255 ? 0 : opaque : y >= size.height / 2 ? 128 : 255
        }
      })
  }

  /// Of one color.
  static func image(_ size: PixelSize = size) -> DecodedImage {
    let block = FrameBlock(count: size.area * 4) { target in
      for at in stride(from: 0, to: target.count, by: 4) {
        (target[at], target[at + 1], target[at + 2], target[at + 3]) = (40, 80, 200, 0)
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }

  /// The opacity at the middle of the upper left, the lower left and the right.
  private func parts(_ alpha: AlphaPlane) -> [Int] {
    let (width, height) = (alpha.size.width, alpha.size.height)
    return [(width / 4, height / 4), (width / 4, 3 * height / 4), (3 * width / 4, height / 2)].map { x, y in
      alpha.block.withUnsafeBytes { Int($0[y * width + x]) }
    }
  }

  private func isRight(_ alpha: AlphaPlane) -> Bool {
    zip(parts(alpha), [255, 128, 0]).allSatisfy { abs($0 - $1) <= 2 }
  }

  @Test("They are kept", arguments: formats)
  func roundTrip(_ format: PhotoFormat) throws {
    let data = try StillCodecs.encode(Self.image(), alpha: Self.alpha(), as: format)
    for still in [try StillCodecs.decode(data, as: format), try StillCodecs.decodeHere(data, as: format)] {
      let alpha = try #require(still.alpha)
      #expect(alpha.size == Self.size && still.image.size == Self.size)
      #expect(isRight(alpha), "\(parts(alpha))")
      // Over white, and without it.
      let shown = still.image.block.bytes
      #expect(shown[4 * (Self.size.area - 1)] > 250)
      let colors = alpha.straight(still.image).block.bytes
      let half = 4 * (Self.size.width * (3 * Self.size.height / 4) + Self.size.width / 4)
      for (found, wanted) in zip(colors[half..<half + 3], [40, 80, 200]) { #expect(abs(Int(found) - wanted) < 12) }
    }
    // Smaller, as a size for the screen needs it.
    let small = try StillCodecs.decode(data, as: format, needed: PixelSize(width: 24, height: 16))
    let alpha = try #require(small.alpha)
    #expect(alpha.size == small.image.size && isRight(alpha), "\(parts(alpha))")
  }

  @Test("They are kept with 16 bits a channel", arguments: [PhotoFormat.png, .tiff, .jxl, .avif, .heic])
  func deep(_ format: PhotoFormat) throws {
    let picture = DeepPixels(Self.size) { pixels in
      for index in 0..<Self.size.area { pixels[index] = .init(50_000, 20_000, UInt16(10_000 + index), 0) }
    }
    guard let data = try StillCodecs.encode(picture, alpha: Self.alpha(), as: format) else {
      #expect(format.isHEIF && StillCodecs.missingDeepEncoder(for: format) != nil)
      return
    }
    let still = try #require(try StillCodecs.decodeDeep(data, as: format))
    let alpha = try #require(still.alpha)
    #expect(alpha.size == Self.size && isRight(alpha), "\(parts(alpha))")
    let straight = alpha.straight(still.pixels)
    let half = Self.size.width * (3 * Self.size.height / 4) + Self.size.width / 4
    let (found, wanted) = straight.withPixels { pixels in picture.withPixels { (pixels[half], $0[half]) } }
    let most = [.png, .tiff].contains(format) ? 2 : 3_000
    for channel in 0..<3 { #expect(abs(Int(found[channel]) - Int(wanted[channel])) <= most) }
  }

  @Test("A picture that is opaque everywhere has none", arguments: formats)
  func opaque(_ format: PhotoFormat) throws {
    let plain = try StillCodecs.encode(Self.image(), as: format)
    #expect(try StillCodecs.decode(plain, as: format).alpha == nil)
    #expect(try StillCodecs.decodeHere(plain, as: format).alpha == nil)
  }

  @Test("A channel of opacity that is full everywhere is none")
  func fullChannel() throws {
    // One pixel of gray and full opacity.
    let head = HandMadeMovie.words(1, 1) + [8, 4, 0, 0, 0]
    let stored: [UInt8] = [0x78, 1, 1, 3, 0, 0xfc, 0xff, 0, 100, 255] + HandMadeMovie.words(0x01ca_0164)
    let data =
      HandMadePNG.signature + HandMadePNG.chunk("IHDR", head) + HandMadePNG.chunk("IDAT", stored)
      + HandMadePNG.chunk("IEND", [])
    let still = try StillCodecs.decode(Data(data), as: .png)
    #expect(still.alpha == nil && still.image.block.bytes == [100, 100, 100, 0])
  }

  @Test("Transparent parts of a GIF are known")
  func gif() throws {
    var frame = HandMadeGIF.Frame(width: 8, height: 8, color: 20)
    frame.transparent = 20
    let data = HandMadeGIF(width: 8, height: 8, frames: [frame]).data
    #expect(try StillCodecs.decode(data, as: .gif).alpha?.block.bytes == [UInt8](repeating: 0, count: 64))
    frame.transparent = nil
    let opaque = HandMadeGIF(width: 8, height: 8, frames: [frame]).data
    #expect(try StillCodecs.decode(opaque, as: .gif).alpha == nil)
  }

  @Test("A plane of another size than its picture is refused, and one that isn't there")
  func liar() throws {
    let data = try StillCodecs.encode(Self.image(), alpha: Self.alpha(), as: .webp)
    let process = try DecoderProcess(program: try #require(DecoderProgram.path))
    guard
      case .reply(var reply) = try process.ask(DecoderRequest(work: .decode, format: .webp, length: data.count), data)
    else {
      Issue.record("no answer")
      return
    }
    #expect(reply.alphaLength == Self.size.area)
    #expect(try process.still(reply).alpha.map(isRight) == true)
    for length in [1, -1, Self.size.area - 1, Self.size.area + 1, .max, .min] {
      reply.alphaLength = length
      #expect(throws: StillCodecError.self) { try process.still(reply) }
    }
    // As many bytes as pixels, of which there are none.
    let plain = try StillCodecs.encode(Self.image(), as: .webp)
    guard
      case .reply(var other) = try process.ask(DecoderRequest(work: .decode, format: .webp, length: plain.count), plain)
    else {
      Issue.record("no answer")
      return
    }
    #expect(other.alphaLength == 0)
    other.alphaLength = Self.size.area
    #expect(throws: StillCodecError.self) { try process.still(other) }
  }
}
