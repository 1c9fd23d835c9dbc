// The mean of several pictures: a long exposure.

import CameraCore
import Foundation

/// The mean of pictures in linear light (IEC 61966-2-1), accumulated as integers and converted back at the end, so that no
/// picture is rounded twice.
///
///     var average = RunningAverage(size: frames[0].size)
///     for frame in frames { average.add(frame) }
///     average.image  // a long exposure
public struct RunningAverage: Sendable {
  public let size: PixelSize
  private var weight: UInt64 = 0
  /// Blue, green and red of each pixel.
  private var sums: [UInt64]

  /// White in linear light: finer than the difference of any two sRGB values.
  private static let white = 65535

  /// The linear light of each sRGB value.
  private static let light: [UInt64] = (0...255).map { number in
    UInt64((ToneCurve.linear(Double(number) / 255) * Double(white)).rounded())
  }

  /// The nearest sRGB value of each linear light.
  private static let numbers: [UInt8] = (0...white).map { number in
    let value = ToneCurve.encoded(Double(number) / Double(white))
    return UInt8((min(1, max(0, value)) * 255).rounded())
  }

  public init(size: PixelSize) {
    self.size = size
    sums = [UInt64](repeating: 0, count: size.area * 3)
  }

  /// Adds a picture; one of another size is ignored.
  ///
  /// - Parameter weight: For example its duration in microseconds: a day fits.
  public mutating func add(_ picture: PixelView, weight: UInt64 = 1) {
    guard picture.size == size, weight > 0 else { return }
    self.weight += weight
    Self.light.withUnsafeBufferPointer { light in
      sums.withUnsafeMutableBufferPointer { sums in
        var at = 0
        for y in 0..<size.height {
          let row = picture.row(y)
          for x in 0..<size.width {
            let pixel = row[x]
            sums[at] &+= light[Int(pixel & 0xFF)] &* weight
            sums[at &+ 1] &+= light[Int(pixel >> 8 & 0xFF)] &* weight
            sums[at &+ 2] &+= light[Int(pixel >> 16 & 0xFF)] &* weight
            at &+= 3
          }
        }
      }
    }
  }

  /// Adds a picture; one of another size is ignored.
  public mutating func add(_ image: DecodedImage) {
    image.block.withUnsafeBytes { bytes in
      guard let pixels = bytes.assumingMemoryBound(to: UInt32.self).baseAddress else { return }
      // The picture is only read.
      add(
        PixelView(
          pixels: UnsafeMutablePointer(mutating: pixels), width: image.size.width, height: image.size.height,
          stride: image.stride / 4))
    }
  }

  /// The mean; `nil` before the first picture.
  public var image: DecodedImage? {
    guard weight > 0 else { return nil }
    let (weight, half, numbers) = (weight, weight / 2, Self.numbers)
    let block = FrameBlock(count: size.area * 4) { bytes in
      for pixel in 0..<size.area {
        for channel in 0..<3 {
          bytes[4 * pixel + channel] = numbers[Int((sums[3 * pixel + channel] + half) / weight)]
        }
        bytes[4 * pixel + 3] = 255
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }
}
