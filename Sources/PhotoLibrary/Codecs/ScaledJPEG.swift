// JPEG decoding at a fraction of the size, which takes a fraction of the time; and JPEG encoding.

import CTurboJPEG
import CameraCore
import Foundation
import Localization
import MediaFormats
import StillCodecs

/// libjpeg-turbo's scaled decoding, with limits for untrusted files, and its encoding.
enum ScaledJPEG {
  /// The largest output at full size, in pixels.
  private static let largestOutput = StillCodecs.largestArea
  /// The same for a reduced size. The decoder reduces to an eighth at most, which for 65,500 × 65,500 pixels is still
  /// 67 million.
  private static let largestReduced = 16_777_216

  /// Decodes to at least `needed`, if the picture is that large, at the smallest sufficient eighth of its size.
  ///
  /// A truncated picture is decoded as far as it goes.
  ///
  /// - Parameters:
  ///   - jpeg: From SOI; bytes after EOI are ignored.
  ///   - isWhole: Whether a damaged picture is refused instead of decoded as far as it goes.
  ///   - path: For the error.
  ///   - isCancelled: Gives up the place among large pictures when it is set.
  /// - Throws: `unusableFile`, or `cancelled`.
  static func decode(
    _ jpeg: Data, needed: PixelSize, isWhole: Bool = false, path: String, unless isCancelled: CancellationFlag? = nil
  ) throws(PhotoLibraryError) -> DecodedImage {
    guard let decoder = tjInitDecompress() else {
      throw .unusableFile(path: path, reason: localized("there isn’t enough memory to decode it"))
    }
    defer { tjDestroy(decoder) }
    let result = jpeg.withUnsafeBytes { bytes in
      Result { () throws(PhotoLibraryError) in
        try decode(bytes, decoder, needed: needed, isWhole: isWhole, path: path, isCancelled)
      }
    }
    return try result.get()
  }

  /// Checks that a JPEG can be decoded to its last row.
  ///
  /// - Throws: `PhotoLibraryError.unusableFile` when it can't.
  static func check(_ jpeg: Data, path: String) throws(PhotoLibraryError) {
    // At the smallest scale: all of the data is read anyway.
    _ = try decode(jpeg, needed: PixelSize(width: 1, height: 1), isWhole: true, path: path)
  }

  private static func decode(
    _ bytes: UnsafeRawBufferPointer, _ decoder: tjhandle, needed: PixelSize, isWhole: Bool, path: String,
    _ isCancelled: CancellationFlag?
  ) throws(PhotoLibraryError) -> DecodedImage {
    let frame: JPEGFrame
    do throws(JPEGStreamError) { frame = try JPEGFrame(bytes) } catch {
      throw .unusableFile(path: path, reason: localized("it isn’t a JPEG that can be decoded"))
    }
    if let refusal = frame.refusal { throw .unusableFile(path: path, reason: refusal) }
    let source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var (width, height, subsampling, colorspace): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    let code = tjDecompressHeader3(decoder, source, UInt(bytes.count), &width, &height, &subsampling, &colorspace)
    guard code == 0 || tjGetErrorCode(decoder) == Int32(TJERR_WARNING.rawValue), width > 0, height > 0 else {
      throw .unusableFile(path: path, reason: localized("it isn’t a JPEG that can be decoded"))
    }
    let whole = PixelSize(width: Int(width), height: Int(height))
    let size = JPEGScale.size(of: whole, eighths: JPEGScale.smallestEighths(of: whole, atLeast: needed))
    guard size.area <= min(largestOutput, max(largestReduced, 4 * needed.area)) else {
      throw .unusableFile(path: path, reason: localized("at \(whole.localized) pixels, it’s too large"))
    }
    var isDecoded = true
    let isInks = colorspace == TJCS_CMYK.rawValue || colorspace == TJCS_YCCK.rawValue
    let pixels = isInks ? TJPF_CMYK : TJPF_BGRX
    let block: FrameBlock
    do throws(StillCodecError) {
      block = try StillLimits.limited(bytes: frame.coefficientBytes + size.area * 4, unless: isCancelled) {
        FrameBlock(count: size.area * 4) { target in
          let code = tjDecompress2(
            decoder, source, UInt(bytes.count), target.baseAddress?.assumingMemoryBound(to: UInt8.self),
            Int32(size.width), Int32(size.width * 4), Int32(size.height), Int32(pixels.rawValue),
            TJFLAG_FASTUPSAMPLE | TJFLAG_LIMITSCANS)
          isDecoded = code == 0 || (!isWhole && tjGetErrorCode(decoder) == Int32(TJERR_WARNING.rawValue))
        }
      }
    } catch {
      throw .cancelled
    }
    guard isDecoded else {
      throw .unusableFile(path: path, reason: String(cString: tjGetErrorStr2(decoder)))
    }
    if isInks { return image(inks: block, size, bytes) }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }

