// Encoding animated PNGs: each frame with libspng, put together by MediaFormats.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import StillCodecs

/// Encodes an animated PNG frame by frame, without loss.
struct APNGEncoder: AnimationEncoder, ~Copyable {
  private let size: PixelSize
  private var animation = PNGAnimationWriter()
  /// The duration of all frames so far, in milliseconds.
  private var elapsed = 0

  /// In bytes, of all frames: a file that is larger is read by no viewer in a reasonable time.
  private static let longest = 1 << 30

  init(size: PixelSize) { self.size = size }

  mutating func add(_ frame: MovieFrame) throws(AnimationFailure) {
    guard frame.image.size == size else { throw AnimationFailure(reason: localized("its frames differ in size")) }
    guard let picture = PNGEncoder.encode(frame.image) else {
      throw AnimationFailure(reason: localized("there isn’t enough memory"))
    }
    // Counted from the start, so that rounding errors don't accumulate.
    let end = max(elapsed + 1, Int(((frame.time + frame.duration) * 1000).rounded()))
    let duration = end - elapsed
    elapsed = end
    do throws(FormatError) {
      try animation.append(picture, milliseconds: duration)
    } catch {
      throw AnimationFailure(reason: error.reason)
    }
    guard animation.byteCount <= Self.longest else {
      throw AnimationFailure(
        reason: localized("it would be larger than \(UInt64(Self.longest).localizedByteCount); choose a smaller size"))
    }
  }

  mutating func finish() throws(AnimationFailure) -> Data { animation.file() }
}
