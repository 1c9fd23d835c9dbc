// Sample pictures: raw frames, JPEGs, a camera's noise, and the change between two pictures.

import CameraCore
import Foundation
import MediaEngine
import PhotoEffects

extension PixelBuffer {
  /// - Parameter raw: BGRA, row after row.
  init(raw: Data, size: PixelSize) throws {
    guard raw.count == size.area * 4 else { throw BenchError("The frame is not \(size) pixels.") }
    self.init(size: size)
    withView { view in
      raw.withUnsafeBytes { bytes in
        view.pixels.update(from: bytes.assumingMemoryBound(to: UInt32.self).baseAddress!, count: size.area)
      }
    }
  }

  /// Adds noise; the sum of four uniform numbers is close enough to a normal one.
  func addingNoise(deviation: Double, using random: inout BenchRandom) -> PixelBuffer {
    var result = self
    let width = deviation * 1.732
    result.withView { view in
      for index in 0..<size.area {
        let bits = random.next()
        var sum = 0.0
        for part in 0..<4 { sum += Double(bits >> (16 * UInt64(part)) & 0xFFFF) / 32767.5 - 1 }
        let step = Int((sum / 2 * width).rounded())
        var pixel: UInt32 = 0xFF00_0000
        for shift: UInt32 in [0, 8, 16] {
          let value = Int(view.pixels[index] >> shift & 0xFF) + step
          pixel |= UInt32(min(255, max(0, value))) << shift
        }
        view.pixels[index] = pixel
      }
    }
    return result
  }

  func jpeg() throws -> Data {
    let block = pixels.withUnsafeBytes { FrameBlock(copying: $0) }
    return try JPEGEncoder().encode(DecodedImage(size: size, stride: size.width * 4, block: block), quality: 92)
  }

  /// The matte of a picture.
  func matte(by tracker: any MatteTracker, time: Double) throws -> Matte {
    try pixels.withUnsafeBytes { try tracker.matte(of: LentPixels($0, size: size, stride: 4 * size.width), time: time) }
  }

  /// The mean difference of all channels, in steps of 255.
  func meanChange(from other: PixelBuffer) -> Double {
    var sum = 0
    for (one, two) in zip(pixels, other.pixels) {
      for shift: UInt32 in [0, 8, 16] { sum += abs(Int(one >> shift & 0xFF) - Int(two >> shift & 0xFF)) }
    }
    return Double(sum) / Double(3 * size.area)
  }
}
