// The frames and the sound of one live photo.

import CameraCore

/// The content of a live photo's movie, before it is encoded.
struct LiveWindow: Sendable {
  var session: CameraSession
  /// The frame that is the still; one of `frames`.
  var still: CameraFrame
  var frames: [CameraFrame]
  /// Empty when there is no sound.
  var sound: [SoundChunk]
}
