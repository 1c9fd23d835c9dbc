// Decoding of JPEGs, whole or at a fraction of their size, with libjpeg-turbo.

import CTurboJPEG
import CameraCore
import Localization
import MediaFormats

/// An error of libjpeg-turbo, or a JPEG that isn't given to it.
public struct JPEGCodecError: Error, Equatable, Sendable, CustomStringConvertible {
  public var message: String

  public init(message: String) { self.message = message }

  /// The last error of a TurboJPEG handle.
  init(handle: tjhandle?) {
    message = tjGetErrorStr2(handle).map { String(cString: $0) } ?? localized("no reason was given")
  }

  /// Pixels that aren't laid out as needed.
  static func layout(_ name: String) -> JPEGCodecError {
    JPEGCodecError(message: localized("pixels with the layout \(name) can’t be processed"))
  }

  public var description: String { message }
}

/// Decodes one JPEG after another, reusing its memory.
///
/// Not for several threads at once: each thread has its own.
public final class JPEGDecoder {
  /// The chroma subsampling of a JPEG.
  public enum Subsampling: Hashable, Sendable {
    case yuv444, yuv422, yuv420, yuv440, yuv411, gray
  }

  /// The properties of a JPEG that its header tells.
  public struct Header: Hashable, Sendable {
    public var size: PixelSize
    public var subsampling: Subsampling
  }

  /// The trade-off between speed and accuracy.
  public enum Quality: Sendable {
    /// Chroma isn't interpolated: a tenth less work, for the viewfinder.
    case fast
    /// For pictures that are kept.
    case best

    fileprivate var flags: Int32 { self == .fast ? TJFLAG_FASTUPSAMPLE | TJFLAG_FASTDCT : TJFLAG_ACCURATEDCT }
  }

  /// The largest picture that is decoded, in pixels; a crafted file can claim 65 535 × 65 535.
  public static let maximumArea = 1 << 26
  /// The same for this decoder: photos may be larger than frames of cameras.
  var largestArea = maximumArea

  private let handle: tjhandle
  /// The damage of the last decoded JPEG, whose missing part is gray; `nil` for an intact one.
  public private(set) var warning: String?
  /// Whether the end of the last decoded JPEG was missing: more than a 32nd of the picture.
  public private(set) var isCut = false

  /// - Throws: `JPEGCodecError` when there is no memory for a decoder.
  public init() throws {
    guard let handle = tjInitDecompress() else { throw JPEGCodecError(handle: nil) }
    self.handle = handle
  }

  deinit { tjDestroy(handle) }

  /// Reads the size and the subsampling without decoding.
  ///
  /// - Throws: `JPEGCodecError` for data that isn't a JPEG, an unsupported kind, or one that is too large.
  public func header(of jpeg: UnsafeRawBufferPointer) throws -> Header {
    let (size, subsampling, isInks) = try head(of: jpeg)
    guard !isInks else {
      throw JPEGCodecError(message: localized("pictures in printing colors (CMYK) can’t be shown"))
    }
    let names: [Subsampling] = [.yuv444, .yuv422, .yuv420, .gray, .yuv440, .yuv411]
    guard names.indices.contains(subsampling) else {
      throw JPEGCodecError(message: localized("the picture uses an unknown chroma subsampling"))
    }
    return Header(size: size, subsampling: names[subsampling])
  }

  /// The size of a picture in printing colors; `nil` for one in other colors.
  ///
  /// - Throws: `JPEGCodecError`, as `header(of:)`.
  func sizeOfInks(_ jpeg: UnsafeRawBufferPointer) throws -> PixelSize? {
    let head = try head(of: jpeg)
    return head.isInks ? head.size : nil
  }

  /// The header as the library reads it, of a picture that isn't too large and doesn't ask for too much memory.
  private func head(of jpeg: UnsafeRawBufferPointer) throws -> (size: PixelSize, subsampling: Int, isInks: Bool) {
    var (width, height, subsampling, colorspace): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    let bytes = jpeg.assumingMemoryBound(to: UInt8.self)
    let status = tjDecompressHeader3(
      handle, bytes.baseAddress, UInt(bytes.count), &width, &height, &subsampling, &colorspace)
    guard status == 0 || tjGetErrorCode(handle) == TJERR_WARNING.rawValue else { throw JPEGCodecError(handle: handle) }
    let size = PixelSize(width: Int(width), height: Int(height))
    guard size.width > 0, size.height > 0, size.area <= largestArea else {
      throw JPEGCodecError(message: localized("a picture with \(size.localized) pixels is too large"))
    }
    let frame: JPEGFrame
    do throws(JPEGStreamError) { frame = try JPEGFrame(jpeg) } catch {
      throw JPEGCodecError(message: error.description)
    }
    if let refusal = frame.refusal { throw JPEGCodecError(message: refusal) }
    return (size, Int(subsampling), colorspace == TJCS_CMYK.rawValue || colorspace == TJCS_YCCK.rawValue)
  }

  /// Decodes at the whole size, without gaps.
  func decode(
    _ jpeg: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, _ size: PixelSize, format: TJPF
  ) throws {
    let bytes = jpeg.assumingMemoryBound(to: UInt8.self)
    try check(
      tjDecompress2(
        handle, bytes.baseAddress, UInt(bytes.count), target.assumingMemoryBound(to: UInt8.self).baseAddress,
        Int32(size.width), Int32(4 * size.width), Int32(size.height), Int32(format.rawValue),
        Quality.best.flags | TJFLAG_LIMITSCANS))
  }

