// Still pictures of every format but JPEG: decoding with limits for untrusted files, and encoding.

import CameraCore
import Foundation
import Localization
import PhotoEffects

/// The codecs of HEIC, AVIF, PNG, WebP, TIFF, GIF and JPEG XL. All of it blocks; any thread. JPEG has codecs of its own,
/// where frames and scans are known.
///
///     let data = try StillCodecs.encode(image, as: .heic, quality: .photo)
///     let still = try StillCodecs.decode(data, as: .heic, needed: PixelSize(width: 256, height: 256))
public enum StillCodecs {
  /// The largest picture, in pixels.
  public static let largestArea = StillLimits.largestArea

  /// Decodes a picture, of an animated one the first frame. Formats whose decoders have had dangerous faults are decoded in
  /// another process.
  ///
  /// - Parameters:
  ///   - data: A whole file, or its part up to the end of the picture.
  ///   - format: Not JPEG.
  ///   - needed: The smallest size that will do: the result may be smaller than the picture, and at least as large as
  ///     this. `nil` for the picture itself.
  ///   - isKept: Whether the pixels are written to a file of the person: then the process has decoded no other file, which
  ///     may have taken it over.
  ///   - isCancelled: Ends the work when it is set, as far as it is another process's, and the waiting for it.
  /// - Throws: `StillCodecError`.
  public static func decode(
    _ data: Data, as format: PhotoFormat, needed: PixelSize? = nil, isKept: Bool = false,
    unless isCancelled: CancellationFlag? = nil
  ) throws(StillCodecError) -> DecodedStill {
    guard try StillCodecTable.codec(of: format).isIsolated else {
      return try decodeHere(data, as: format, needed: needed, unless: isCancelled)
    }
    var still = try DecoderPool.shared.decode(data, as: format, needed: needed, isKept: isKept, unless: isCancelled)
    still.colors.profile = still.colors.profile.flatMap(StillColors.profileOfColors)
    return still
  }

  /// The same in this process, whatever the format.
  ///
  /// - Throws: `StillCodecError`.
  public static func decodeHere(
    _ data: Data, as format: PhotoFormat, needed: PixelSize? = nil, unless isCancelled: CancellationFlag? = nil
  ) throws(StillCodecError) -> DecodedStill {
    var still = try StillCodecTable.codec(of: format).decode(data, needed: needed, unless: isCancelled)
    still.colors.profile = still.colors.profile.flatMap(StillColors.profileOfColors)
    return still
  }

  /// The frames of an animated picture, decoded when they are asked for; `nil` for a still one.
  ///
  /// - Parameters:
  ///   - needed: As for `decode`.
  ///   - isCancelled: As for `decode`; also for each frame.
  /// - Throws: `StillCodecError`.
  public static func frames(
    of data: Data, as format: PhotoFormat, needed: PixelSize? = nil, unless isCancelled: CancellationFlag? = nil
  ) throws(StillCodecError) -> (any StillFrameReader)? {
    let codec = try StillCodecTable.codec(of: format)
    return codec.isIsolated
      ? try DecoderPool.shared.frames(of: data, as: format, needed: needed, unless: isCancelled)
      : try codec.frames(of: data)
  }

  /// Encodes a picture, without metadata.
  ///
  /// - Parameters:
  ///   - alpha: Of the picture's size; its colors are straight then: see `AlphaPlane.straight`.
  ///   - format: One whose edits are of this format: `PhotoFormat.ofEdits`. Not JPEG.
  /// - Throws: `StillCodecError`, also when the encoder isn't installed.
  public static func encode(
    _ image: DecodedImage, alpha: AlphaPlane? = nil, as format: PhotoFormat, colors: StillColors = StillColors(),
    quality: StillQuality = .photo
  ) throws(StillCodecError) -> Data {
    let codec = try StillCodecTable.codec(of: format)
    if let missing = codec.missingEncoder(for: format) { throw StillCodecError(missing) }
    try StillLimits.check(image.size)
    precondition(alpha.map { $0.size == image.size } ?? true, "An alpha plane is of its picture’s size.")
    return try codec.encode(image, alpha: alpha, as: format, colors: colors, quality: quality)
  }

  /// Encodes a matte as a gray picture, 255 as white, without metadata and in one piece, which has even sides of at least 64
  /// pixels: others are stretched a little.
  ///
  /// - Parameter format: HEIC or AVIF.
  /// - Throws: `StillCodecError`, also when the encoder isn't installed.
  public static func encode(
    _ matte: Matte, as format: PhotoFormat, quality: StillQuality = .edit
  ) throws(StillCodecError) -> Data {
    precondition(format.isHEIF, "Gray pictures of other formats aren’t written.")
    if let missing = HEIFCodec.missingEncoder(for: format) { throw StillCodecError(missing) }
    return try HEIFCodec.encode(matte, as: format, quality: quality)
  }

  /// What the values of a picture mean once it is decoded; those of sRGB when it doesn't say.
  ///
  /// - Parameters:
  ///   - isKept: As for `decode`.
  ///   - isCancelled: As for `decode`.
  /// - Throws: `StillCodecError`, also when the file can't be read.
  public static func colors(
    of data: Data, as format: PhotoFormat, isKept: Bool = false, unless isCancelled: CancellationFlag? = nil
  ) throws(StillCodecError) -> StillColors {
    let codec = try StillCodecTable.codec(of: format)
    var colors =
      codec.isIsolated
      ? try DecoderPool.shared.colors(of: data, as: format, isKept: isKept, unless: isCancelled)
      : try codec.colors(of: data)
    colors.profile = colors.profile.flatMap(StillColors.profileOfColors)
    return colors
  }

  /// The ICC profile of a PNG as it is stored; `nil` without one.
  public static func profile(ofPNG data: Data) -> Data? { PNGCodec.colors(of: data).profile }

  /// The reason why pictures can't be saved in a format, and what can be done; `nil` when they can.
  public static func missingEncoder(for format: PhotoFormat) -> String? {
    guard format != .jpeg else { return nil }
    return StillCodecTable.codecs[format]?.missingEncoder(for: format)
  }
}
