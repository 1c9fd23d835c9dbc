// The intake of a Motion JPEG camera's frames: completed, or refused.

import CameraCore
import MediaFormats

/// Completes the frames of one camera. Belongs to its streaming thread.
///
/// The checks are cheap, as every frame passes them: markers, lengths and the size. Only a frame without EOI, of a camera
/// that isn't known to leave it out, is decoded at an eighth of its size.
final class MotionJPEGIntake {
  private var sizes: FrameSizeRule
  private var ends = JPEGEndRule()
  private var decoder: JPEGDecoder?

  /// - Parameter mode: The size that the camera was asked for.
  init(mode: PixelSize) { sizes = FrameSizeRule(mode: mode, largestArea: JPEGDecoder.maximumArea) }

  /// The complete JPEG of a frame; `nil` for one that can't be used. The next one comes in a moment.
  func complete(_ bytes: UnsafeRawBufferPointer) -> CompletedJPEG? {
    guard let jpeg = try? JPEGStream.recover(bytes), sizes.accepts(jpeg.size) else { return nil }
    guard jpeg.repairs.contains(.endOfImage) else {
      ends.sawEnd()
      return jpeg
    }
    let count = jpeg.block.count
    if ends.trusts(byteCount: count) { return jpeg }
    let isWhole = isWhole(jpeg.block)
    ends.decoded(byteCount: count, isWhole: isWhole)
    return isWhole ? jpeg : nil
  }

  private func isWhole(_ jpeg: FrameBlock) -> Bool {
    guard let decoder = try? self.decoder ?? JPEGDecoder() else { return false }
    self.decoder = decoder
    return decoder.isWhole(jpeg)
  }
}
