// Sinks that hand a pipeline's buffers to Swift objects.

import CGStreamer
import CameraCore

/// Receives the buffers of an appsink.
protocol SampleReceiver: AnyObject, Sendable {
  /// A buffer arrived. Called on the streaming thread; buffer and caps are valid during the call only.
  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?)

  /// The same with the buffer's segment, by which its times are read.
  func receive(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?,
    segment: UnsafeMutablePointer<GstSegment>?)

  /// A synchronized sink has prerolled a buffer, at the start or after a seek; it arrives again when the pipeline plays.
  func receivePreroll(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?,
    segment: UnsafeMutablePointer<GstSegment>?)
}

extension SampleReceiver {
  func receive(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?,
    segment: UnsafeMutablePointer<GstSegment>?
  ) { receive(buffer, caps: caps) }

  func receivePreroll(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?,
    segment: UnsafeMutablePointer<GstSegment>?
  ) {}
}

extension UnsafeMutablePointer where Pointee == GstBuffer {
  /// The time at which a buffer is shown or heard in its movie, in nanoseconds: that of its timestamp by the edit list, which
  /// the segment carries.
  ///
  /// - Returns: `nil` for a buffer without a timestamp, and for one outside of the edit list.
  func movieTime(by segment: UnsafeMutablePointer<GstSegment>?) -> UInt64? {
    guard pointee.pts != GStreamerRuntime.noTime else { return nil }
    guard let segment, segment.pointee.format == GST_FORMAT_TIME else { return UInt64(pointee.pts) }
    let time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, pointee.pts)
    return time == GStreamerRuntime.noTime ? nil : UInt64(time)
  }
}

/// Makes appsinks.
enum AppSink {
  /// An appsink that neither keeps nor drops buffers: each goes to `receiver` at once.
  ///
  /// - Parameters:
  ///   - receiver: Held until the element is gone.
  ///   - isSynchronized: Whether buffers wait for their presentation time; for playback.
  static func make(receiver: any SampleReceiver, isSynchronized: Bool = false) throws(CameraError) -> Element {
    let element = try Element("appsink")
    element.set("sync", isSynchronized)
    // A sink with QoS on drops frames in silence.
    element.set("qos", false)
    element.set("drop", false)
    element.set("max-buffers", 2)
    // A reference to the last sample would keep a device's buffer.
    element.set("enable-last-sample", false)
    element.set("async", isSynchronized)
    var callbacks = GstAppSinkCallbacks()
    callbacks.new_sample = handleNewSample
    callbacks.new_preroll = handlePreroll
    gst_app_sink_set_callbacks(
      element.pointer.cast(to: GstAppSink.self), &callbacks,
      Unmanaged.passRetained(ReceiverBox(receiver)).toOpaque(), releaseReceiver)
    return element
  }
}

extension AppSink {
  /// Accepts frames whose rows have another padding than GStreamer's own layout, described by `GstVideoMeta`.
  ///
  /// Without this a source has to copy such frames, or fails.
  static func acceptPaddedRows(_ sink: Element) {
    guard let pad = sink.pad("sink") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answerAllocation, nil, nil)
  }
}

/// Called on the streaming thread for each query on its way to the sink.
private nonisolated func answerAllocation(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, data: gpointer?
) -> GstPadProbeReturn {
  guard let info, let query = gst_pad_probe_info_get_query(info), query.pointee.type == GST_QUERY_ALLOCATION else {
    return GST_PAD_PROBE_OK
  }
  if gst_query_find_allocation_meta(query, gst_video_meta_api_get_type(), nil) == 0 {
    gst_query_add_allocation_meta(query, gst_video_meta_api_get_type(), nil)
  }
  return GST_PAD_PROBE_HANDLED
}

/// Receives the prerolled buffers of a paused pipeline.
protocol PrerollReceiver: AnyObject, Sendable {
  /// The first buffer after the start or after a seek. Called on the streaming thread; buffer and caps are valid during
  /// the call only.
  func receivePreroll(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?)

  /// The stream ended before any buffer came. Called on the streaming thread.
  func receiveEnd()
}

