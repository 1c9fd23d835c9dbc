// Pixels between the codecs' orders and the program's own.

import CameraCore

/// The fourth byte of a decoder's pixels.
enum Opacity {
  case none
  /// The colors are as if the picture were opaque.
  case straight
  /// The colors are multiplied by it already.
  case premultiplied
}

extension DecodedImage {
  /// A picture that a decoder fills in, as rows of four bytes without gaps: red, green, blue and opacity. What is transparent
  /// becomes white.
  ///
  /// - Parameter fill: Writes all pixels.
  static func opaque(
    _ size: PixelSize, _ opacity: Opacity, fill: (UnsafeMutablePointer<UInt8>) throws(StillCodecError) -> Void
  ) throws(StillCodecError) -> DecodedImage {
    var failure: StillCodecError?
    let block = FrameBlock(count: size.area * 4) { memory in
      guard let pixels = memory.bindMemory(to: UInt8.self).baseAddress else { return }
      do throws(StillCodecError) { try fill(pixels) } catch { failure = error }
      if failure == nil { turn(pixels, count: size.area, opacity) }
    }
    if let failure { throw failure }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }

  /// The same from rows that may have gaps.
  static func opaque(
    rgba source: UnsafePointer<UInt8>, stride: Int, size: PixelSize, _ opacity: Opacity
  ) throws(StillCodecError) -> DecodedImage {
    try opaque(size, opacity) { (pixels: UnsafeMutablePointer<UInt8>) throws(StillCodecError) in
      for y in 0..<size.height {
        (pixels + y * size.width * 4).update(from: source + y * stride, count: size.width * 4)
      }
    }
  }

  /// Turns red, green, blue and opacity into blue, green, red and nothing, over white.
  private static func turn(_ pixels: UnsafeMutablePointer<UInt8>, count: Int, _ opacity: Opacity) {
    var pixel = pixels
    for _ in 0..<count {
      var (red, green, blue) = (pixel[0], pixel[1], pixel[2])
      if opacity != .none, pixel[3] != 255 {
        let alpha = opacity == .straight ? Int(pixel[3]) : 255
        let white = 255 * (255 - Int(pixel[3]))
        func over(_ value: UInt8) -> UInt8 { UInt8(min(255, (Int(value) * alpha + white + 127) / 255)) }
        (red, green, blue) = (over(red), over(green), over(blue))
      }
      (pixel[0], pixel[1], pixel[2], pixel[3]) = (blue, green, red, 0)
      pixel += 4
    }
  }

  /// The pixels as red, green and blue, three bytes each, without gaps.
  var rgb: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size.area * 3) { target, count in
      block.withUnsafeBytes { bytes in
        var to = 0
        for y in 0..<size.height {
          for at in Swift.stride(from: y * stride, to: y * stride + size.width * 4, by: 4) {
            (target[to], target[to + 1], target[to + 2]) = (bytes[at + 2], bytes[at + 1], bytes[at])
            to += 3
          }
        }
      }
      count = size.area * 3
    }
  }
}
