// A V4L2 device that is open for capturing, as the thread that reads it sees it.

import CGStreamer
import CameraCore
import Foundation

/// An open device. Every call but `wait` may hang with it. For one thread.
protocol CaptureNode: AnyObject {
  /// Asks for a mode; the driver answers with the one that it does instead.
  ///
  /// - Throws: `NodeFailure`; `EBUSY` while another program captures.
  func setMode(_ pixelFormat: UInt32, _ size: PixelSize) throws(NodeFailure) -> NodeFormat

  /// Asks for a rate.
  ///
  /// - Returns: The rate that the driver takes; `nil` where it doesn't say.
  func setRate(_ rate: FrameRate) -> FrameRate?

  /// Begins to capture in the mode that was set last.
  ///
  /// - Throws: `NodeFailure`.
  func start() throws(NodeFailure)

  /// Waits for a frame, or for an error of the device.
  ///
  /// - Returns: Whether there is something to take.
  /// - Throws: `NodeFailure` when the device can't be waited for.
  func wait(milliseconds: Int32) throws(NodeFailure) -> Bool

  /// Takes the next frame, and gives its buffer back to the driver when `copy` returns.
  ///
  /// - Parameter copy: Is given the frame's bytes, valid during the call only, and what the driver says of it.
  /// - Returns: Whether there was one.
  /// - Throws: `NodeFailure`; `ENODEV` when the device was unplugged.
  func take(_ copy: (UnsafeRawBufferPointer, NodeStamp) -> Void) throws(NodeFailure) -> Bool

  /// Ends capturing and closes the device. Called once.
  func close()
}

/// The mode that a device is in.
struct NodeFormat: Hashable, Sendable {
  var pixelFormat: UInt32
  var size: PixelSize
  /// Bytes from one row to the next; 0 where the driver doesn't say.
  var stride: Int
  /// Bytes of a frame.
  var byteCount: Int
  var color = NodeColor()
}

/// The meaning of a mode's values, in the numbers of linux/videodev2.h; 0 stands for what follows from the others.
struct NodeColor: Hashable, Sendable {
  /// `enum v4l2_colorspace`.
  var space: UInt32 = 0
  /// `enum v4l2_ycbcr_encoding`.
  var matrix: UInt32 = 0
  /// `enum v4l2_quantization`.
  var quantization: UInt32 = 0
  /// `enum v4l2_xfer_func`.
  var transfer: UInt32 = 0
}

/// What a driver says of a frame.
struct NodeStamp: Hashable, Sendable {
  /// When it was taken; `nil` where the driver has no such time on this clock.
  var time: MonotonicTime?
  /// Whether it is damaged.
  var isDamaged = false
}

/// A refusal of a device.
struct NodeFailure: Error, Hashable {
  enum Step: Hashable, Sendable {
    case opening, setting, reading
  }

  var step: Step
  /// The errno.
  var number: Int32

  /// GStreamer's code for it, as its own sources report the same: an error has one meaning, whichever source had it.
  var code: GstResourceError {
    switch (number, step) {
    case (EBUSY, _): GST_RESOURCE_ERROR_BUSY
    case (EACCES, _), (EPERM, _): GST_RESOURCE_ERROR_NOT_AUTHORIZED
    case (ENODEV, _), (ENXIO, _), (ENOENT, _): GST_RESOURCE_ERROR_NOT_FOUND
    case (_, .opening): GST_RESOURCE_ERROR_OPEN_READ
    case (_, .setting): GST_RESOURCE_ERROR_SETTINGS
    case (_, .reading): GST_RESOURCE_ERROR_READ
    }
  }

  var message: String { String(cString: strerror(number)) }
}
