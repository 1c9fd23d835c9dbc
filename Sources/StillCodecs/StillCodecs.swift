// Still pictures as HEIC, AVIF and PNG: decoding with limits for untrusted files, and encoding.

import CameraCore
import Foundation
import Localization

/// The reason why a picture can't be decoded or encoded; it ends a sentence about the picture.
public struct StillCodecError: Error, Hashable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }
}

/// What the values of a picture's pixels mean.
public struct StillColors: Sendable, Hashable {
  /// An ICC profile; `nil` without one.
  public var profile: Data?
  /// Color primaries and transfer function as ITU-T H.273 counts; `nil` for sRGB.
  public var codePoints: CodePoints?

  /// Numbers of ITU-T H.273, tables 2 and 3.
  public struct CodePoints: Sendable, Hashable {
    public var primaries: UInt32
    public var transfer: UInt32

    public init(primaries: UInt32, transfer: UInt32) { (self.primaries, self.transfer) = (primaries, transfer) }

    static let sRGB = CodePoints(primaries: 1, transfer: 13)
  }

  public init(profile: Data? = nil, codePoints: CodePoints? = nil) {
    (self.profile, self.codePoints) = (profile, codePoints)
  }

  /// An ICC profile that can be that of a rendering, which is in red, green and blue; `nil` for one of gray or of inks.
  ///
  /// Source: ICC.1:2022, 7.2.8, the data color space.
  public static func profileOfColors(_ profile: Data) -> Data? {
    profile.dropFirst(16).prefix(4).elementsEqual("RGB ".utf8) ? profile : nil
  }
}

/// A decoded picture.
public struct DecodedStill: Sendable {
  /// Of a HEIF file upright, of a PNG as it is stored; transparent parts are white.
  public var image: DecodedImage
  public var colors: StillColors
}

/// The codecs of HEIC, AVIF and PNG. All of it blocks; any thread. JPEG has codecs of its own, where frames and scans are
/// known.
///
///     let data = try StillCodecs.encode(image, as: .heic, quality: .photo)
///     let still = try StillCodecs.decode(data, as: .heic, needed: PixelSize(width: 256, height: 256))
public enum StillCodecs {
  /// How much of a picture is kept by formats with loss.
  public enum Quality: Sendable, Hashable {
    /// Of a shot: no difference is seen.
    case photo
    /// Of an edit, which may be edited again.
    case edit
  }

  /// The largest picture, in pixels; 268 MB at 4 bytes each.
  public static let largestArea = 67_108_864
  /// In pixels, on either side.
  static let largestSide = 32_768

  /// Decoding that takes more bytes than this is done one picture at a time, whatever the number of threads.
  private static let largeAmount = 32 << 20
  private static let largeOnes = NSLock()

  /// Decodes a picture.
  ///
  /// - Parameters:
  ///   - data: A whole file, or its part up to the end of the picture.
  ///   - format: Not JPEG.
  ///   - needed: The smallest size that will do: where the file has a smaller picture of the same scene, that one may be
  ///     decoded. `nil` for the picture itself.
  /// - Throws: `StillCodecError`.
  public static func decode(
    _ data: Data, as format: PhotoFormat, needed: PixelSize? = nil
  ) throws(StillCodecError) -> DecodedStill {
    var still: DecodedStill
    switch format {
    case .jpeg: throw StillCodecError(localized("it is a JPEG"))
    case .png: still = try PNGDecoder.decode(data)
    case .heic, .avif: still = try HEIFCodec.decode(data, needed: needed)
    }
    still.colors.profile = still.colors.profile.flatMap(StillColors.profileOfColors)
    return still
  }

  /// Encodes a picture, without metadata.
  ///
  /// - Parameter format: Not JPEG.
  /// - Throws: `StillCodecError`, also when the encoder isn't installed.
  public static func encode(
    _ image: DecodedImage, as format: PhotoFormat, colors: StillColors = StillColors(), quality: Quality = .photo
  ) throws(StillCodecError) -> Data {
    switch format {
    case .jpeg: throw StillCodecError(localized("JPEGs have another encoder"))
    case .png:
      guard let data = PNGEncoder.encode(image, colorProfile: colors.profile) else {
        throw StillCodecError(localized("there isn’t enough memory"))
      }
      return data
    case .heic, .avif:
      if let missing = missingEncoder(for: format) { throw StillCodecError(missing) }
      return try HEIFCodec.encode(image, as: format, colors: colors, quality: quality)
    }
  }

  /// What the values of a picture mean once it is decoded; those of sRGB when it doesn't say.
  public static func colors(of data: Data, as format: PhotoFormat) -> StillColors {
    var colors =
      switch format {
      case .jpeg: StillColors()
      case .png: PNGDecoder.colors(of: data)
      case .heic, .avif: HEIFCodec.colors(of: data)
      }
    colors.profile = colors.profile.flatMap(StillColors.profileOfColors)
    return colors
  }

  /// The ICC profile of a PNG as it is stored; `nil` without one.
  public static func profile(ofPNG data: Data) -> Data? { PNGDecoder.colors(of: data).profile }

  /// The reason why pictures can't be saved in a format, and what can be done; `nil` when they can.
  public static func missingEncoder(for format: PhotoFormat) -> String? {
    guard format.isHEIF, !HEIFCodec.canEncode(format) else { return nil }
    return format == .heic
      ? localized("no HEVC encoder is installed for libheif (on Debian: libheif-plugin-x265)")
      : localized("no AV1 encoder is installed for libheif (on Debian: libheif-plugin-aomenc)")
  }

  /// Checks a size before anything is allocated for it.
  static func check(_ size: PixelSize) throws(StillCodecError) {
    guard size.width > 0, size.height > 0, size.width <= largestSide, size.height <= largestSide,
      size.area <= largestArea
    else { throw StillCodecError(localized("\(size.localized) pixels are too many")) }
  }

  /// Runs a decoder; large pictures one after another, and those that may be larger than they state.
  static func limited<R>(
    _ size: PixelSize, isTrusted: Bool = true, _ body: () throws(StillCodecError) -> R
  ) throws(StillCodecError) -> R {
    let isLarge = !isTrusted || size.area * 8 > largeAmount
    if isLarge { largeOnes.lock() }
    defer { if isLarge { largeOnes.unlock() } }
    return try body()
  }
}

extension DecodedImage {
  /// A picture from rows of four bytes: red, green, blue and opacity.
  static func opaque(
    rgba source: UnsafePointer<UInt8>, stride: Int, size: PixelSize, hasAlpha: Bool
  ) -> DecodedImage {
    let block = FrameBlock(count: size.area * 4) { target in
      for y in 0..<size.height {
        let row = source + y * stride
        var at = y * size.width * 4
        for x in 0..<size.width {
          let pixel = row + 4 * x
          var (red, green, blue) = (pixel[0], pixel[1], pixel[2])
          if hasAlpha, pixel[3] != 255 {
            let alpha = Int(pixel[3])
            func over(_ value: UInt8) -> UInt8 { UInt8((Int(value) * alpha + 255 * (255 - alpha) + 127) / 255) }
            (red, green, blue) = (over(red), over(green), over(blue))
          }
          (target[at], target[at + 1], target[at + 2], target[at + 3]) = (blue, green, red, 0)
          at += 4
        }
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }
}
