// The sensor's own samples, travelling with the buffer that was made of them.

import CGStreamer
import CameraCore

extension UnsafeMutablePointer where Pointee == GstBuffer {
  /// Lets the buffer hold a frame of the sensor until it is freed. For its maker, before anyone else has it.
  func attach(_ samples: BayerFrame) {
    gst_mini_object_set_qdata(
      object, attachmentKey, Unmanaged.passRetained(AttachedSamples(samples)).toOpaque(), releaseSamples)
  }

  /// The frame that was attached.
  var attachedSamples: BayerFrame? {
    gst_mini_object_get_qdata(object, attachmentKey).map {
      Unmanaged<AttachedSamples>.fromOpaque($0).takeUnretainedValue().samples
    }
  }

  private var object: UnsafeMutablePointer<GstMiniObject> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: GstMiniObject.self)
  }
}

private let attachmentKey = g_quark_from_string("photome-samples")

/// Carries a frame through C; owned by the buffer.
private final class AttachedSamples: Sendable {
  let samples: BayerFrame
  init(_ samples: BayerFrame) { self.samples = samples }
}

/// Releases the frame when its buffer is freed; any thread.
private nonisolated func releaseSamples(data: gpointer?) {
  if let data { Unmanaged<AttachedSamples>.fromOpaque(data).release() }
}
