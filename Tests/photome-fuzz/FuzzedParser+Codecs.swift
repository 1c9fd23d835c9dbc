// The codecs of pictures: our code around the decoders of other projects, and those decoders.

import CameraCore
import Foundation
import MediaFormats
import PhotoEffects

@testable import StillCodecs

extension FuzzedParser {
  /// Pixels are decoded in this process, whose end is a finding; in the program a process of its own takes it.
  static let ofCodecs = [PhotoFormat.heic, .avif, .png, .webp, .tiff, .gif, .jxl, .raw].map { format in
    FuzzedParser(name: "codec-\(format.rawValue)", seeds: { try Seeds.pictures(format) }, words: words(format)) {
      try check($0, as: format)
    }
  }

  /// In pixels. Larger ones would only be slower, and have tests of their own.
  private static let largestArea = 1 << 18
  /// Of an animation, at most.
  private static let mostFrames = 8

  private static func words(_ format: PhotoFormat) -> [String] {
    switch format {
    case .heic, .avif: Words.heif
    case .png: Words.png + ["acTL", "fcTL", "fdAT", "tRNS", "PLTE", "cICP", "sRGB"]
    case .webp: Words.webp
    case .gif: Words.gif
    case .jxl: Words.jxl
    default: Words.raw
    }
  }

  /// Decodes it in every way: whole, small, with 16 bits a channel, as an animation.
  private static func check(_ bytes: Data, as format: PhotoFormat) throws {
    guard let head = try PictureHead(FuzzedBytes(bytes)), head.size.area <= largestArea else { return }
    let codec = try StillCodecTable.codec(of: format)
    let small = PixelSize(width: 16, height: 16)
    for needed in [nil, small] {
      guard let still = try? StillCodecs.decodeHere(bytes, as: format, needed: needed) else { continue }
      check(still.image)
      // Colors of half the size, and crops, are rounded.
      let (size, least) = (still.image.size, min(head.size.width, small.width) - 2)
      precondition(needed == nil || max(size.width, size.height) >= least, "a picture smaller than is needed")
    }
    if let deep = try? codec.decodeDeep(bytes) {
      let size = deep.pixels.size
      precondition(size.width > 0 && size.height > 0, "a size of nothing")
      precondition(
        deep.pixels.block.count >= size.area * MemoryLayout<DeepPixels.Pixel>.stride, "pixels that are not there")
    }
    _ = try? codec.colors(of: bytes)
    guard let reader = try? codec.frames(of: bytes) else { return }
    precondition(reader.loopCount >= 0, "less than no repetition")
    for _ in 0..<mostFrames {
      guard let frame = try reader.next() else { return }
      check(frame.image)
      precondition(frame.duration >= 0 && frame.duration.isFinite, "a frame of no time")
    }
  }

  static func check(_ image: DecodedImage) {
    precondition(image.size.width > 0 && image.size.height > 0, "a size of nothing")
    precondition(image.stride >= 4 * image.size.width, "rows that overlap")
    precondition(
      image.block.count >= image.stride * (image.size.height - 1) + 4 * image.size.width, "pixels that are not there")
  }
}

extension Seeds {
  /// Small pictures that can be decoded, with 8 and with more bits a channel.
  static func pictures(_ format: PhotoFormat) throws -> [Data] {
    switch format {
    case .gif: return gifs()
    case .raw: return try rawPictures()
    default: break
    }
    let size = PixelSize(width: 24, height: 16)
    let block = FrameBlock(count: 4 * size.area) { memory in
      for index in memory.indices { memory[index] = UInt8(truncatingIfNeeded: index * 7) }
    }
    let image = DecodedImage(size: size, stride: 4 * size.width, block: block)
    let deep = DeepPixels(size) { pixels in
      for index in 0..<size.area {
        let value = UInt16(truncatingIfNeeded: index * 1237)
        pixels[index] = DeepPixels.Pixel(value, value &* 3, value &* 5, 0)
      }
    }
    var files = [
      try StillCodecs.encode(image, as: format), try StillCodecs.encode(deep, as: format) ?? Data(),
    ]
    if format == .png { files += animations() }
    if format == .tiff { files += tiffs() }
    return files.filter { !$0.isEmpty }
  }
}
