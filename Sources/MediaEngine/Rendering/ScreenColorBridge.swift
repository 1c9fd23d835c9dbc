// HDR and wide colors in the middle of a pipeline.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Takes frames of 10 bits out of a pipeline, and puts them back in the colors of the screen:
///
///     … ─ I420_10LE ─ appsink   appsrc ─ I420 ─ …
///
/// A thread of its own takes the frames over. A streaming thread that waited for room in the appsrc would hold the appsink's
/// lock meanwhile, and a pipeline that is stopped then waits for that lock before it stops the appsrc: for ever.
final class ScreenColorBridge: Sendable {
  private let sink: Element
  private let source: Element
  private let niceness: Int32
  private let isRunning = Mutex(false)

  private init(_ sink: Element, _ source: Element, niceness: Int32) {
    (self.sink, self.source, self.niceness) = (sink, source, niceness)
  }

  /// The elements of a bridge, in order; the second and the third stay unlinked.
  ///
  /// - Parameter niceness: That of the pipeline's threads.
  static func elements(niceness: Int32) throws(CameraError) -> [Element] {
    let form = try Element("capsfilter")
    form.setCaps("video/x-raw,format=(string)\(DeepLayout.planar420.rawValue)")
    let source = try AppSource.make(caps: "video/x-raw", isLive: false)
    // The decoder waits for the encoder.
    source.set("block", true)
    source.set("max-bytes", 64 << 20)
    let sink = try Element("appsink")
    sink.set("sync", false)
    sink.set("qos", false)
    sink.set("drop", false)
    sink.set("max-buffers", 2)
    sink.set("enable-last-sample", false)
    sink.set("async", false)
    guard let pad = sink.pad("sink") else { throw GStreamerRuntime.missing("appsink") }
    defer { gst_object_unref(pad) }
    let bridge = ScreenColorBridge(sink, source, niceness: niceness)
    // Data flows once the sink accepts it.
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, startBridge, Unmanaged.passRetained(bridge).toOpaque(), releaseBridge)
    return [form, sink, source]
  }

  /// Starts the thread, once.
  fileprivate func start() {
    guard
      isRunning.withLock({ isRunning in
        defer { isRunning = true }
        return !isRunning
      })
    else { return }
    let thread = Thread { [self] in
      // 0 names the calling thread.
      if niceness > 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness) }
      passFrames()
    }
    thread.name = "screen colors"
    thread.start()
  }

  /// Passes frames on until the stream ends, or the pipeline is stopped.
  private func passFrames() {
    let app = sink.pointer.cast(to: GstAppSink.self)
    var size: PixelSize?
    while let sample = gst_app_sink_pull_sample(app) {
      defer { gst_sample_unref(sample) }
      guard let buffer = gst_sample_get_buffer(sample), let caps = gst_sample_get_caps(sample),
        let time = buffer.movieTime(by: gst_sample_get_segment(sample)),
        let copy = CameraFrame.copying(buffer, caps: caps)
      else { continue }
      let frame = copy.inScreenColors(threads: 1)
      if size != frame.size { announce(frame.size, caps) }
      size = frame.size
      // Waits for room; a source that is stopped lets go.
      guard push(frame, at: time, buffer) == GST_FLOW_OK else { break }
    }
    // Of a pipeline that is stopped, too: nothing comes of it.
    AppSource.end(source)
  }

  private func push(_ frame: CameraFrame, at time: UInt64, _ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
    let length = buffer.pointee.duration
    return AppSource.push(
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

/// Called on the streaming thread for each event: with the first one the stream begins.
private nonisolated func startBridge(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, data: gpointer?
) -> GstPadProbeReturn {
  if let data { Unmanaged<ScreenColorBridge>.fromOpaque(data).takeUnretainedValue().start() }
  return GST_PAD_PROBE_REMOVE
}

/// Releases the bridge when it has started, or the pad is gone; any thread.
private nonisolated func releaseBridge(data: gpointer?) {
  if let data { Unmanaged<ScreenColorBridge>.fromOpaque(data).release() }
}
