// Adds up pictures of one size and tells their mean, as a shutter that stays open does.

import CameraCore
import Foundation

/// The mean of pictures in light: sRGB numbers become light by the curve of IEC 61966-2-1, and come back at the end.
///
///     var average = RunningAverage(size: frames[0].size)
///     for frame in frames { average.add(frame) }
///     average.image  // a long exposure
public struct RunningAverage: Sendable {
  public let size: PixelSize
  /// How many pictures were added.
  public private(set) var count = 0
  private var sums: [UInt32]

  /// Light of an sRGB number, in 4095ths: finer than any two numbers differ on a screen.
  private static let light: [UInt32] = (0...255).map { number in
    let value = Double(number) / 255
    let light = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    return UInt32((light * 4095).rounded())
  }

  /// The nearest sRGB number of each light.
  private static let numbers: [UInt8] = (0...4095).map { number in
    let light = Double(number) / 4095
    let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    return UInt8((min(1, value) * 255).rounded())
  }

  public init(size: PixelSize) {
    self.size = size
    sums = [UInt32](repeating: 0, count: size.area * 3)
  }

  /// Adds a picture; one of another size is left out. For up to a million pictures.
  public mutating func add(_ image: DecodedImage) {
    guard image.size == size else { return }
    count += 1
    let light = Self.light
    sums.withUnsafeMutableBufferPointer { sums in
      image.block.withUnsafeBytes { bytes in
        var at = 0
        for y in 0..<size.height {
          var from = y * image.stride
          for _ in 0..<size.width {
            for channel in 0..<3 { sums[at + channel] &+= light[Int(bytes[from + channel])] }
            at += 3
            from += 4
          }
        }
      }
    }
  }

  /// The mean; `nil` before the first picture.
  public var image: DecodedImage? {
    guard count > 0 else { return nil }
    let (count, half, numbers) = (UInt32(count), UInt32(count / 2), Self.numbers)
    let block = FrameBlock(count: size.area * 4) { bytes in
      for pixel in 0..<size.area {
        for channel in 0..<3 {
          bytes[4 * pixel + channel] = numbers[Int((sums[3 * pixel + channel] + half) / count)]
        }
        bytes[4 * pixel + 3] = 255
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }
}
