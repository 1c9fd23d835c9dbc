// The end of the detector's pipeline: reads the regions of faces from the buffer.

import CGStreamer
import CameraCore
import EngineInterface

/// Takes the regions of interest that `facedetect` attaches to its buffer.
final class FaceSink: SampleReceiver {
  /// Decided with the first buffer, or by whatever prevents it.
  let found = OneShot<[FaceRectangle], CameraError>()
  /// The size of the picture that the detector sees.
  private let size: PixelSize

  init(size: PixelSize) { self.size = size }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    var faces: [FaceRectangle] = []
    var state: gpointer?
    while let meta = gst_buffer_iterate_meta_filtered(
      buffer, &state, gst_video_region_of_interest_meta_api_get_type())
    {
      let region = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self).pointee
      faces.append(
        FaceRectangle(
          x: Double(region.x) / Double(size.width), y: Double(region.y) / Double(size.height),
          width: Double(region.w) / Double(size.width), height: Double(region.h) / Double(size.height)))
    }
    found.decide(.success(faces))
  }
}
