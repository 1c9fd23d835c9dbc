// The camera engine as the models see it.

import CameraCore
import Foundation

/// What the engine says without being asked.
public enum CameraNotice: Sendable, Equatable {
  /// Something was plugged in or out.
  case devices(DeviceList)
  /// The camera began, stopped, broke or was taken away.
  case status(CameraStatus)
  /// The microphone of Live was opened, closed, or lost.
  case sound(LiveSound)
}

/// A camera engine, as the models see it. `MediaEngine.CameraEngine` is the real one.
public protocol CameraService: Sendable {
  /// Everything that happens by itself, from the first call on. Each call starts a stream of its own, which begins with
  /// the present devices (once they are known), status and sound.
  func notices() -> AsyncStream<CameraNotice>

  /// What is plugged in now. Waits for the first look around.
  func devices() async -> DeviceList

  /// Whether live photos can be made here.
  func liveCapability() async -> LiveCapability

  /// What is not installed and will be missed, found when the program starts, not at the first shot.
  func missingParts() async -> [CameraError]

  /// Opens a camera and returns when the first frame has arrived. A camera that runs already is closed first, unless it
  /// is the same in the same mode. Also ends in a `status` notice.
  @discardableResult
  func start(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraSession

  /// Closes the camera and the microphone once no shot is gathering its movie.
  func stop() async

  /// Turns Live on (the pre-roll is kept, the microphone opened) or off. Returns what happens to sound.
  @discardableResult
  func setLive(_ isOn: Bool, microphone: MicrophoneChoice) async -> LiveSound

  /// Returns when the rings reach back over the whole pre-roll, so that a live photo taken now would be complete; at
  /// once when Live is off, and when the camera stops.
  func waitForPreRoll() async

  /// Takes a photo. The frame is chosen before this returns: the one that was on screen at `settings.pressed`, or the
  /// newest where nothing is shown. Any number may be under way. The stream throws `CameraError` only; it ends after
  /// `photo`, or after `movie` for a live photo.
  func capture(_ settings: PhotoSettings) -> AsyncThrowingStream<CaptureEvent, any Error>

  /// How many bytes the ring holds now.
  var ringByteCount: Int { get }
}
