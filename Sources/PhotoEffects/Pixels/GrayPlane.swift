// Planes of bytes that go the way of their picture.

import CameraCore

/// One byte a pixel, row by row without gaps: an alpha plane or a matte.
enum GrayPlane {
  /// The plane of a picture that was turned, scaled or cropped.
  ///
  /// - Parameter change: Does to a gray picture what was done to the picture.
  static func changed<Failure: Error>(
    _ block: FrameBlock, _ size: PixelSize, _ change: (DecodedImage) throws(Failure) -> DecodedImage
  ) throws(Failure) -> (size: PixelSize, block: FrameBlock) {
    let gray = FrameBlock(count: size.area * 4) { target in
      block.withUnsafeBytes { source in
        let pixels = target.bindMemory(to: UInt32.self)
        for index in pixels.indices { pixels[index] = UInt32(source[index]) &* 0x01_0101 }
      }
    }
    let image = try change(DecodedImage(size: size, stride: size.width * 4, block: gray))
    let plane = FrameBlock(count: image.size.area) { target in
      image.block.withUnsafeBytes { source in
        for y in 0..<image.size.height {
          for x in 0..<image.size.width { target[y * image.size.width + x] = source[y * image.stride + 4 * x] }
        }
      }
    }
    return (image.size, plane)
  }
}
