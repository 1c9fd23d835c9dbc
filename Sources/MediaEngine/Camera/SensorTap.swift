// The sensor's own frames, on their way to the interpolation of colors.

import CGStreamer
import CameraCore

/// Takes each frame of a camera that sends a Bayer pattern, before its colors are interpolated: the one that `NodeFeed`
/// attached to the buffer, else a copy of the buffer.
///
/// Elements between the tap and the sink keep a buffer's timestamp and work in the same thread, so the sink asks for the
/// frame of a timestamp right after it has passed here.
final class SensorTap: @unchecked Sendable {
  // Sendable: its variables are touched by the camera's one streaming thread only, the rest is constant.
  private let layout: BayerLayout
  private let size: PixelSize
  private let budget: FrameBudget
  private var last: (stamp: GstClockTime, frame: BayerFrame)?
  private let ask: @Sendable () -> BayerFrame.Transfer
  /// The meaning of the samples' values, asked for with the first frame: only then has the device its mode.
  private lazy var transfer = ask()

  /// - Parameters:
  ///   - size: The mode's, in pixels.
  ///   - budget: Counts the frames that are copied here; those of `NodeFeed` are counted there.
  ///   - transfer: Tells the meaning of the samples' values; called on the streaming thread.
  init(
    _ layout: BayerLayout, size: PixelSize, budget: FrameBudget,
    transfer: @escaping @Sendable () -> BayerFrame.Transfer
  ) {
    (self.layout, self.size, self.budget, ask) = (layout, size, budget, transfer)
  }

  /// Takes the frames that leave an element, which holds the tap until it is gone.
  func attach(to element: Element) {
    guard let pad = element.pad("src") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER, takeSensorFrame, Unmanaged.passRetained(self).toOpaque(), releaseSensorTap)
  }

  /// The frame with this timestamp, if it was the last one. For the streaming thread.
  func frame(stamped stamp: GstClockTime) -> BayerFrame? {
    defer { last = nil }
    return last?.stamp == stamp ? last?.frame : nil
  }

  /// For the streaming thread.
  fileprivate func take(_ buffer: UnsafeMutablePointer<GstBuffer>) {
    last = nil
    if let samples = buffer.attachedSamples {
      last = (buffer.pointee.pts, samples)
      return
    }
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
    defer { gst_buffer_unmap(buffer, &map) }
    let count = Int(map.size)
    guard let stride = Self.stride(of: count, layout, size) else { return }
    let block = FrameBlock(copying: UnsafeRawBufferPointer(start: map.data, count: min(count, stride * size.height)))
    block.charge(to: budget)
    guard let frame = BayerFrame(layout: layout, size: size, stride: stride, transfer: transfer, block: block) else {
      return
    }
    last = (buffer.pointee.pts, frame)
  }

  /// The bytes from one row to the next, of which neither caps nor buffer tell: as GStreamer has it, in multiples of four,
  /// or without padding where the buffer is shorter than that.
  ///
  /// - Parameter count: The bytes of the frame.
  /// - Returns: `nil` when they are too few.
  static func stride(of count: Int, _ layout: BayerLayout, _ size: PixelSize) -> Int? {
    let row = size.width * layout.bytesPerSample
    let padded = (row + 3) & ~3
    if count >= padded * (size.height - 1) + row { return padded }
    return count >= row * size.height ? row : nil
  }
}

/// Called on the streaming thread for each frame of the camera.
private nonisolated func takeSensorFrame(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, data: gpointer?
) -> GstPadProbeReturn {
  if let info, let data, let buffer = gst_pad_probe_info_get_buffer(info) {
    Unmanaged<SensorTap>.fromOpaque(data).takeUnretainedValue().take(buffer)
  }
  return GST_PAD_PROBE_OK
}

/// Releases the tap when the pad is gone; any thread.
private nonisolated func releaseSensorTap(data: gpointer?) {
  if let data { Unmanaged<SensorTap>.fromOpaque(data).release() }
}
