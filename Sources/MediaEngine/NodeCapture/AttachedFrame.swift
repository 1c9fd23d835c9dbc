// A device's frame, travelling with the buffer that was made of it.

import CGStreamer
import CameraCore

extension UnsafeMutablePointer where Pointee == GstBuffer {
  /// Lets the buffer hold a frame until it is freed. For its maker, before anyone else has it. A copy of the buffer doesn't
  /// hold it.
  ///
  /// - Parameters:
  ///   - block: The memory that the buffer wraps.
  ///   - samples: The sensor's own samples, where they are kept.
  func attach(_ block: FrameBlock, _ samples: BayerFrame?) {
    let frame = AttachedFrame(block, samples)
    gst_mini_object_set_qdata(object, attachmentKey, Unmanaged.passRetained(frame).toOpaque(), releaseFrame)
  }

  /// The memory that the buffer wraps, where a device's thread made it; it is in the camera's budget.
  var attachedBlock: FrameBlock? { attachment?.block }

  /// The sensor's own samples.
  var attachedSamples: BayerFrame? { attachment?.samples }

  private var attachment: AttachedFrame? {
    gst_mini_object_get_qdata(object, attachmentKey).map {
      Unmanaged<AttachedFrame>.fromOpaque($0).takeUnretainedValue()
    }
  }

  private var object: UnsafeMutablePointer<GstMiniObject> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: GstMiniObject.self)
  }
}

private let attachmentKey = g_quark_from_string("photome-frame")

/// Carries a frame through C; owned by the buffer.
private final class AttachedFrame: Sendable {
  let block: FrameBlock
  let samples: BayerFrame?
  init(_ block: FrameBlock, _ samples: BayerFrame?) { (self.block, self.samples) = (block, samples) }
}

/// Releases the frame when its buffer is freed; any thread.
private nonisolated func releaseFrame(data: gpointer?) {
  if let data { Unmanaged<AttachedFrame>.fromOpaque(data).release() }
}
