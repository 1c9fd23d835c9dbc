// Pictures in memory, as effects see them: rows of BGRX pixels, owned or lent.

import CameraCore

/// A rectangle of pixels that somebody else owns, for as long as a call lasts.
///
/// A pixel is 32 bits, little-endian `0x__RRGGBB`: in memory blue, green, red and one byte without meaning (GStreamer's
/// `BGRx`, cairo's `RGB24`). Values are sRGB as the camera delivered them, 0 to 255.
public struct PixelView: @unchecked Sendable {
  // Sendable: it may be lent to several threads at once, each of which writes rows of its own; who lends it waits for them.

  /// The first pixel of the uppermost row.
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

/// A picture that owns its pixels. Rows follow each other without gaps.
///
/// A value: a copy shares the pixels until one of the two is written.
public struct PixelBuffer: Sendable, Hashable {
  public let size: PixelSize
  public private(set) var pixels: [UInt32]

  /// A picture of one colour, black unless said otherwise.
  ///
  /// - Parameter size: At least 1×1.
  public init(size: PixelSize, color: UInt32 = 0) {
    precondition(size.width > 0 && size.height > 0)
    self.size = size
    pixels = [UInt32](repeating: color, count: size.width * size.height)
  }

  /// A copy of pixels that somebody else owns.
  public init(copying view: PixelView) {
    size = view.size
    pixels = [UInt32](unsafeUninitializedCapacity: view.width * view.height) { buffer, count in
      for y in 0..<view.height {
        (buffer.baseAddress! + y * view.width).update(from: view.row(y), count: view.width)
      }
      count = view.width * view.height
    }
  }

  /// Lends the pixels for a call.
  public mutating func withView<Result>(_ body: (PixelView) throws -> Result) rethrows -> Result {
    let size = size
    return try pixels.withUnsafeMutableBufferPointer { buffer in
      try body(
        PixelView(pixels: buffer.baseAddress!, width: size.width, height: size.height, stride: size.width))
    }
  }

  public subscript(x: Int, y: Int) -> UInt32 {
    get { pixels[y * size.width + x] }
    set { pixels[y * size.width + x] = newValue }
  }
}
