// What GIF and WebP have in common: frames go in one by one, and a file comes out at the end.

import CameraCore
import EngineInterface
import Foundation

/// Writes an animation that plays for ever. For one thread at a time.
protocol AnimationEncoder: ~Copyable {
  /// Adds the next frame. All frames are as large as the first.
  mutating func add(_ frame: MovieFrame) throws(AnimationFailure)

  /// The file. Nothing can be added afterwards.
  mutating func finish() throws(AnimationFailure) -> Data
}

/// Why there is no animation: the end of a sentence.
struct AnimationFailure: Error, Hashable, Sendable {
  var reason: String
}
