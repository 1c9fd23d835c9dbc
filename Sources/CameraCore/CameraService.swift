// The seam between the models and the engine: what a camera can be asked, and what it says by itself.

import Foundation

/// What camera is wanted, and in which mode.
public struct CameraConfiguration: Equatable, Sendable {
  /// `nil` takes the first real camera.
  public var cameraID: CameraDevice.ID?
  /// The size that is wanted; see `FormatChoice`. `nil` asks for 1280×720 at least.
  public var size: PixelSize?
  /// When a size is given: whether no other will do.
  public var sizeIsExact: Bool
  /// When given, frames of this encoding are wanted and no other.
  public var encoding: FrameEncoding?

  public init(
    cameraID: CameraDevice.ID? = nil, size: PixelSize? = nil, sizeIsExact: Bool = false, encoding: FrameEncoding? = nil
  ) {
    self.cameraID = cameraID
    self.size = size
    self.sizeIsExact = sizeIsExact
    self.encoding = encoding
  }
}

/// Where the sound of live photos comes from.
public enum MicrophoneChoice: Hashable, Sendable, Codable {
  /// What the desktop uses.
  case automatic
  case none
  case device(MicrophoneDevice.ID)
}

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

/// A converted frame, ready to be painted 1:1: `BGRx`, already mirrored when mirroring is on.
public protocol PreviewFrame: AnyObject, Sendable {
  /// When the camera took it.
  var time: MonotonicTime { get }
  var size: PixelSize { get }
  /// Bytes from one row to the next; a multiple of 4.
  var stride: Int { get }
  /// The first byte of the top row. Valid and unchanged while a reference to the frame is held.
  var pixels: UnsafeRawPointer { get }
}

/// The newest-only mailbox between an engine thread and the screen.
public protocol PreviewSource: AnyObject, Sendable {
  /// Tells how large the picture may be shown, in device pixels; frames are made to fit into it with their own aspect.
  /// `nil` when nothing is shown: nothing is then decoded.
  func setTarget(_ size: PixelSize?)

  /// Whether frames come mirrored, as in a mirror.
  func setMirrored(_ isMirrored: Bool)

  /// `handler` is called on an engine thread each time a new frame waits and the one before has been taken. It must not
  /// block. `nil` ends the calls; none is under way when this returns.
  func setFrameHandler(_ handler: (@Sendable () -> Void)?)

  /// Takes the newest frame, if one has come since the last call.
  func takeFrame() -> (any PreviewFrame)?

  /// Notes that the frame taken at `time` is on screen since `shown`.
  func markShown(_ time: MonotonicTime, at shown: MonotonicTime)

  /// How many frames were delivered, and how many of those were never taken because a newer one came first.
  var statistics: PreviewStatistics { get }
}

/// Counts of a preview since the camera started.
public struct PreviewStatistics: Equatable, Sendable {
  /// Frames that the camera delivered.
  public var arrived: Int
  /// Frames that were decoded for the screen.
  public var converted: Int
  /// Frames that were marked as shown.
  public var shown: Int

  public init(arrived: Int = 0, converted: Int = 0, shown: Int = 0) {
    self.arrived = arrived
    self.converted = converted
    self.shown = shown
  }
}

/// Plays the movie of a live photo or a movie file into a `PreviewSource`, with sound.
public protocol MoviePlayback: AnyObject, Sendable {
  /// The picture.
  var preview: any PreviewSource { get }

  /// Plays from the start. Ends (returns) at the movie's end, when `stop` is called, or throws when it can't be played.
  func play() async throws(CameraError)

  func stop()
}

/// Makes players. `byteRange` is where the movie lies in the file: all of it for a movie file, the tail for a live photo.
public protocol MoviePlayerFactory: Sendable {
  func player(for url: URL, byteRange: Range<UInt64>, isMuted: Bool) -> any MoviePlayback
}

/// Decodes single frames of movies.
public protocol MovieFrameReader: Sendable {
  /// The frame that is shown at a time, upright. The first and the last stand for what is before and behind them.
  ///
  /// - Parameters:
  ///   - url: Of the file that the movie lies in.
  ///   - byteRange: Where it lies there: all of it for a movie file, the tail for a live photo.
  ///   - time: In seconds from the movie's start.
  ///   - size: In pixels; the frame is scaled to fit into it, and not enlarged.
  /// - Throws: `CameraError.playbackFailed`, `missingPlugin` when a decoder isn't installed, or `CancellationError` soon
  ///   after the task was cancelled.
  func frame(of url: URL, byteRange: Range<UInt64>, at time: Double, fitting size: PixelSize) async throws
    -> DecodedImage
}
