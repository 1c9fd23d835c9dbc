// Sources that feed our own memory to a pipeline.

import CGStreamer
import CameraCore

/// Makes appsrcs and pushes buffers into them.
enum AppSource {
  /// An appsrc whose buffers have timestamps.
  ///
  /// - Parameter isLive: Whether it stands for a device, which sets the pace.
  static func make(caps: String, isLive: Bool) throws(CameraError) -> Element {
    let element = try Element("appsrc")
    element.setCaps(caps)
    element.set("format", "time")
    element.set("is-live", isLive)
    return element
  }

  /// Pushes a block into an appsrc without copying it.
  ///
  /// - Parameters:
  ///   - time: The buffer's running time in nanoseconds.
  ///   - duration: In nanoseconds; `nil` when it isn't known.
  /// - Returns: `GST_FLOW_OK`, or the reason why the stream takes no more.
  @discardableResult
  static func push(_ block: FrameBlock, to source: Element, time: Int64, duration: Int64? = nil) -> GstFlowReturn {
    guard let buffer = makeBuffer(block, time: time, duration: duration) else { return GST_FLOW_ERROR }
    // Takes the reference, whatever it returns.
    return gst_app_src_push_buffer(source.pointer.cast(to: GstAppSrc.self), buffer)
  }

  /// A buffer that wraps a block and retains it.
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

  /// Ends the stream.
  static func end(_ source: Element) { gst_app_src_end_of_stream(source.pointer.cast(to: GstAppSrc.self)) }
}

extension Element {
  /// Posts an error, as a driver's element does.
  func report(_ message: String, _ code: GstResourceError) {
    gst_element_message_full(
      pointer, GST_MESSAGE_ERROR, gst_resource_error_quark(), gint(code.rawValue), g_strdup(message), nil,
      "AppSource.swift", "report", 0)
  }
}

/// Releases the block when GStreamer frees the memory that wraps it; any thread.
private nonisolated func releaseBlock(data: gpointer?) {
  if let data { Unmanaged<FrameBlock>.fromOpaque(data).release() }
}
