// A small copy of a picture, in the form in which it is measured.

import CameraCore

/// The values of a picture of at most `AutoEnhancement.side` pixels a side.
struct PictureSample {
  let size: PixelSize
  /// Red, green and blue of each pixel, sRGB, 0…1.
  let colors: [SIMD3<Float>]
  /// The brightness of each pixel, sRGB, 0…1: ITU-R BT.709's luma.
  let brightness: [Float]
  /// The number of pixels of each brightness, in steps of 1/255.
  private let histogram: [Int]

  init(_ picture: DecodedImage) {
    let longest = max(picture.size.width, picture.size.height)
    var small = picture
    if longest > AutoEnhancement.side {
      func scaled(_ side: Int) -> Int { max(1, side * AutoEnhancement.side / longest) }
      small = picture.averaged(
        to: PixelSize(width: scaled(picture.size.width), height: scaled(picture.size.height)))
    }
    size = small.size
    var colors: [SIMD3<Float>] = []
    colors.reserveCapacity(size.area)
    small.block.withUnsafeBytes { bytes in
      for y in 0..<small.size.height {
        for x in 0..<small.size.width {
          let at = y * small.stride + 4 * x
          colors.append(SIMD3(Float(bytes[at + 2]), Float(bytes[at + 1]), Float(bytes[at])) / 255)
        }
      }
    }
    let weights = SIMD3(ColorTransform.luma709.map { Float($0) })
    self.colors = colors
    brightness = colors.map { ($0 * weights).sum() }
    var histogram = [Int](repeating: 0, count: 256)
    for value in brightness { histogram[min(255, max(0, Int((value * 255).rounded())))] += 1 }
    self.histogram = histogram
  }

  /// The brightness that a part of the pixels doesn't exceed.
  ///
  /// - Parameter part: 0…1; 0.5 for the median.
  func percentile(_ part: Double) -> Double {
    let wanted = part * Double(brightness.count)
    var count = 0.0
    for (value, share) in histogram.enumerated() where share > 0 {
      count += Double(share)
      if count >= wanted { return Double(value) / 255 }
    }
    return 0
  }
}
