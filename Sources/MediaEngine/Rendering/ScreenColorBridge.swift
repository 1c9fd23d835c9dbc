// HDR and wide colors in the middle of a pipeline.

import CGStreamer
import CameraCore
import Synchronization

/// Takes frames of 10 bits out of a pipeline, and puts them back in the colors of the screen:
///
///     … ─ I420_10LE ─ appsink   appsrc ─ I420 ─ …
///
final class ScreenColorBridge: SampleReceiver {
  private let source: Element
  /// The size of the frames that the source has announced.
  private let size = Mutex<PixelSize?>(nil)

  private init(_ source: Element) { self.source = source }

  /// The elements of a bridge, in order; the second and the third stay unlinked.
  static func elements() throws(CameraError) -> [Element] {
    let form = try Element("capsfilter")
    form.setCaps("video/x-raw,format=(string)\(DeepLayout.planar420.rawValue)")
    let source = try AppSource.make(caps: "video/x-raw", isLive: false)
    // The decoder waits for the encoder.
    source.set("block", true)
    source.set("max-bytes", 64 << 20)
    let bridge = ScreenColorBridge(source)
    let sink = try AppSink.make(receiver: bridge)
    guard let pad = sink.pad("sink") else { throw GStreamerRuntime.missing("appsink") }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, passEnd, Unmanaged.passRetained(source).toOpaque(), releaseSource)
    return [form, sink, source]
  }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    receive(buffer, caps: caps, segment: nil)
  }

  func receive(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?,
    segment: UnsafeMutablePointer<GstSegment>?
  ) {
    guard let caps, let time = buffer.movieTime(by: segment), let copy = CameraFrame.copying(buffer, caps: caps) else {
      return
    }
    let frame = copy.inScreenColors(threads: 1)
    if size.withLock({ size in
      defer { size = frame.size }
      return size != frame.size
    }) {
      announce(frame.size, caps)
    }
    let length = buffer.pointee.duration
    AppSource.push(
      frame.block, to: source, time: Int64(clamping: time),
      duration: length == GStreamerRuntime.noTime ? nil : Int64(clamping: length))
  }

  private func announce(_ size: PixelSize, _ caps: UnsafeMutablePointer<GstCaps>) {
    var info = GstVideoInfo()
    gst_video_info_from_caps(&info, caps)
    source.setCaps(
      "video/x-raw,format=(string)I420,width=(int)\(size.width),height=(int)\(size.height),"
        + "framerate=(fraction)\(info.fps_n)/\(max(1, info.fps_d)),colorimetry=(string)\(MoviePictureMaker.colorimetry)"
    )
  }
}

/// Called on the streaming thread for each event: the end of the stream goes on at the source.
private nonisolated func passEnd(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, data: gpointer?
) -> GstPadProbeReturn {
  if let data, let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_EOS {
    AppSource.end(Unmanaged<Element>.fromOpaque(data).takeUnretainedValue())
  }
  return GST_PAD_PROBE_OK
}

/// Releases the source when the pad is gone; any thread.
private nonisolated func releaseSource(data: gpointer?) {
  if let data { Unmanaged<Element>.fromOpaque(data).release() }
}
