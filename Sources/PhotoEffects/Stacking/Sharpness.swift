// How sharp a picture is, for the choice of the best one of a burst.

import CameraCore

/// Measures sharpness by the Tenengrad criterion: the mean squared gradient of the luma, by Sobel's operator. A picture that
/// was blurred by a movement, or is out of focus, has smaller gradients than a sharp one of the same scene.
///
///     Sharpness.tenengrad(of: sharp) > Sharpness.tenengrad(of: blurred)
///
/// The values of different scenes can't be compared, nor those of different sizes. Noise counts as detail: measure pictures
/// that were reduced to some 640 pixels, in which little of it is left.
///
/// Source: J. M. Tenenbaum, “Accommodation in Computer Vision”, 1970; E. Krotkov, “Focusing”, International Journal of
/// Computer Vision 1, 1987.
public enum Sharpness {
  /// The mean of `Gx² + Gy²` over the inner samples, in squared steps of 8 bits: 0 for a plain plane, and for one of less than
  /// 3×3 samples. Takes time in proportion to the samples.
  public static func tenengrad(of luma: BytePlane) -> Double {
    guard luma.width >= 3, luma.height >= 3 else { return 0 }
    var sum: UInt64 = 0
    for y in 1..<luma.height - 1 {
      let (above, here, below) = (luma.row(y - 1), luma.row(y), luma.row(y + 1))
      // A row's sum fits: a gradient is at most 4 · 255 in each direction, and rows are shorter than 2⁴³ samples.
      var row: UInt64 = 0
      for x in 1..<luma.width - 1 {
        let (nw, n, ne) = (Int32(above[x - 1]), Int32(above[x]), Int32(above[x + 1]))
        let (w, e) = (Int32(here[x - 1]), Int32(here[x + 1]))
        let (sw, s, se) = (Int32(below[x - 1]), Int32(below[x]), Int32(below[x + 1]))
        let right = ne &+ 2 &* e &+ se &- nw &- 2 &* w &- sw
        let down = sw &+ 2 &* s &+ se &- nw &- 2 &* n &- ne
        row &+= UInt64(UInt32(bitPattern: right &* right &+ down &* down))
      }
      sum &+= row
    }
    return Double(sum) / Double((luma.width - 2) * (luma.height - 2))
  }

  /// The same for a picture in color.
  public static func tenengrad(of picture: PixelView) -> Double {
    var luma = [UInt8](repeating: 0, count: picture.width * picture.height)
    for y in 0..<picture.height {
      let row = picture.row(y)
      for x in 0..<picture.width {
        let pixel = row[x]
        let (red, green, blue) = (pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255)
        // ITU-R BT.601, in 256ths.
        luma[y * picture.width + x] = UInt8(truncatingIfNeeded: (77 &* red &+ 150 &* green &+ 29 &* blue) >> 8)
      }
    }
    return luma.withUnsafeBytes {
      tenengrad(of: BytePlane($0, width: picture.width, height: picture.height, stride: picture.width))
    }
  }

  /// The same for a decoded picture.
  public static func tenengrad(of image: DecodedImage) -> Double {
    tenengrad(of: image, columns: 0..<image.size.width, rows: 0..<image.size.height)
  }

  /// The same for a part of a decoded picture; 0 for a part outside of it.
  public static func tenengrad(of image: DecodedImage, columns: Range<Int>, rows: Range<Int>) -> Double {
    let columns = columns.clamped(to: 0..<image.size.width)
    let rows = rows.clamped(to: 0..<image.size.height)
    guard !columns.isEmpty, !rows.isEmpty else { return 0 }
    return image.block.withUnsafeBytes { bytes in
      let first = rows.lowerBound * image.stride + columns.lowerBound * 4
      let part = PixelView(
        reading: UnsafeRawBufferPointer(rebasing: bytes[first...]),
        size: PixelSize(width: columns.count, height: rows.count), stride: image.stride)
      return tenengrad(of: part)
    }
  }
}
