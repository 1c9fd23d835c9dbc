// Pictures that own their pixels.

import CameraCore

/// A picture that owns its pixels. Rows follow each other without gaps.
///
/// A value: a copy shares the pixels until one of the two is written.
public struct PixelBuffer: Sendable, Hashable {
  public let size: PixelSize
  public private(set) var pixels: [UInt32]

  /// A picture of one color, black by default.
  ///
  /// - Parameter size: At least 1×1.
  public init(size: PixelSize, color: UInt32 = 0) {
    precondition(size.width > 0 && size.height > 0)
    self.size = size
    pixels = [UInt32](repeating: color, count: size.width * size.height)
  }

  /// A copy of borrowed pixels.
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
  ///
  /// - Throws: The errors of `body`.
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