  /// Decodes into the caller's memory, as BGRx.
  ///
  /// - Parameters:
  ///   - eighths: The scale: 8 is the whole size, 1 an eighth of it; see `JPEGScale`.
  ///   - target: Room for the scaled height times `stride` bytes.
  ///   - stride: Bytes from one row to the next; `nil` leaves no gaps.
  /// - Returns: The size of the decoded picture.
  /// - Throws: `JPEGCodecError` when nothing could be decoded. A damaged picture is decoded as far as it goes; see
  ///   `warning`.
  @discardableResult
  public func decode(
    _ jpeg: UnsafeRawBufferPointer, eighths: Int = 8, quality: Quality = .best,
    into target: UnsafeMutableRawBufferPointer, stride: Int? = nil
  ) throws -> PixelSize {
    let size = JPEGScale.size(of: try header(of: jpeg).size, eighths: eighths)
    let stride = stride ?? size.width * 4
    guard stride >= size.width * 4, target.count >= stride * (size.height - 1) + size.width * 4 else {
      throw JPEGCodecError(message: localized("the data of a picture with \(size.localized) pixels is incomplete"))
    }
    let bytes = jpeg.assumingMemoryBound(to: UInt8.self)
    let pixels = target.assumingMemoryBound(to: UInt8.self).baseAddress
    try check(
      tjDecompress2(
        handle, bytes.baseAddress, UInt(bytes.count), pixels, Int32(size.width), Int32(stride), Int32(size.height),
        Int32(TJPF_BGRX.rawValue), quality.flags | TJFLAG_LIMITSCANS))
    if JPEGCutCheck.mayBeAboutTheEnd(warning) {
      isCut = JPEGCutCheck.isCut(UnsafeRawBufferPointer(target), size: size, stride: stride)
    }
    return size
  }

  /// Decodes at the cheapest scale that is at least as wide and as high as wanted; the whole size if even that isn't. See
  /// `JPEGScale`.
  ///
  /// - Parameter wanted: In pixels; `nil` takes the whole size.
  /// - Throws: `JPEGCodecError`, as above.
  public func decode(
    _ jpeg: UnsafeRawBufferPointer, atLeast wanted: PixelSize? = nil, quality: Quality = .best
  ) throws -> DecodedImage {
    let whole = try header(of: jpeg).size
    let eighths = wanted.map { JPEGScale.cheapestEighths(of: whole, atLeast: $0) } ?? 8
    let size = JPEGScale.size(of: whole, eighths: eighths)
    let block = try FrameBlock(count: size.area * 4) {
      try decode(jpeg, eighths: eighths, quality: quality, into: $0)
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }

  /// Decodes to planes of luma and chroma, as they are in the file: `I420`, `Y42B`, `Y444`, `Y41B` or `GRAY8`,
  /// full range, BT.601 (GStreamer's colorimetry `1:4:0:0`).
  ///
  /// - Throws: `JPEGCodecError`; also for 4:4:0, which has no name in GStreamer.
  public func decodePlanes(
    _ jpeg: UnsafeRawBufferPointer, eighths: Int = 8, quality: Quality = .best
  ) throws -> (layout: RawLayout, block: FrameBlock) {
    let header = try header(of: jpeg)
    let size = JPEGScale.size(of: header.size, eighths: eighths)
    guard let layout = RawLayout.planar(header.subsampling, size: size) else {
      throw JPEGCodecError(message: localized("the chroma subsampling 4:4:0 isn’t supported"))
    }
    let bytes = jpeg.assumingMemoryBound(to: UInt8.self)
    let block = try FrameBlock(count: layout.planarByteCount) { memory in
      var planes = layout.offsets.map { memory.baseAddress?.advanced(by: $0).assumingMemoryBound(to: UInt8.self) }
      var strides = layout.strides.map { Int32($0) }
      try check(
        tjDecompressToYUVPlanes(
          handle, bytes.baseAddress, UInt(bytes.count), &planes, Int32(size.width), &strides, Int32(size.height),
          quality.flags | TJFLAG_LIMITSCANS))
    }
    if JPEGCutCheck.mayBeAboutTheEnd(warning) {
      isCut = block.withUnsafeBytes { JPEGCutCheck.isCut(luma: $0, size: size, stride: layout.strides[0]) }
    }
    return (layout, block)
  }

  /// The same; a picture with 4:4:0 becomes `Y444`.
  ///
  /// - Throws: `JPEGCodecError`.
  func decodeAnyPlanes(
    _ jpeg: UnsafeRawBufferPointer, quality: Quality
  ) throws -> (layout: RawLayout, block: FrameBlock) {
    if try header(of: jpeg).subsampling != .yuv440 { return try decodePlanes(jpeg, quality: quality) }
    let image = try decode(jpeg, quality: quality)
    let target = RawConverter.Kind(layout: "Y444", size: image.size, colorimetry: FrameKeeping.jpegColorimetry)
    let pixels = RawLayout(name: "BGRx", size: image.size, strides: [image.stride], offsets: [0])
    guard let converter = RawConverter(from: pixels.kind, to: target) else {
      throw JPEGCodecError(message: localized("the chroma subsampling 4:4:0 isn’t supported"))
    }
    return converter.convert(image.block, layout: pixels)
  }

  private func check(_ status: Int32) throws {
    warning = nil
    isCut = false
    guard status != 0 else { return }
    let error = JPEGCodecError(handle: handle)
    guard tjGetErrorCode(handle) == TJERR_WARNING.rawValue else { throw error }
    warning = error.message
  }
}
