// Capturing from a V4L2 device, in memory that it shares with its driver.

import CameraCore
import Foundation
import LinuxShim

/// An open V4L2 device. Closed by `close` alone: whoever opened it knows on which thread that may hang.
final class V4L2CaptureNode: CaptureNode {
  /// Buffers that the driver fills in turn; each is back with it after one copy.
  private static let bufferCount: UInt32 = 4

  private let descriptor: Int32
  private var buffers: [UnsafeRawBufferPointer] = []

  /// - Throws: `NodeFailure`.
  init(_ path: String) throws(NodeFailure) {
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 { throw NodeFailure(step: .opening, number: errno) }
  }

  func setMode(_ pixelFormat: UInt32, _ size: PixelSize) throws(NodeFailure) -> NodeFormat {
    var mode = linux_v4l2_mode()
    (mode.width, mode.height, mode.pixel_format) = (UInt32(size.width), UInt32(size.height), pixelFormat)
    try check(linux_v4l2_set_mode(descriptor, &mode), .setting)
    return NodeFormat(
      pixelFormat: mode.pixel_format, size: PixelSize(width: Int(mode.width), height: Int(mode.height)),
      stride: Int(mode.bytes_per_line), byteCount: Int(mode.byte_count),
      color: NodeColor(
        space: mode.color_space, matrix: mode.matrix, quantization: mode.quantization, transfer: mode.transfer))
  }

  func setRate(_ rate: FrameRate) -> FrameRate? {
    var (numerator, denominator) = (UInt32(clamping: rate.numerator), UInt32(clamping: rate.denominator))
    // Sensors without a choice of rates don't know the request.
    guard linux_v4l2_set_rate(descriptor, &numerator, &denominator) == 0, numerator > 0, denominator > 0 else {
      return nil
    }
    return FrameRate(Int(numerator), Int(denominator))
  }

  func start() throws(NodeFailure) {
    var count = Self.bufferCount
    try check(linux_v4l2_request_buffers(descriptor, &count), .setting)
    for index in 0..<count {
      var (address, length): (UnsafeRawPointer?, Int) = (nil, 0)
      try check(linux_v4l2_map_buffer(descriptor, index, &address, &length), .setting)
      buffers.append(UnsafeRawBufferPointer(start: address, count: length))
      try check(linux_v4l2_queue(descriptor, index), .setting)
    }
    // The driver could fill none while the only one is read.
    if buffers.count < 2 { throw NodeFailure(step: .setting, number: ENOMEM) }
    try check(linux_v4l2_stream(descriptor, 1), .setting)
  }

  func wait(milliseconds: Int32) throws(NodeFailure) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let answer = poll(&request, 1, milliseconds)
    if answer < 0, errno != EINTR { throw NodeFailure(step: .reading, number: errno) }
    return answer > 0
  }

  func take(_ copy: (UnsafeRawBufferPointer, NodeStamp) -> Void) throws(NodeFailure) -> Bool {
    var frame = linux_v4l2_frame()
    let failure = linux_v4l2_dequeue(descriptor, &frame)
    if failure == EAGAIN {
      // Nothing to take although something woke us: an error that the driver doesn't name, such as a queue that it ended.
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let isBroken = poll(&request, 1, 0) > 0 && request.revents & Int16(POLLIN) == 0
      if isBroken { throw NodeFailure(step: .reading, number: EIO) }
      return false
    }
    try check(failure, .reading)
    guard buffers.indices.contains(Int(frame.index)) else { throw NodeFailure(step: .reading, number: EIO) }
    let buffer = buffers[Int(frame.index)]
    let time = frame.is_monotonic != 0 ? MonotonicTime(nanoseconds: frame.nanoseconds) : nil
    copy(
      UnsafeRawBufferPointer(rebasing: buffer.prefix(Int(frame.bytes_used))),
      NodeStamp(time: time, isDamaged: frame.is_damaged != 0))
    try check(linux_v4l2_queue(descriptor, frame.index), .reading)
    return true
  }

  func close() {
    // Whatever fails here, the last call ends it all: for a device that is gone, that is all that is left to do.
    _ = linux_v4l2_stream(descriptor, 0)
    for buffer in buffers { munmap(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count) }
    buffers = []
    release(descriptor)
  }

  private func check(_ failure: Int32, _ step: NodeFailure.Step) throws(NodeFailure) {
    if failure != 0 { throw NodeFailure(step: step, number: failure) }
  }
}

/// close(2), which a method of that name hides.
private nonisolated func release(_ descriptor: Int32) { _ = close(descriptor) }
