// Pictures of assets at the size that is wanted.

import CameraCore
import Foundation

/// How a picture fits the size that was asked for.
public enum ImageContentMode: Sendable, Hashable {
  /// All of it is inside the size.
  case aspectFit
  /// It covers the size.
  case aspectFill
}

/// A picture as far as it is ready.
public struct ImageResult: Sendable {
  public var image: DecodedImage
  /// A rough one: the right one follows.
  public var isDegraded: Bool
}

/// Makes pictures of assets: upright, opaque, at the size that is wanted.
public final class ImageManager: Sendable {
  /// - Parameter cacheByteLimit: How many bytes of decoded pixels are kept.
  public init(cacheByteLimit: Int = 32 << 20) {}

  /// The picture, at least as large as the target where the file has as many pixels, and less than twice as large.
  ///
  /// - Returns: `nil` for an asset without a still, which is to say a video.
  /// - Throws: `PhotoLibraryError`, or `CancellationError` when the task was cancelled before it was decoded.
  public func requestImage(
    for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit
  ) async throws -> DecodedImage? { nil }

  /// First a rough picture when there is one at once, then the right one. Ends after that; empty for a video.
  public func requestImages(
    for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit
  ) -> AsyncThrowingStream<ImageResult, any Error> { AsyncThrowingStream { $0.finish() } }

  /// The picture of a JPEG that is in no library yet, as `requestImage` makes it.
  public func decode(_ jpeg: Data, targetSize: PixelSize) async throws -> DecodedImage? { nil }
}
