// Makes the small JPEG of a picture, for the strip and for the EXIF block.

import CameraCore
import Foundation

/// Makes thumbnails, one after another. Not for several threads at once: each thread has its own.
public final class JPEGThumbnailer {
  /// On the longer side, in pixels.
  public static let maximumSide = 160
  /// In bytes: with the rest of the EXIF block it has to fit into one segment of 64 KiB.
  public static let maximumCount = 48 << 10

  private let decoder: JPEGDecoder
  private let encoder: JPEGEncoder

  /// - Throws: `JPEGCodecError` when there is no memory.
  public init() throws {
    decoder = try JPEGDecoder()
    encoder = try JPEGEncoder()
  }

  /// A JPEG that fits into 160×160 pixels and 48 KiB, with 4:2:0 colour. A smaller picture keeps its size.
  ///
  /// The picture is decoded at the smallest scale that is large enough, then averaged down: under 3 ms for 1080p.
  ///
  /// - Throws: `JPEGCodecError` when the picture can't be decoded.
  public func makeThumbnail(_ jpeg: UnsafeRawBufferPointer) throws -> Data {
    let whole = try decoder.header(of: jpeg).size
    let size = Self.fit(whole)
    var image = try decoder.decode(jpeg, atLeast: size, quality: .fast)
    if image.size != size { image = image.averaged(to: size) }
    // 160×160 pixels take some 8 KiB; only pure noise would need another try.
    for quality in [85, 70, 50, 25] {
      let thumbnail: Data = try encoder.encode(image, quality: quality)
      if thumbnail.count <= Self.maximumCount { return thumbnail }
    }
    throw JPEGCodecError(message: "no thumbnail under \(Self.maximumCount) bytes could be made")
  }

  /// The largest size of the same shape that fits into the thumbnail's square.
  static func fit(_ size: PixelSize) -> PixelSize {
    let longer = max(size.width, size.height)
    guard longer > maximumSide else { return size }
    func scaled(_ side: Int) -> Int { max(1, (side * maximumSide + longer / 2) / longer) }
    return PixelSize(width: scaled(size.width), height: scaled(size.height))
  }
}

extension DecodedImage {
  /// A smaller copy, each pixel the mean of those that it covers; for reductions of up to some 16 times.
  ///
  /// - Parameter target: At most as wide and as high as the picture.
  func averaged(to target: PixelSize) -> DecodedImage {
    precondition(target.width <= size.width && target.height <= size.height, "Averaging only makes pictures smaller.")
    let result = FrameBlock(count: target.area * 4) { output in
      block.withUnsafeBytes { input in
        for y in 0..<target.height {
          let rows = y * size.height / target.height..<max(y + 1, (y + 1) * size.height / target.height)
          for x in 0..<target.width {
            let columns = x * size.width / target.width..<max(x + 1, (x + 1) * size.width / target.width)
            var sum = SIMD4<UInt32>(repeating: 0)
            for row in rows {
              for column in columns {
                let at = row * stride + column * 4
                sum &+= SIMD4(UInt32(input[at]), UInt32(input[at + 1]), UInt32(input[at + 2]), 0)
              }
            }
            let count = UInt32(rows.count * columns.count)
            let mean = (sum &+ count / 2) / SIMD4(repeating: count)
            let at = (y * target.width + x) * 4
            for channel in 0..<4 { output[at + channel] = UInt8(truncatingIfNeeded: mean[channel]) }
          }
        }
      }
    }
    return DecodedImage(size: target, stride: target.width * 4, block: result)
  }
}
