// The small picture that a JPEG carries in its EXIF block.

import CameraCore
import Foundation
import MediaFormats

extension ScaledJPEG {
  /// Of the longer side, in pixels: what cameras write (DCF 2.0 wants 160 × 120).
  private static let thumbnailSide = 160
  private static let thumbnailQuality: Int32 = 80

  /// A JPEG of at most 160 pixels a side, of the same shape.
  static func thumbnail(of jpeg: Data) throws(PhotoLibraryError) -> Data {
    let path = "the edited picture"
    let side = PixelSize(width: thumbnailSide, height: thumbnailSide)
    let head: JPEGSegments
    do throws(JPEGStreamError) { head = try JPEGSegments(parsing: jpeg) } catch {
      throw .unusableFile(path: path, reason: error.description)
    }
    let needed = ImageContentMode.aspectFit.neededSize(of: head.size, for: side)
    let image = try decode(jpeg, needed: needed, path: path).resized(to: needed)
    guard let thumbnail = encode(image, quality: thumbnailQuality, hasFullColors: false) else {
      throw .unusableFile(path: path, reason: "no thumbnail can be made of it")
    }
    return thumbnail
  }
}

extension DecodedImage {
  /// Made smaller by less than a half, each pixel the mean of those that it stands for, weighted by how much of them it
  /// covers (box filter).
  fileprivate func resized(to target: PixelSize) -> DecodedImage {
    guard target.width < size.width || target.height < size.height else { return self }
    let (horizontal, vertical) = (
      Double(size.width) / Double(target.width), Double(size.height) / Double(target.height)
    )
    return block.withUnsafeBytes { source in
      let block = FrameBlock(count: target.area * 4) { pixels in
        for y in 0..<target.height {
          let (top, bottom) = (Double(y) * vertical, Double(y + 1) * vertical)
          for x in 0..<target.width {
            let (left, right) = (Double(x) * horizontal, Double(x + 1) * horizontal)
            var (sums, weight) = (SIMD4<Double>.zero, 0.0)
            for row in Int(top)..<min(size.height, Int(bottom.rounded(.up))) {
              let high = min(bottom, Double(row + 1)) - max(top, Double(row))
              for column in Int(left)..<min(size.width, Int(right.rounded(.up))) {
                let share = high * (min(right, Double(column + 1)) - max(left, Double(column)))
                let at = row * stride + column * 4
                sums +=
                  share
                  * SIMD4(
                    Double(source[at]), Double(source[at + 1]), Double(source[at + 2]), Double(source[at + 3]))
                weight += share
              }
            }
            for channel in 0..<4 {
              pixels[(y * target.width + x) * 4 + channel] = UInt8((sums[channel] / max(weight, 1e-9)).rounded())
            }
          }
        }
      }
      return DecodedImage(size: target, stride: target.width * 4, block: block)
    }
  }
}
