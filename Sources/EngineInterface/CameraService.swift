// The camera engine as the models see it.

import CameraCore
import Foundation

/// A notification from the engine.
public enum CameraNotice: Sendable, Equatable {
  /// Something was plugged in or out.
  case devices(DeviceList)
  /// The camera's status changed. By the time this is read there may be a newer one: `CameraService.status`.
  case status(CameraStatus)
  /// The microphone of Live was opened, closed, or lost.
  case sound(LiveSound)
  /// This microphone has sent nothing but zeros for some seconds: it may be muted. `nil`: it is heard again, or closed.
  case silence(MicrophoneDevice?)
  /// The computer can't keep up, and so much is left out; or it can again.
  case pressure(SystemPressure)
}

/// A camera engine, as the models see it. `MediaEngine.CameraEngine` is the real one.
///
/// The engine alone decides what becomes of the camera (`CameraStateMachine`): models ask, and show the status that it
/// publishes.
public protocol CameraService: Sendable {
  /// The engine's notifications from now on. Each call starts a stream of its own, which begins with the present devices
  /// (once they are known), status and sound.
  func notices() -> AsyncStream<CameraNotice>

  /// The status that was published last; `nil` before anything was asked for. Whoever returns from `start`, `retry`,
  /// `conceal` or `stop` finds here what came of it.
  var status: CameraStatus? { get }

  /// The devices that are plugged in now. Waits for the first look around.
  func devices() async -> DeviceList

  /// Whether live photos can be made here.
  func liveCapability() async -> LiveCapability

  /// The plugins that are not installed and will be missed, found when the program starts, not at the first shot.
  func missingParts() async -> [CameraError]

  /// The reason why photos can't be saved in a format, as the end of a sentence; `nil` when they can.
  func refusal(of format: PhotoFormat) -> String?

  /// The reason why photos of a format have 8 bits though the camera sends 10, as the end of a sentence; `nil` when they keep
  /// 10. May take some hundredths of a second the first time.
  func deepRefusal(of format: PhotoFormat) -> String?

  /// The same of movies.
  func deepMovieRefusal() -> String?

  /// Opens a camera and returns with its first frame; it doesn't wait for the microphone. A camera that runs already is
  /// closed first, unless it is the same in the same mode.
  ///
  /// - Throws: Why there is no camera; `CameraError.notRunning` when another request overtook this one, when the task
  ///   was canceled, and while the viewfinder is concealed: it opens then when it is revealed.
  @discardableResult
  func start(_ configuration: CameraConfiguration) async throws(CameraError) -> CameraSession

  /// Opens what was wanted last, if it doesn't run. Returns when it is known what came of it.
  func retry() async

  /// Someone comes back, perhaps from the settings. A camera that was refused is opened if it is permitted now, and a lent
  /// one is closed if it isn't any more. Nobody is asked. Returns when it is known what came of it.
  func checkPermission() async

  /// The opening that never ended in the last run of the program: its camera may have hung or crashed it, and isn't
  /// opened again without asking (`distrust`). `nil` where every opening ended, and when called again.
  func takeUnfinishedOpening() -> UnfinishedOpening?

  /// Shows a camera as failed instead of opening it, until someone retries. Counts only before anything was opened.
  func distrust(_ configuration: CameraConfiguration, because error: CameraError) async

  /// Something hides the viewfinder: the camera closes once no shot is gathering its movie, and none opens. Returns when
  /// it is closed, or when it was revealed meanwhile.
  ///
  /// - Parameter isolation: The caller's actor, `#isolation`. The request goes from there straight to the engine, so
  ///   that an actor's requests arrive in the order in which it makes them. Through Swift's thread pool a later
  ///   `reveal` could arrive first, and the camera would stay closed under a viewfinder that can be seen.
  func conceal(_ concealment: CameraStateMachine.Concealment, isolation: isolated (any Actor)?) async

  /// One thing less hides the viewfinder. When nothing does, a camera that was closed or asked for meanwhile opens.
  ///
  /// - Parameter isolation: As for `conceal`.
  func reveal(_ concealment: CameraStateMachine.Concealment, isolation: isolated (any Actor)?) async

