// Decoded pictures, and the limits of their sizes.

import CameraCore
import Foundation
import Localization
import PhotoEffects

/// A decoded picture.
public struct DecodedStill: Sendable {
  /// Upright where the format itself turns pictures (HEIF, JPEG XL), else as it is stored; transparent parts are white.
  public var image: DecodedImage
  /// Of the picture's size; `nil` for one that is opaque everywhere.
  public var alpha: AlphaPlane?
  public var colors: StillColors

  public init(image: DecodedImage, alpha: AlphaPlane? = nil, colors: StillColors = StillColors()) {
    (self.image, self.alpha, self.colors) = (image, alpha, colors)
  }

  /// The picture turned, scaled or cropped.
  public func changed(_ change: (DecodedImage) -> DecodedImage) -> DecodedStill {
    DecodedStill(image: change(image), alpha: alpha?.changed(change), colors: colors)
  }
}

/// A decoded picture with 16 bits a channel.
public struct DeepStill: Sendable {
  /// As of `DecodedStill`.
  public var pixels: DeepPixels
  /// As of `DecodedStill`.
  public var alpha: AlphaPlane?
  public var colors: StillColors

  public init(pixels: DeepPixels, alpha: AlphaPlane? = nil, colors: StillColors = StillColors()) {
    (self.pixels, self.alpha, self.colors) = (pixels, alpha, colors)
  }
}

/// One frame of an animated picture, put together with those before it.
public struct StillFrame: Sendable {
  public var image: DecodedImage
  /// Known where the codec runs in this process: a frame that is played needs none.
  var alpha: AlphaPlane?
  /// In seconds.
  public var duration: Double

  public init(image: DecodedImage, duration: Double) { (self.image, self.duration) = (image, duration) }

  init(_ still: DecodedStill, duration: Double) {
    (image, alpha, self.duration) = (still.image, still.alpha, duration)
  }
}

/// The limits of pictures that are decoded.
public enum StillLimits {
  /// The largest picture, in pixels: those of phones with 200 million; 880 MB at 4 bytes each, and 220 MB where
  /// parts are transparent.
  static let largestArea = 220_000_000
  /// The largest picture that is decoded with 16 bits a channel, in pixels: 0.5 GB, and twice that while it is rendered;
  /// 64 MB more where parts are transparent.
  static let largestDeepArea = 64_000_000
  /// The largest canvas that is played, in pixels: that of 8K. Its frames take several times their four bytes a pixel; a larger
  /// one is shown as a still picture.
  static let largestCanvas = 1 << 25
  /// In pixels, on either side.
  static let largestSide = 65_535

  /// Decoding that takes more bytes than this is done one picture at a time, whatever the number of threads.
  private static let largeAmount = 32 << 20
  private static let largeOnes = TurnLock()

  /// Checks a size before anything is allocated for it.
  static func check(_ size: PixelSize) throws(StillCodecError) {
    guard size.width > 0, size.height > 0, size.width <= largestSide, size.height <= largestSide,
      size.area <= largestArea
    else { throw StillCodecError(localized("\(size.localized) pixels are too many")) }
  }

  /// Runs a decoder; large pictures one after another, and those that may be larger than they state.
  ///
  /// - Parameter isCancelled: Gives up the place among large pictures when it is set.
  /// - Throws: What `body` throws, or `StillCodecError.cancelled`.
  static func limited<R>(
    _ size: PixelSize, isTrusted: Bool = true, unless isCancelled: CancellationFlag? = nil,
    _ body: () throws(StillCodecError) -> R
  ) throws(StillCodecError) -> R {
    // The pixels twice, and their opacity.
    try limited(bytes: isTrusted ? size.area * 9 : .max, unless: isCancelled, body)
  }

  /// The same for a decoder whose need of memory is known. It isn't to be called by `body`.
  ///
  /// - Parameter bytes: The memory that is used at once; those that may use any amount are `.max`.
  /// - Throws: What `body` throws, or a cancellation.
  public static func limited<R>(
    bytes: Int, unless isCancelled: CancellationFlag? = nil, _ body: () throws(StillCodecError) -> R
  ) throws(StillCodecError) -> R {
    let isLarge = bytes > largeAmount
    if isLarge { guard largeOnes.lock(unless: isCancelled) else { throw .cancelled } }
    defer { if isLarge { largeOnes.unlock() } }
    return try body()
  }

  /// In bytes: the pixels with 16 bits a channel twice, and their opacity.
  static func deepAmount(_ size: PixelSize) -> Int { size.area * 17 }
}
