// The interface to the codecs of still pictures.

import CameraCore
import Foundation
import Localization
import PhotoEffects

/// A codec of one file format, or of one family of them.
///
/// A decoder gets untrusted bytes: it checks the stated size by `StillLimits` before anything is allocated for it, and sets the
/// limits of its library. All of it blocks; any thread.
protocol StillCodec: Sendable {
  /// Whether files are decoded in a process of their own, which may read and compute and nothing else: see
  /// `DecoderPool`.
  static var isIsolated: Bool { get }

  /// Decodes a picture, of an animated one the first frame.
  ///
  /// - Parameter needed: The smallest size that will do, where decoding to less is faster, or where the file has a smaller
  ///   picture of the same scene; `nil` for the picture itself.
  static func decode(_ data: Data, needed: PixelSize?) throws(StillCodecError) -> DecodedStill

  /// The same; gives up the place among large pictures when `isCancelled` is set. For codecs that aren't isolated.
  static func decode(
    _ data: Data, needed: PixelSize?, unless isCancelled: CancellationFlag?
  ) throws(StillCodecError) -> DecodedStill

  /// Decodes a picture with 16 bits a channel; `nil` when the file has 8, or has them in a form that isn't read.
  static func decodeDeep(_ data: Data) throws(StillCodecError) -> DeepStill?

  /// The same; gives up the place among large pictures when `isCancelled` is set. For codecs that aren't isolated.
  static func decodeDeep(
    _ data: Data, unless isCancelled: CancellationFlag?
  ) throws(StillCodecError) -> DeepStill?

  /// Encodes a picture with more than 8 bits a channel, without metadata; `nil` when the format or the installed encoder
  /// has 8.
  ///
  /// - Parameter alpha: Of the picture's size; its colors are straight then.
  static func encode(
    _ image: DeepPixels, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data?

  /// What the values mean once the picture is decoded; those of sRGB when the file doesn't say.
  ///
  /// - Throws: When the file can't be read.
  static func colors(of data: Data) throws(StillCodecError) -> StillColors

  /// The frames of an animated picture; `nil` for a still one.
  static func frames(of data: Data) throws(StillCodecError) -> (any StillFrameReader)?

  /// The reason why pictures can't be saved in a format, and what can be done; `nil` when they can.
  static func missingEncoder(for format: PhotoFormat) -> String?

  /// Encodes a picture, without metadata.
  ///
  /// - Parameter alpha: Of the picture's size; its colors are straight then.
  static func encode(
    _ image: DecodedImage, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data
}

extension StillCodec {
  static func decode(
    _ data: Data, needed: PixelSize?, unless isCancelled: CancellationFlag?
  ) throws(StillCodecError) -> DecodedStill { try decode(data, needed: needed) }

  static func frames(of data: Data) throws(StillCodecError) -> (any StillFrameReader)? { nil }

  static func missingEncoder(for format: PhotoFormat) -> String? { nil }

  static func decodeDeep(_ data: Data) throws(StillCodecError) -> DeepStill? { nil }

  static func decodeDeep(
    _ data: Data, unless isCancelled: CancellationFlag?
  ) throws(StillCodecError) -> DeepStill? { try decodeDeep(data) }

  static func encode(
    _ image: DeepPixels, alpha: AlphaPlane?, as format: PhotoFormat, colors: StillColors, quality: StillQuality
  ) throws(StillCodecError) -> Data? { nil }
}

/// The frames of an animated picture, one after another. For one caller at a time.
public protocol StillFrameReader: AnyObject {
  /// How often the animation is played; 0 for without end.
  var loopCount: Int { get }
  var colors: StillColors { get }

  /// The next frame; `nil` behind the last one. Blocks while it is decoded.
  ///
  /// - Throws: `StillCodecError`.
  func next() throws(StillCodecError) -> StillFrame?
}
