// Repair of fragments between the muxer and the file.

import CGStreamer
import MediaFormats
import Synchronization

/// Completes the fragments that `mp4mux` writes, so that a movie can be played by any player after a kill; see
/// `MP4FragmentRepair`.
final class FragmentProbe: Sendable {
  /// The offset of the next buffer in the file.
  private let position = Atomic<UInt64>(0)

  private init() {}

  /// Watches what is written to a file sink from now on; before the first buffer.
  static func add(to sink: Element) {
    guard let pad = sink.pad("sink") else { return }
    defer { gst_object_unref(pad) }
    let kinds = GstPadProbeType(
      GST_PAD_PROBE_TYPE_BUFFER.rawValue | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue)
    gst_pad_add_probe(pad, kinds, repairFragment, Unmanaged.passRetained(FragmentProbe()).toOpaque(), releaseProbe)
  }

  /// - Parameter event: A seek within the file is told by a segment in bytes.
  fileprivate func follow(_ event: UnsafeMutablePointer<GstEvent>) {
    guard event.pointee.type == GST_EVENT_SEGMENT else { return }
    var segment: UnsafePointer<GstSegment>?
    gst_event_parse_segment(event, &segment)
    guard let segment, segment.pointee.format == GST_FORMAT_BYTES else { return }
    position.store(UInt64(segment.pointee.start), ordering: .relaxed)
  }

  /// - Returns: The complete bytes of the buffer; `nil` where nothing is missing in it.
  fileprivate func repaired(_ buffer: UnsafeMutablePointer<GstBuffer>) -> [UInt8]? {
    let count = gst_buffer_get_size(buffer)
    let start = position.add(UInt64(count), ordering: .relaxed).oldValue
    var head = [UInt8](repeating: 0, count: 8)
    guard count > 8, gst_buffer_extract(buffer, 0, &head, 8) == 8, head[4...].elementsEqual("moof".utf8) else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    guard gst_buffer_extract(buffer, 0, &bytes, count) == count,
      MP4FragmentRepair.repair(&bytes, at: start)
    else { return nil }
    return bytes
  }
}

/// Called on the muxer's streaming thread for each buffer and event.
private nonisolated func repairFragment(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, data: gpointer?
) -> GstPadProbeReturn {
  guard let data, let info else { return GST_PAD_PROBE_OK }
  let probe = Unmanaged<FragmentProbe>.fromOpaque(data).takeUnretainedValue()
  if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue != 0 {
    if let event = gst_pad_probe_info_get_event(info) { probe.follow(event) }
  } else if let buffer = gst_pad_probe_info_get_buffer(info), let bytes = probe.repaired(buffer),
    let complete = gst_buffer_new_memdup(bytes, gsize(bytes.count))
  {
    // The probe owns the buffer that it was given, and passes another one on.
    gst_buffer_copy_into(
      complete, buffer, GstBufferCopyFlags(GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue), 0,
      gsize.max)
    info.pointee.data = UnsafeMutableRawPointer(complete)
    gst_buffer_unref(buffer)
  }
  return GST_PAD_PROBE_OK
}

/// Releases the probe when the pad is gone; any thread.
private nonisolated func releaseProbe(data: gpointer?) {
  if let data { Unmanaged<FragmentProbe>.fromOpaque(data).release() }
}
