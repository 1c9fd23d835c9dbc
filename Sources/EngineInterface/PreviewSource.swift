// Moving pictures on their way from the engine to the screen.

import CameraCore
import PhotoEffects

/// A converted frame, ready to be painted 1:1: `BGRx`, already mirrored when mirroring is on.
public protocol PreviewFrame: AnyObject, Sendable {
  /// When the camera took it.
  var time: MonotonicTime { get }
  /// In pixels.
  var size: PixelSize { get }
  /// Bytes from one row to the next; a multiple of 4.
  var stride: Int { get }
  /// The first byte of the top row. Valid and unchanged while a reference to the frame is held.
  var pixels: UnsafeRawPointer { get }
}

/// The newest-only mailbox between an engine thread and the screen: a late frame is replaced, never queued.
public protocol PreviewSource: AnyObject, Sendable {
  /// Sets the size of the view, in device pixels; frames are scaled to fit into it with their own aspect ratio. With `nil`,
  /// nothing is shown and nothing is decoded.
  func setTarget(_ size: PixelSize?)

  /// Sets whether frames are mirrored.
  func setMirrored(_ isMirrored: Bool)

  /// Renders an effect into each frame from now on, at the size that is shown; `nil` shows frames as they are. Any thread.
  ///
  /// The preview's own thread renders its newest frame only; a frame that arrives meanwhile waits, and is replaced by a
  /// newer one. The frame that is on screen is rendered again, so that a paused picture changes at once. Frames have the
  /// size that the processor makes of them, as large as fits. The processor sees the frame upright, before it is mirrored.
  /// A frame for which it throws is not shown.
  func setProcessor(_ processor: (any FrameProcessing)?)

  /// Sets the callback for a new frame, called on an engine thread when one waits and the one before has been taken. It must
  /// not block. `nil` ends the calls; none is in progress when this returns.
  func setFrameHandler(_ handler: (@Sendable () -> Void)?)

  /// Takes the newest frame; `nil` if none has arrived since the last call.
  func takeFrame() -> (any PreviewFrame)?

  /// Records that the frame taken at `time` has been on screen since `shown`.
  func markShown(_ time: MonotonicTime, at shown: MonotonicTime)

  /// The counts of frames since the camera started or the movie began.
  var statistics: PreviewStatistics { get }

  /// How surely somebody was in the last frame that was rendered with a matte, 0…1; `nil` where the processor needs none.
  var presence: Double? { get }

  /// Sets the callback for people who can't be told from the background anymore, though the processor needs it: called once,
  /// with the reason, on an engine thread. Then no frame is shown until there is another processor: whoever has a backdrop
  /// doesn't want the room to be seen. `nil` ends the calls, and frames are shown without the effect.
  func setMatteFailureHandler(_ handler: (@Sendable (any Error) -> Void)?)
}

extension PreviewSource {
  /// A preview without effects has none.
  public var presence: Double? { nil }
  public func setMatteFailureHandler(_ handler: (@Sendable (any Error) -> Void)?) {}
}

/// The counts of a preview's frames.
public struct PreviewStatistics: Equatable, Sendable {
  /// Frames that the camera delivered.
  public var arrived: Int
  /// Frames that were decoded for the screen.
  public var converted: Int
  /// Frames that were marked as shown.
  public var shown: Int
  /// Frames that could not be decoded, or only without their end, and were not shown.
  public var damaged: Int
  /// Frames that came too late: a newer one replaced them before they were decoded or shown, or all memory for frames was in
  /// use.
  public var dropped: Int
  /// Frames that were left out on purpose, to relieve the computer.
  public var skipped: Int

  public init(
    arrived: Int = 0, converted: Int = 0, shown: Int = 0, damaged: Int = 0, dropped: Int = 0, skipped: Int = 0
  ) {
    self.arrived = arrived
    self.converted = converted
    self.shown = shown
    self.damaged = damaged
    self.dropped = dropped
    self.skipped = skipped
  }
}
