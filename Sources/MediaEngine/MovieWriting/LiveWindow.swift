// The frames and the sound of one live photo.

import CameraCore
import Localization

/// The content of a live photo's movie, before it is encoded.
struct LiveWindow: Sendable {
  var session: CameraSession
  /// The frame that is the still; one of `frames`.
  var still: CameraFrame
  var frames: [CameraFrame]
  /// Empty when there is no sound.
  var sound: [SoundChunk]
  /// What it lacks of what was promised at the press.
  var shortfalls: [CaptureShortfall] = []
  /// Whether the movie is mirrored left to right, like its still.
  var isMirrored = false
  /// Whether its frames were given up for lack of memory, so that there will be no movie.
  var isGivenUp = false

  /// Lets go of everything but the still.
  mutating func giveUp() {
    isGivenUp = true
    frames = []
    sound = []
  }

  /// Leaves out the frames of these times, for lack of memory.
  mutating func leaveOut(_ times: Set<MonotonicTime>) {
    let before = frames.count
    frames.removeAll { times.contains($0.time) }
    if frames.count < before { noteFewerFrames() }
  }

  /// Notes that frames were left out for lack of memory.
  mutating func noteFewerFrames() {
    if !shortfalls.contains(.fewerFrames) { shortfalls.append(.fewerFrames) }
  }
}

extension LiveWindow {
  /// Leaves out every other frame, unless there are few.
  mutating func halveFrames() {
    let dropped = WindowThinning.dropped(from: [(frames.map(\.time), still.time)])
    guard !dropped.isEmpty else { return }
    frames.removeAll { dropped.contains($0.time) }
    shortfalls.append(.halvedFrames)
  }

  /// The silence that goes unsaid, all stretches together: a few buffers that the sound server dropped.
  static let tolerableSilence = TimeSpan.milliseconds(300)

  /// Notes a shortfall if sound is missing after its beginning, or altogether. Sound that begins late is none: the
  /// microphone had just been opened, and the frames begin late for the same reason.
  ///
  /// - Parameter reason: A sentence; `nil` when the microphone reported nothing.
  mutating func noteMissingSound(because reason: String?) {
    guard let first = frames.first, let last = frames.last else { return }
    var silence = TimeSpan.zero
    var position = sound.first?.time ?? first.time
    for chunk in sound {
      silence = silence + max(.zero, chunk.time - position)
      position = max(position, chunk.end)
    }
    silence = silence + max(.zero, last.time - position)
    guard silence > Self.tolerableSilence else { return }
    let unexplained = CameraError.microphone(message: localized("it stopped sending sound")).description
    shortfalls.append(.soundMissing(reason: reason ?? unexplained))
  }
}
