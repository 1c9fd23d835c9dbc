// JPEG thumbnails for the strip and for the EXIF block.

import CameraCore
import Foundation
import Localization
import PhotoEffects

/// Makes thumbnails, one after another. Not for several threads at once: each thread has its own.
public final class JPEGThumbnailer {
  /// The longer side, in pixels.
  public static let maximumSide = 160
  /// In bytes: with the rest of the EXIF block it has to fit into one segment of 64 KiB.
  public static let maximumCount = 48 << 10

  /// Whether the end of the last picture was missing.
  public var isCut: Bool { decoder.isCut }

  private let decoder: JPEGDecoder
  private let encoder: JPEGEncoder

  /// - Throws: `JPEGCodecError` when there is no memory.
  public init() throws {
    decoder = try JPEGDecoder()
    encoder = try JPEGEncoder()
  }

  /// A JPEG that fits into 160×160 pixels and 48 KiB, with 4:2:0 chroma. A smaller picture keeps its size.
  ///
  /// The picture is decoded at the cheapest scale that is large enough, then averaged down: under 3 ms for 1080p.
  ///
  /// - Throws: `JPEGCodecError` when the picture can't be decoded.
  public func makeThumbnail(_ jpeg: UnsafeRawBufferPointer) throws -> Data {
    let whole = try decoder.header(of: jpeg).size
    let size = whole.fitted(into: PixelSize(width: Self.maximumSide, height: Self.maximumSide))
    var image = try decoder.decode(jpeg, atLeast: size, quality: .fast)
    if image.size != size { image = image.averaged(to: size) }
    // 160×160 pixels take some 8 KiB; only pure noise would need another try.
    for quality in [85, 70, 50, 25] {
      let thumbnail: Data = try encoder.encode(image, quality: quality)
      if thumbnail.count <= Self.maximumCount { return thumbnail }
    }
    throw JPEGCodecError(message: localized("no thumbnail could be made"))
  }
}
