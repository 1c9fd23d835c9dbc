// Borrowed BGRX pixels, row by row.

import CameraCore

/// A rectangle of borrowed pixels, valid for the duration of a call.
///
/// A pixel is 32 bits, little-endian `0x__RRGGBB`: in memory blue, green, red and an unused byte (GStreamer's `BGRx`,
/// cairo's `RGB24`). Values are sRGB as the camera delivered them, 0 to 255.
public struct PixelView: @unchecked Sendable {
  // Sendable: several threads may share it, each writing rows of its own; the lender waits for them.

  /// The first pixel of the top row.
  public let pixels: UnsafeMutablePointer<UInt32>
  /// In pixels, at least 1.
  public let width: Int
  /// In pixels, at least 1.
  public let height: Int
  /// Pixels from one row to the next; at least the width.
  public let stride: Int

  public init(pixels: UnsafeMutablePointer<UInt32>, width: Int, height: Int, stride: Int) {
    precondition(width > 0 && height > 0 && stride >= width)
    self.pixels = pixels
    self.width = width
    self.height = height
    self.stride = stride
  }

  public var size: PixelSize { PixelSize(width: width, height: height) }

  /// The first pixel of a row.
  @inline(__always)
  public func row(_ y: Int) -> UnsafeMutablePointer<UInt32> { pixels + y * stride }
}

extension PixelView {
  /// Pixels for reading only; the view must not be written to.
  ///
  /// - Parameters:
  ///   - bytes: At least `stride * size.height`, and not empty.
  ///   - stride: Bytes from one row to the next; a multiple of 4.
  public init(reading bytes: UnsafeRawBufferPointer, size: PixelSize, stride: Int) {
    self.init(writing: UnsafeMutableRawBufferPointer(mutating: bytes), size: size, stride: stride)
  }

  /// Pixels in memory without other users; see `init(reading:size:stride:)`.
  public init(writing bytes: UnsafeMutableRawBufferPointer, size: PixelSize, stride: Int) {
    precondition(bytes.count >= stride * (size.height - 1) + size.width * 4 && stride % 4 == 0)
    self.init(
      pixels: bytes.baseAddress!.assumingMemoryBound(to: UInt32.self), width: size.width, height: size.height,
      stride: stride / 4)
  }
}

extension LentPixels {
  /// A view's pixels.
  public init(_ view: PixelView) {
    let count = 4 * (view.stride * (view.height - 1) + view.width)
    self.init(UnsafeRawBufferPointer(start: view.pixels, count: count), size: view.size, stride: 4 * view.stride)
  }
}
