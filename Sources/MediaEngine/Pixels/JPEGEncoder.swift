// Encoding of JPEGs with libjpeg-turbo.

import CTurboJPEG
import CameraCore
import Foundation
import Localization
import StillCodecs

/// Encodes one picture after another, reusing its memory. Not for several threads at once: each thread has its own.
///
/// The result is a plain JFIF file from SOI to EOI, baseline, with the standard Huffman tables.
public final class JPEGEncoder {
  private let handle: tjhandle
  /// The output, large enough for the largest picture so far.
  private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// - Throws: `JPEGCodecError` when there is no memory for an encoder.
  public init() throws {
    guard let handle = tjInitCompress() else { throw JPEGCodecError(handle: nil) }
    self.handle = handle
  }

  deinit {
    tjDestroy(handle)
    buffer.deallocate()
  }

  /// Encodes planes of luma and chroma, full range, BT.601 (JFIF 1.02).
  ///
  /// - Parameters:
  ///   - planes: The block that the layout describes.
  ///   - layout: `I420`, `Y42B`, `Y444`, `Y41B` or `GRAY8`.
  ///   - quality: From 1 to 100.
  ///   - body: Gets the JPEG, which is valid during the call only.
  /// - Throws: `JPEGCodecError` when the layout isn't one of these or its planes reach past the block.
  public func encode<Result>(
    planes: UnsafeRawBufferPointer, layout: RawLayout, quality: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    guard let subsampling = layout.planarSubsampling,
      layout.strides.count == (subsampling == .gray ? 1 : 3), layout.offsets.count == layout.strides.count
    else { throw JPEGCodecError.layout(layout.name) }
    guard layout.planarByteCount <= planes.count, let base = planes.baseAddress else {
      throw JPEGCodecError(
        message: localized("the data of a picture with \(layout.size.localized) pixels is incomplete"))
    }
    try reserve(layout.size, subsampling)
    var pointers = layout.offsets.map { Optional(base.advanced(by: $0).assumingMemoryBound(to: UInt8.self)) }
    var strides = layout.strides.map { Int32($0) }
    var output = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
    var count = UInt(buffer.count)
    let status = tjCompressFromYUVPlanes(
      handle, &pointers, Int32(layout.size.width), &strides, Int32(layout.size.height), subsampling.turboJPEG, &output,
      &count, Int32(min(max(quality, 1), 100)), TJFLAG_NOREALLOC)
    guard status == 0 else { throw JPEGCodecError(handle: handle) }
    return try body(UnsafeRawBufferPointer(start: buffer.baseAddress, count: Int(count)))
  }

  /// Encodes a BGRx picture.
  ///
  /// - Parameters:
  ///   - quality: From 1 to 100.
  ///   - body: Gets the JPEG, which is valid during the call only.
  /// - Throws: `JPEGCodecError`.
  public func encode<Result>(
    _ image: DecodedImage, quality: Int, subsampling: JPEGDecoder.Subsampling = .yuv420,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let (size, stride) = (image.size, image.stride)
    guard stride >= size.width * 4, image.block.count >= stride * (size.height - 1) + size.width * 4 else {
      throw JPEGCodecError(message: localized("the data of a picture with \(size.localized) pixels is incomplete"))
    }
    try reserve(size, subsampling)
    var output = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
    var count = UInt(buffer.count)
    let status = image.block.withUnsafeBytes { pixels in
      tjCompress2(
        handle, pixels.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(size.width), Int32(stride),
        Int32(size.height), Int32(TJPF_BGRX.rawValue), &output, &count, subsampling.turboJPEG,
        Int32(min(max(quality, 1), 100)), TJFLAG_NOREALLOC)
    }
    guard status == 0 else { throw JPEGCodecError(handle: handle) }
    return try body(UnsafeRawBufferPointer(start: buffer.baseAddress, count: Int(count)))
  }

  /// Encodes planes into a block of their own.
  ///
  /// - Throws: `JPEGCodecError`, as above.
  public func encode(planes: FrameBlock, layout: RawLayout, quality: Int) throws -> FrameBlock {
    try planes.withUnsafeBytes { bytes in
      try encode(planes: bytes, layout: layout, quality: quality) { FrameBlock(copying: $0) }
    }
  }

  /// Encodes a BGRx picture with 4:2:0 chroma into data.
  ///
  /// - Throws: `JPEGCodecError`, as above.
  public func encode(_ image: DecodedImage, quality: Int) throws -> Data {
    try encode(image, quality: quality) { Data($0) }
  }

  /// Reserves memory for the worst case, so that libjpeg-turbo never allocates.
  private func reserve(_ size: PixelSize, _ subsampling: JPEGDecoder.Subsampling) throws {
    let needed = tjBufSize(Int32(clamping: size.width), Int32(clamping: size.height), subsampling.turboJPEG)
    guard needed != UInt.max, size.area <= StillCodecs.largestArea else {
      throw JPEGCodecError(message: localized("a picture with \(size.localized) pixels can’t be encoded"))
    }
    guard Int(needed) > buffer.count else { return }
    buffer.deallocate()
    buffer = .allocate(byteCount: Int(needed), alignment: 64)
  }
}
