// Gray HEIC and AVIF pictures.

import CHEIF
import CameraCore
import Foundation
import PhotoEffects

extension HEIFCodec {
  /// The shortest side that libheif 1.15 codes as it is, in pixels. A smaller picture, and one with an odd side, it pads, and
  /// crops again as a grid of one tile.
  private static let shortestSide = 64

  /// Encodes one plane, and no planes of colors, as one coded picture.
  static func encode(
    _ matte: Matte, as format: PhotoFormat, quality: StillQuality
  ) throws(StillCodecError) -> Data {
    let size = codedSize(of: matte.size)
    try StillLimits.check(size)
    let source = try picture(size == matte.size ? matte.block : stretched(matte, to: size), size)
    defer { heif_image_release(source) }
    return try encode(
      source, hasAlpha: false, as: format, colors: StillColors(), quality: quality, orientation: 1)
  }

  /// The next size with even sides that is long enough, of nearly the same aspect ratio: a matte is stretched over its
  /// picture anyway.
  private static func codedSize(of size: PixelSize) -> PixelSize {
    let shorter = min(size.width, size.height)
    func side(_ side: Int) -> Int {
      let long = shorter < shortestSide ? (side * shortestSide + shorter - 1) / shorter : side
      return (long + 1) / 2 * 2
    }
    return PixelSize(width: side(size.width), height: side(size.height))
  }

  /// Interpolates linearly between the middles of pixels; borders are repeated beyond the border.
  private static func stretched(_ matte: Matte, to size: PixelSize) -> FrameBlock {
    func steps(_ from: Int, _ to: Int) -> [(first: Int, second: Int, share: Float)] {
      (0..<to).map { index in
        let place = max(0, (Float(index) + 0.5) * Float(from) / Float(to) - 0.5)
        let first = min(from - 1, Int(place))
        return (first, min(from - 1, first + 1), place - Float(first))
      }
    }
    let (columns, rows) = (steps(matte.size.width, size.width), steps(matte.size.height, size.height))
    return FrameBlock(count: size.area) { target in
      matte.block.withUnsafeBytes { source in
        for (y, row) in rows.enumerated() {
          let (upper, lower) = (row.first * matte.size.width, row.second * matte.size.width)
          for (x, column) in columns.enumerated() {
            func value(_ start: Int) -> Float {
              let (left, right) = (Float(source[start + column.first]), Float(source[start + column.second]))
              return left + (right - left) * column.share
            }
            let (top, bottom) = (value(upper), value(lower))
            target[y * size.width + x] = UInt8(max(0, min(255, top + (bottom - top) * row.share + 0.5)))
          }
        }
      }
    }
  }

  /// - Parameter block: `size.area` bytes.
  private static func picture(_ block: FrameBlock, _ size: PixelSize) throws(StillCodecError) -> OpaquePointer {
    var picture: OpaquePointer?
    try check(
      heif_image_create(
        Int32(size.width), Int32(size.height), heif_colorspace_monochrome, heif_chroma_monochrome, &picture))
    guard let picture else { throw .noMemory }
    do throws(StillCodecError) {
      try check(heif_image_add_plane(picture, heif_channel_Y, Int32(size.width), Int32(size.height), 8))
      var stride: Int32 = 0
      guard let plane = heif_image_get_plane(picture, heif_channel_Y, &stride) else { throw .noMemory }
      block.withUnsafeBytes { bytes in
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        for y in 0..<size.height {
          (plane + y * Int(stride)).update(from: start + y * size.width, count: size.width)
        }
      }
      return picture
    } catch {
      heif_image_release(picture)
      throw error
    }
  }
}
