// Time limits of the engine.

import CameraCore

/// The times after which the engine reports a failure. They are generous: a webcam takes a second or two to wake, an
/// emulated machine ten times as long.
public struct EngineLimits: Sendable {
  /// From opening a camera to its first frame: some take this long in the dark.
  public var firstFrame: TimeSpan
  /// From opening a camera to the notice that its first frame takes long.
  public var firstFrameNotice: TimeSpan
  /// From the first attempt to open a camera to the last one.
  public var opening: TimeSpan
  /// For a device node to answer, which takes a millisecond, or a second when the camera has to be woken.
  public var nodeAnswer: TimeSpan
  /// For a camera to close, before it is left to itself.
  public var closing: TimeSpan
  /// From opening a microphone to its first sound.
  public var firstSound: TimeSpan
  /// From the request for a movie to its first frame, where the microphone takes longer.
  public var recordingSound: TimeSpan
  /// Between two frames of a running camera; one that sends nothing for longer has stalled.
  public var stall: TimeSpan
  /// For which a camera must have sent good frames to be opened again by itself when it stalls or breaks.
  public var steadiness: TimeSpan
  /// Between two buffers of an open microphone, which sends some 100 a second.
  public var soundStall: TimeSpan
  /// The age up to which a frame may become the picture of a press; three frame times for slow cameras.
  public var staleFrame: TimeSpan
  /// From a press that finds only a stale frame to the next frame.
  public var nextFrame: TimeSpan
  /// Without progress in writing a movie.
  public var movieProgress: TimeSpan
  /// For an encoder to be made, and for one of a recording to begin, before the next one is tried.
  public var encoderMaking: TimeSpan
  /// Without progress in writing the index of a recording, and for its file to be finished: a slow disk may have much to
  /// write before it.
  public var movieIndex: TimeSpan
  /// Between two attempts to open a camera.
  public var retryPause: TimeSpan
  /// From the permission to use lent cameras to the first of them.
  public var lentCameras: TimeSpan
  /// Between two looks whether a lent camera that runs is still permitted.
  public var permissionCheck: TimeSpan
  /// From the first listener to the search for devices, unless a camera runs before: while it is opened, that waits.
  public var deviceSearch: TimeSpan

  public init(
    firstFrame: TimeSpan = .seconds(10), firstFrameNotice: TimeSpan = .seconds(3), opening: TimeSpan = .seconds(25),
    nodeAnswer: TimeSpan = .seconds(3), closing: TimeSpan = .seconds(2), firstSound: TimeSpan = .seconds(3),
    recordingSound: TimeSpan = .seconds(1), stall: TimeSpan = .seconds(5),
    steadiness: TimeSpan = .seconds(10), soundStall: TimeSpan = .seconds(2), staleFrame: TimeSpan = .milliseconds(500),
    nextFrame: TimeSpan = .seconds(2), movieProgress: TimeSpan = .seconds(20),
    encoderMaking: TimeSpan = .seconds(5), movieIndex: TimeSpan = .seconds(90),
    retryPause: TimeSpan = .milliseconds(400), lentCameras: TimeSpan = .milliseconds(1500),
    permissionCheck: TimeSpan = .seconds(5),
    deviceSearch: TimeSpan = .milliseconds(500)
  ) {
    self.firstFrame = firstFrame
    self.firstFrameNotice = firstFrameNotice
    self.opening = opening
    self.nodeAnswer = nodeAnswer
    self.closing = closing
    self.firstSound = firstSound
    self.recordingSound = recordingSound
    self.stall = stall
    self.steadiness = steadiness
    self.soundStall = soundStall
    self.staleFrame = staleFrame
    self.nextFrame = nextFrame
    self.movieProgress = movieProgress
    self.encoderMaking = encoderMaking
    self.movieIndex = movieIndex
    self.retryPause = retryPause
    self.lentCameras = lentCameras
    self.permissionCheck = permissionCheck
    self.deviceSearch = deviceSearch
  }

  /// The same limits, multiplied; the pauses, the time to close and what counts as steady stay.
  public func times(_ factor: Double) -> EngineLimits {
    func longer(_ span: TimeSpan) -> TimeSpan { .seconds(span.seconds * factor) }
    return EngineLimits(
      firstFrame: longer(firstFrame), firstFrameNotice: longer(firstFrameNotice), opening: longer(opening),
      nodeAnswer: longer(nodeAnswer), closing: closing, firstSound: longer(firstSound),
      recordingSound: longer(recordingSound), stall: longer(stall), steadiness: steadiness,
      soundStall: longer(soundStall), staleFrame: longer(staleFrame), nextFrame: longer(nextFrame),
      movieProgress: longer(movieProgress), encoderMaking: longer(encoderMaking), movieIndex: longer(movieIndex),
      retryPause: retryPause, lentCameras: longer(lentCameras), permissionCheck: permissionCheck,
      deviceSearch: deviceSearch)
  }
}
