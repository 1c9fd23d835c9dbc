// A picture with the people in it tinted.

import CameraCore

extension DecodedImage {
  /// Blue, green and red: that of selections, which no skin has.
  private static let tint = SIMD4<Float>(228, 132, 53, 0)
  /// The share of the tint where all of a pixel is the person's.
  private static let tintShare: Float = 0.6

  /// The picture with the color of selections over what belongs to the person.
  ///
  /// - Parameter matte: Of any size.
  public func tinted(by matte: Matte) -> DecodedImage {
    guard matte.presence > 0 else { return self }
    let matte = matte.fitted(to: size)
    let shares = (0..<256).map { Float($0) / 255 * Self.tintShare * Float(min(1, matte.presence)) }
    let block = FrameBlock(count: size.area * 4) { target in
      self.block.withUnsafeBytes { source in
        for y in 0..<size.height {
          target.baseAddress!.advanced(by: y * size.width * 4).copyMemory(
            from: source.baseAddress! + y * stride, byteCount: size.width * 4)
        }
      }
      let view = PixelView(writing: target, size: size, stride: size.width * 4)
      view.blend(matte, shares, threads: 1) { _, _ in Self.tint }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }
}
