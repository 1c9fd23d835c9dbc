// The frames and the sound that one live photo's movie is made of.

import CameraCore

/// Everything that a live photo's movie is made of.
struct LiveWindow: Sendable {
  var session: CameraSession
  /// The frame that is the still; one of `frames`.
  var still: CameraFrame
  var frames: [CameraFrame]
  /// Empty when there is no sound.
  var sound: [SoundChunk]
}
