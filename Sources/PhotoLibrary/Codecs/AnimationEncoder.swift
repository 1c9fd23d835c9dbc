// The interface of the encoders of animations.

import CameraCore
import EngineInterface
import Foundation

/// Encodes an endlessly looping animation, frame by frame. For one thread at a time.
protocol AnimationEncoder: ~Copyable, SendableMetatype {
  /// Adds the next frame. All frames have the size of the first.
  ///
  /// - Throws: `AnimationFailure` when the frame has another size or can't be encoded.
  mutating func add(_ frame: MovieFrame) throws(AnimationFailure)

  /// Returns the file. Nothing can be added afterwards.
  ///
  /// - Throws: `AnimationFailure` when the file can't be assembled.
  mutating func finish() throws(AnimationFailure) -> Data
}

/// The reason why an animation can't be encoded, as the end of a sentence.
struct AnimationFailure: Error, Hashable, Sendable {
  var reason: String
}
