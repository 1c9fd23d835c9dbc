// Mattes that follow their picture through geometry and sizes.

import CameraCore

extension Matte {
  /// The matte of a picture that was turned, scaled or cropped.
  ///
  /// - Parameter change: Does to a gray picture what was done to the picture.
  public func changed<Failure: Error>(
    _ change: (DecodedImage) throws(Failure) -> DecodedImage
  ) throws(Failure) -> Matte {
    let (size, block) = try GrayPlane.changed(block, size, change)
    return Matte(size: size, block: block, presence: presence)
  }

  /// The matte at the size of its picture, of which each pixel is the mean of what it covers where that is smaller.
  public func reduced(to size: PixelSize) -> Matte {
    let needed = PixelSize(width: min(size.width, self.size.width), height: min(size.height, self.size.height))
    guard needed != self.size, needed.area > 0 else { return fitted(to: size) }
    return changed { $0.averaged(to: needed) }.fitted(to: size)
  }

  /// The matte at the size of its picture, linear between the centers of pixels.
  public func fitted(to size: PixelSize) -> Matte {
    guard size != self.size else { return self }
    let block = FrameBlock(count: size.area) { target in
      self.block.withUnsafeBytes { source in
        let across = LinearPlaces(from: self.size.width, to: size.width)
        let down = LinearPlaces(from: self.size.height, to: size.height)
        for y in 0..<size.height {
          let (row, low) = down[y]
          let upper = row * self.size.width
          let lower = min(row + 1, self.size.height - 1) * self.size.width
          for x in 0..<size.width {
            let (left, share) = across[x]
            let right = min(left + 1, self.size.width - 1)
            let top = Float(source[upper + left]) * (1 - share) + Float(source[upper + right]) * share
            let bottom = Float(source[lower + left]) * (1 - share) + Float(source[lower + right]) * share
            target[y * size.width + x] = UInt8(top + (bottom - top) * low + 0.5)
          }
        }
      }
    }
    return Matte(size: size, block: block, presence: presence)
  }
}

/// The places of a larger picture's pixels among those of a smaller one, by their centers.
struct LinearPlaces {
  private let places: [(index: Int32, share: Float)]

  /// - Parameters:
  ///   - small: The smaller picture's length, at least 1.
  ///   - scale: The length of its pixels in those of the larger one; `nil` for both having one length.
  init(from small: Int, to large: Int, scale: Float? = nil) {
    let step = scale.map { 1 / $0 } ?? Float(small) / Float(large)
    places = (0..<large).map { index in
      let place = max(0, min(Float(small - 1), (Float(index) + 0.5) * step - 0.5))
      let whole = min(Int(place), small - 1)
      return (Int32(whole), place - Float(whole))
    }
  }

  /// The pixel before a place, and the share of the one after it.
  @inline(__always)
  subscript(index: Int) -> (index: Int, share: Float) { (Int(places[index].index), places[index].share) }
}
