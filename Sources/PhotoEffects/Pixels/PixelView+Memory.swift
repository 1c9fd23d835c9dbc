// Views of pixels in memory that somebody else owns.

import CameraCore

extension PixelView {
  /// Pixels that are only read; whoever gets this view must not write to it.
  ///
  /// - Parameters:
  ///   - bytes: At least `stride * size.height`, and not empty.
  ///   - stride: Bytes from one row to the next; a multiple of 4.
  public init(reading bytes: UnsafeRawBufferPointer, size: PixelSize, stride: Int) {
    self.init(writing: UnsafeMutableRawBufferPointer(mutating: bytes), size: size, stride: stride)
  }

  /// Pixels in memory that nobody else uses meanwhile; see `init(reading:size:stride:)`.
  public init(writing bytes: UnsafeMutableRawBufferPointer, size: PixelSize, stride: Int) {
    precondition(bytes.count >= stride * (size.height - 1) + size.width * 4 && stride % 4 == 0)
    self.init(
      pixels: bytes.baseAddress!.assumingMemoryBound(to: UInt32.self), width: size.width, height: size.height,
      stride: stride / 4)
  }
}