  /// The picture of printing colors.
  private static func image(inks: FrameBlock, _ size: PixelSize, _ bytes: UnsafeRawBufferPointer) -> DecodedImage {
    let source = DataSource(Data(bytes), name: "picture")
    let head = (try? JPEGHead(source)) ?? nil
    let profile = (try? head?.profile(in: source)) ?? nil
    return inks.withUnsafeBytes {
      InkPicture.image(inks: $0, size: size, isInverted: head?.hasAdobeSegment == true, profile: profile)
    }
  }

  // MARK: Encoding

  /// Encodes a picture.
  ///
  /// - Parameters:
  ///   - quality: From 1 to 100, as libjpeg counts.
  ///   - hasFullColors: 4:4:4 chroma sampling; otherwise 4:2:0.
  ///   - isGray: Whether it has brightness only.
  /// - Returns: `nil` without memory, or when the picture is too large for a JPEG.
  static func encode(
    _ image: DecodedImage, quality: Int32, hasFullColors: Bool, isGray: Bool = false
  ) -> Data? {
    guard let encoder = tjInitCompress() else { return nil }
    defer { tjDestroy(encoder) }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let colors = isGray ? TJSAMP_GRAY : hasFullColors ? TJSAMP_444 : TJSAMP_420
    let code = image.block.withUnsafeBytes { pixels in
      tjCompress2(
        encoder, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(image.size.width), Int32(image.stride),
        Int32(image.size.height), Int32(TJPF_BGRX.rawValue), &bytes, &count, Int32(colors.rawValue), quality, 0)
    }
    defer { tjFree(bytes) }
    guard code == 0, let bytes else { return nil }
    return Data(bytes: bytes, count: Int(count))
  }

  /// The thumbnail's longer side in pixels, as cameras write it (DCF 2.0 wants 160 × 120).
  private static let thumbnailSide = 160
  private static let thumbnailQuality: Int32 = 80

  /// A JPEG of at most 160 pixels a side with the same aspect ratio, for the EXIF block.
  ///
  /// - Throws: `unusableFile` when the JPEG can't be decoded.
  static func thumbnail(of jpeg: Data) throws(PhotoLibraryError) -> Data {
    let path = localized("The edited photo")
    let side = PixelSize(width: thumbnailSide, height: thumbnailSide)
    let head: JPEGSegments
    do throws(JPEGStreamError) { head = try JPEGSegments(parsing: jpeg) } catch {
      throw .unusableFile(path: path, reason: error.description)
    }
    let needed = ImageContentMode.aspectFit.neededSize(of: head.size, for: side)
    let image = try decode(jpeg, needed: needed, path: path).averaged(to: needed)
    guard let thumbnail = encode(image, quality: thumbnailQuality, hasFullColors: false) else {
      throw .unusableFile(path: path, reason: localized("no thumbnail can be made of it"))
    }
    return thumbnail
  }
}
