// The form in which decoded frames leave a pipeline, by their colors.

import CGStreamer
import CameraCore

/// Chooses the form of decoded frames as their colors become known: 8 bits in the colors of ordinary movies, which need no
/// work, and 10 bits in HDR and in wide colors, for `ScreenColors`. What has 8 bits there is widened later: GStreamer's way
/// isn't exact.
enum DecodedForm {
  /// That of ordinary movies.
  static let usual = "video/x-raw,format=(string)I420"
  private static let deep = "video/x-raw,format=(string)\(DeepLayout.planar420.rawValue)"

  /// Sets the caps of a filter by what comes to an element before it.
  static func watch(_ converter: Element, for filter: Element) {
    guard let pad = converter.pad("sink") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, chooseForm, Unmanaged.passRetained(filter).toOpaque(), releaseFilter)
  }

  fileprivate static func choose(_ filter: Element, for caps: UnsafeMutablePointer<GstCaps>) {
    var info = GstVideoInfo()
    guard gst_video_info_from_caps(&info, caps) != 0 else { return }
    filter.setCaps(ScreenColors.Key(info.colorimetry) == nil || info.finfo.pointee.bits <= 8 ? usual : deep)
  }
}

/// Called on the streaming thread for each event.
private nonisolated func chooseForm(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, data: gpointer?
) -> GstPadProbeReturn {
  guard let data, let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_CAPS else {
    return GST_PAD_PROBE_OK
  }
  var caps: UnsafeMutablePointer<GstCaps>?
  gst_event_parse_caps(event, &caps)
  if let caps { DecodedForm.choose(Unmanaged<Element>.fromOpaque(data).takeUnretainedValue(), for: caps) }
  return GST_PAD_PROBE_OK
}

/// Releases the filter when the pad is gone; any thread.
private nonisolated func releaseFilter(data: gpointer?) {
  if let data { Unmanaged<Element>.fromOpaque(data).release() }
}
