// Pictures as the inputs of networks.

import CameraCore

/// Reduces pictures to the size of a network's input, as red, green and blue numbers.
enum PictureSampling {
  /// The part of the input that the picture covers, in pixels of the input.
  struct Placement: Equatable {
    var x: Int
    var y: Int
    var size: PixelSize
  }

  /// The placement of a picture that keeps its shape, in the middle of the input; what is left is the caller's to fill.
  static func letterboxed(_ picture: PixelSize, in input: PixelSize) -> Placement {
    let scale = min(
      Double(input.width) / Double(picture.width), Double(input.height) / Double(picture.height))
    let size = PixelSize(
      width: max(1, min(input.width, Int((Double(picture.width) * scale).rounded()))),
      height: max(1, min(input.height, Int((Double(picture.height) * scale).rounded()))))
    return Placement(x: (input.width - size.width) / 2, y: (input.height - size.height) / 2, size: size)
  }

  /// Writes the mean colors of the picture under each pixel of the placement.
  ///
  /// - Parameters:
  ///   - numbers: Three for each pixel of the input.
  ///   - scale: 1 / 255 for 0…1.
  ///   - offset: Added; -1 with 2 / 255 for -1…1.
  static func write(
    _ picture: LentPixels, to numbers: UnsafeMutableBufferPointer<Float>, of input: PixelSize, at placement: Placement,
    scale: Float, offset: Float
  ) {
    let (width, height) = (placement.size.width, placement.size.height)
    let edges = (0...width).map { $0 * picture.size.width / width }
    for y in 0..<height {
      let top = y * picture.size.height / height
      let bottom = max(top + 1, (y + 1) * picture.size.height / height)
      let target = numbers.baseAddress! + 3 * ((placement.y + y) * input.width + placement.x)
      for x in 0..<width {
        let (left, right) = (edges[x], max(edges[x] + 1, edges[x + 1]))
        var sum = SIMD4<UInt32>()
        for row in top..<bottom {
          let pixels = picture.bytes.baseAddress! + row * picture.stride
          for column in left..<right {
            let pixel = pixels.loadUnaligned(fromByteOffset: 4 * column, as: SIMD4<UInt8>.self)
            sum &+= SIMD4<UInt32>(truncatingIfNeeded: pixel)
          }
        }
        let share = scale / Float((bottom - top) * (right - left))
        target[3 * x] = Float(sum.z) * share + offset
        target[3 * x + 1] = Float(sum.y) * share + offset
        target[3 * x + 2] = Float(sum.x) * share + offset
      }
    }
  }
}
