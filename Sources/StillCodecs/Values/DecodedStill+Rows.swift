// Pixels between the codecs' orders and the program's own.

import CameraCore
import PhotoEffects

/// The fourth byte of a decoder's pixels.
enum Opacity {
  case none
  /// The colors are as if the picture were opaque.
  case straight
  /// The colors are multiplied by it already.
  case premultiplied
}

extension DecodedStill {
  /// A picture that a decoder fills in, as rows of four bytes without gaps: red, green, blue and opacity. What is transparent
  /// becomes white.
  ///
  /// - Parameter fill: Writes all pixels.
  static func overWhite(
    _ size: PixelSize, _ opacity: Opacity, colors: StillColors = StillColors(),
    fill: (UnsafeMutablePointer<UInt8>) throws(StillCodecError) -> Void
  ) throws(StillCodecError) -> DecodedStill {
    var failure: StillCodecError?
    var alpha: AlphaPlane?
    let block = FrameBlock(count: size.area * 4) { memory in
      guard let pixels = memory.bindMemory(to: UInt8.self).baseAddress else { return }
      do throws(StillCodecError) { try fill(pixels) } catch { failure = error }
      guard failure == nil else { return }
      if opacity != .none { alpha = plane(pixels, size) }
      turn(pixels, count: size.area, alpha == nil ? .none : opacity)
    }
    if let failure { throw failure }
    return DecodedStill(
      image: DecodedImage(size: size, stride: size.width * 4, block: block), alpha: alpha, colors: colors)
  }

  /// The same from rows that may have gaps.
  static func overWhite(
    rgba source: UnsafePointer<UInt8>, stride: Int, size: PixelSize, _ opacity: Opacity,
    colors: StillColors = StillColors()
  ) throws(StillCodecError) -> DecodedStill {
    try overWhite(size, opacity, colors: colors) { (pixels: UnsafeMutablePointer<UInt8>) throws(StillCodecError) in
      for y in 0..<size.height {
        (pixels + y * size.width * 4).update(from: source + y * stride, count: size.width * 4)
      }
    }
  }

  /// The opacity of pixels; `nil` when all are opaque, for which no memory is taken.
  private static func plane(_ pixels: UnsafeMutablePointer<UInt8>, _ size: PixelSize) -> AlphaPlane? {
    guard (0..<size.area).contains(where: { pixels[4 * $0 + 3] != 255 }) else { return nil }
    return AlphaPlane(
      size: size,
      block: FrameBlock(count: size.area) { target in
        for index in target.indices { target[index] = pixels[4 * index + 3] }
      })
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
}

extension DecodedImage {
  /// The pixels as red, green and blue, and opacity where there is some, a byte each, without gaps.
  ///
  /// - Parameter alpha: Of its size; the colors are straight.
  func samples(_ alpha: AlphaPlane?) -> [UInt8] {
    let channels = alpha == nil ? 3 : 4
    return [UInt8](unsafeUninitializedCapacity: size.area * channels) { target, count in
      block.withUnsafeBytes { bytes in
        var to = 0
        for y in 0..<size.height {
          for at in Swift.stride(from: y * stride, to: y * stride + size.width * 4, by: 4) {
            (target[to], target[to + 1], target[to + 2]) = (bytes[at + 2], bytes[at + 1], bytes[at])
            to += channels
          }
        }
      }
      alpha?.block.withUnsafeBytes { plane in
        for index in 0..<size.area { target[4 * index + 3] = plane[index] }
      }
      count = size.area * channels
    }
  }
}