  /// Closes the camera and the microphone once no shot is gathering its movie.
  func stop() async

  /// Turns Live on (the pre-roll is kept, the microphone opened) or off. A movie that is being recorded with sound takes it
  /// from this microphone from now on. Returns what happens to sound, when that is known.
  @discardableResult
  func setLive(_ isOn: Bool, microphone: MicrophoneChoice) async -> LiveSound

  /// The levels of the microphone that is open, at most 15 a second and only where they change; `nil` when it is closed.
  /// Each call starts a stream of its own, which holds the newest only. Nothing is measured for nobody.
  func soundLevels() -> AsyncStream<SoundLevel?>

  /// The brightness of the newest frame; `nil` without one, and where it can't be decoded. Measures only when it is called.
  ///
  /// - Parameter faces: Measures only these, each pixel counting the same; the whole frame for none. In the frame as the
  ///   camera took it.
  func brightness(of faces: [FoundFace]) async -> FrameBrightness?

  /// The newest frame as the camera took it, not mirrored, to look for something in it; `nil` without one, and where it can't
  /// be decoded. Some 480 pixels wide or more.
  func newestPicture() async -> DecodedImage?

  /// Returns when the rings reach back as far as is wanted, so that a live photo taken now would be complete, or a still be
  /// averaged from enough frames; at once when neither is on, and when the camera stops.
  func waitForPreRoll() async

  /// Takes a photo. The frame is chosen before this returns: the one that was on screen at `settings.pressed`, or the
  /// newest where nothing is shown. Where the camera stood still at the press, the next frame is waited for, each shot
  /// getting one of its own; when none comes, the shot fails and says so. Any number may be under way. The stream throws `CameraError` only; it ends after
  /// `photo`, or after `movie` for a live photo.
  func capture(_ settings: PhotoSettings) -> AsyncThrowingStream<CaptureEvent, any Error>

  /// Makes ready for photos of this quality: for the best one, frames are kept for longer.
  func prepare(for quality: PhotoQuality)

  /// The desktop's power saver was switched on or off.
  func setSavesPower(_ savesPower: Bool)

  /// The load on the computer, and its causes; nominal while no camera runs.
  var pressure: SystemPressure { get }

  /// Changes with each step of the movies that are being written. While it stands still, nothing is being done for them.
  var movieSteps: Int { get }

  /// The bytes that the rings hold now.
  var ringByteCount: Int { get }
}

extension CameraService {
  /// A retry where access was refused, for a service that lends nothing.
  public func checkPermission() async {
    if status?.awaitsAccess == true { await retry() }
  }

  /// None, for a service that measures none.
  public func brightness(of faces: [FoundFace]) async -> FrameBrightness? { nil }

  /// None, for a service that shows none.
  public func newestPicture() async -> DecodedImage? { nil }

  /// No levels, for a service that measures none.
  public func soundLevels() -> AsyncStream<SoundLevel?> { AsyncStream { $0.finish() } }

  /// Nothing, for a service that needs no preparation.
  public func prepare(for quality: PhotoQuality) {}

  /// Nothing, for a service that saves nothing.
  public func setSavesPower(_ savesPower: Bool) {}

  /// Nominal, for a service that measures nothing.
  public var pressure: SystemPressure { SystemPressure() }
}

/// An opening of a camera that the program did not survive.
public struct UnfinishedOpening: Equatable, Sendable {
  /// The camera that was asked for or found; `nil` where none had been found yet.
  public var cameraID: CameraDevice.ID?
  /// Its name; `nil` where it had not been found yet.
  public var cameraName: String?

  public init(cameraID: CameraDevice.ID? = nil, cameraName: String? = nil) {
    self.cameraID = cameraID
    self.cameraName = cameraName
  }
}

extension CameraService {
  public func refusal(of format: PhotoFormat) -> String? { nil }
  public func deepRefusal(of format: PhotoFormat) -> String? { nil }
  public func deepMovieRefusal() -> String? { nil }
}