extension AppSink {
  /// An appsink for a pipeline that is never played: it hands over the prerolled buffer.
  ///
  /// - Parameter receiver: Held until the element is gone.
  static func makePaused(receiver: any PrerollReceiver) throws(CameraError) -> Element {
    let element = try Element("appsink")
    element.set("qos", false)
    element.set("max-buffers", 1)
    element.set("enable-last-sample", false)
    var callbacks = GstAppSinkCallbacks()
    callbacks.new_preroll = handlePausedPreroll
    callbacks.eos = handlePausedEnd
    gst_app_sink_set_callbacks(
      element.pointer.cast(to: GstAppSink.self), &callbacks,
      Unmanaged.passRetained(PrerollBox(receiver)).toOpaque(), releasePrerollReceiver)
    return element
  }
}

/// Carries the receiver through C; owned by the appsink.
private final class PrerollBox: Sendable {
  let receiver: any PrerollReceiver
  init(_ receiver: any PrerollReceiver) { self.receiver = receiver }
}

/// Called on the streaming thread when a buffer is prerolled.
private nonisolated func handlePausedPreroll(
  sink: UnsafeMutablePointer<GstAppSink>?, data: gpointer?
) -> GstFlowReturn {
  guard let sink, let data, let sample = gst_app_sink_try_pull_preroll(sink, 0) else { return GST_FLOW_OK }
  defer { gst_sample_unref(sample) }
  if let buffer = gst_sample_get_buffer(sample) {
    let box = Unmanaged<PrerollBox>.fromOpaque(data).takeUnretainedValue()
    box.receiver.receivePreroll(buffer, caps: gst_sample_get_caps(sample))
  }
  return GST_FLOW_OK
}

/// Called on the streaming thread at the end of the stream.
private nonisolated func handlePausedEnd(sink: UnsafeMutablePointer<GstAppSink>?, data: gpointer?) {
  if let data { Unmanaged<PrerollBox>.fromOpaque(data).takeUnretainedValue().receiver.receiveEnd() }
}

/// Frees the box when the appsink is gone; any thread.
private nonisolated func releasePrerollReceiver(data: gpointer?) {
  if let data { Unmanaged<PrerollBox>.fromOpaque(data).release() }
}

/// Carries the receiver through C; owned by the appsink.
private final class ReceiverBox: Sendable {
  let receiver: any SampleReceiver
  init(_ receiver: any SampleReceiver) { self.receiver = receiver }
}

/// Called on the streaming thread for each buffer.
private nonisolated func handleNewSample(sink: UnsafeMutablePointer<GstAppSink>?, data: gpointer?) -> GstFlowReturn {
  guard let sink, let data, let sample = gst_app_sink_pull_sample(sink) else { return GST_FLOW_EOS }
  defer { gst_sample_unref(sample) }
  if let buffer = gst_sample_get_buffer(sample) {
    let box = Unmanaged<ReceiverBox>.fromOpaque(data).takeUnretainedValue()
    box.receiver.receive(buffer, caps: gst_sample_get_caps(sample), segment: gst_sample_get_segment(sample))
  }
  return GST_FLOW_OK
}

/// Called on the streaming thread when a synchronized sink has prerolled a buffer, which arrives again as a sample.
private nonisolated func handlePreroll(sink: UnsafeMutablePointer<GstAppSink>?, data: gpointer?) -> GstFlowReturn {
  guard let sink, let data, let sample = gst_app_sink_pull_preroll(sink) else { return GST_FLOW_EOS }
  defer { gst_sample_unref(sample) }
  if let buffer = gst_sample_get_buffer(sample) {
    let box = Unmanaged<ReceiverBox>.fromOpaque(data).takeUnretainedValue()
    box.receiver.receivePreroll(
      buffer, caps: gst_sample_get_caps(sample), segment: gst_sample_get_segment(sample))
  }
  return GST_FLOW_OK
}

/// Frees the box when the appsink is gone; any thread.
private nonisolated func releaseReceiver(data: gpointer?) {
  if let data { Unmanaged<ReceiverBox>.fromOpaque(data).release() }
}
