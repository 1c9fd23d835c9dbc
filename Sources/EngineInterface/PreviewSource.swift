// Moving pictures on their way from the engine to the screen.

import CameraCore
import PhotoEffects

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

  /// Renders an effect into each frame from now on, at the size that is shown; `nil` shows frames as they are. Any thread.
  ///
  /// The work is done on the preview's own thread, on its newest frame only; a frame that comes meanwhile waits, and is
  /// replaced by one that is newer still. The frame that is on the screen comes again, rendered anew, so that a held
  /// picture changes at once. Frames have the size that the processor makes of them, as large as it fits. The processor
  /// sees the frame upright, before it is mirrored. A frame for which it throws is not shown.
  func setProcessor(_ processor: (any FrameProcessing)?)

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
