// The buffer pool of a V4L2 device, which GStreamer 1.22 forgets to free.

import CGStreamer

/// Frees the buffer pool of a `v4l2src` that has been stopped.
///
/// GStreamer 1.22 loses a reference to the pool of a source that maps the driver's buffers. With the pool stay the source,
/// the device's file and four sockets open, each time that a camera is closed. Once the source is in its NULL state,
/// nothing of it has a pool; one that is still there, and to which nobody else holds a reference, is that lost one.
final class DevicePool: @unchecked Sendable {
  // Sendable: GLib locks weak references, and the pointer never changes.
  private let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)

  init() { g_weak_ref_init(reference, nil) }

  deinit {
    g_weak_ref_clear(reference)
    reference.deallocate()
  }

  /// Notes the pool of the source's buffers from now on.
  func watch(_ source: Element) {
    guard let pad = source.pad("src") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER, notePool, Unmanaged.passRetained(self).toOpaque(), releaseDevicePool)
  }

  fileprivate func note(_ pool: UnsafeMutablePointer<GstBufferPool>) { g_weak_ref_set(reference, pool) }

  /// Frees the pool if it was lost. For a source whose pipeline is in the NULL state, whose buffers are all gone.
  func releaseLost() {
    guard let object = g_weak_ref_get(reference) else { return }
    defer { g_object_unref(object) }
    // Ours, and the lost one.
    guard object.assumingMemoryBound(to: GObject.self).pointee.ref_count == 2 else { return }
    g_object_unref(object)
  }
}

/// Called on the streaming thread for each buffer.
private nonisolated func notePool(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, data: gpointer?
) -> GstPadProbeReturn {
  guard let info, let data, let pool = gst_pad_probe_info_get_buffer(info)?.pointee.pool else {
    return GST_PAD_PROBE_OK
  }
  let name = pool.withMemoryRebound(to: GTypeInstance.self, capacity: 1) { instance in
    g_type_name_from_class(instance.pointee.g_class)
  }
  if let name, String(cString: name) == "GstV4l2BufferPool" {
    Unmanaged<DevicePool>.fromOpaque(data).takeUnretainedValue().note(pool)
    // It is the same one until the source stops.
    return GST_PAD_PROBE_REMOVE
  }
  return GST_PAD_PROBE_OK
}

/// Releases the box when the probe is gone; any thread.
private nonisolated func releaseDevicePool(data: gpointer?) {
  if let data { Unmanaged<DevicePool>.fromOpaque(data).release() }
}
