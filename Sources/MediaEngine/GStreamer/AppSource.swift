// The beginning of a pipeline in our hands: an appsrc that is given buffers.

import CGStreamer
import CameraCore

/// Makes appsrcs and gives them buffers.
enum AppSource {
  /// An appsrc whose buffers carry times.
  ///
  /// - Parameter isLive: Whether it stands for a device, which delivers when it wants.
  static func make(caps: String, isLive: Bool) throws(CameraError) -> Element {
    let element = try Element("appsrc")
    element.setCaps(caps)
    element.set("format", "time")
    element.set("is-live", isLive)
    return element
  }

  /// Gives a block to an appsrc, without copying it.
  ///
  /// - Parameters:
  ///   - time: The buffer's running time in nanoseconds.
  ///   - duration: In nanoseconds; `nil` when it isn't known.
  /// - Returns: What the stream said: `GST_FLOW_OK`, or why it wants no more.
  @discardableResult
  static func push(_ block: FrameBlock, to source: Element, time: Int64, duration: Int64? = nil) -> GstFlowReturn {
    guard let buffer = makeBuffer(block, time: time, duration: duration) else { return GST_FLOW_ERROR }
    // Takes the reference, whatever it returns.
    return gst_app_src_push_buffer(source.pointer.cast(to: GstAppSrc.self), buffer)
  }

  /// A buffer around a block, which it holds.
  static func makeBuffer(_ block: FrameBlock, time: Int64, duration: Int64?) -> UnsafeMutablePointer<GstBuffer>? {
    let buffer = block.withUnsafeBytes { bytes in
      // The address stays valid while the block is held, which the buffer does until it is freed.
      gst_buffer_new_wrapped_full(
        GST_MEMORY_FLAG_READONLY, UnsafeMutableRawPointer(mutating: bytes.baseAddress), gsize(bytes.count), 0,
        gsize(bytes.count), Unmanaged.passRetained(block).toOpaque(), releaseBlock)
    }
    buffer?.pointee.pts = GstClockTime(max(0, time))
    if let duration { buffer?.pointee.duration = GstClockTime(max(0, duration)) }
    return buffer
  }

  /// Says that no more will come.
  static func end(_ source: Element) { gst_app_src_end_of_stream(source.pointer.cast(to: GstAppSrc.self)) }
}

/// Lets go of the block when GStreamer frees the memory around it; any thread.
private nonisolated func releaseBlock(data: gpointer?) {
  if let data { Unmanaged<FrameBlock>.fromOpaque(data).release() }
}
