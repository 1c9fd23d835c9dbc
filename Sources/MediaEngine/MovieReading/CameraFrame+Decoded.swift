// Copies of decoded frames, out of the decoder's buffers.

import CGStreamer
import CameraCore

extension CameraFrame {
  /// The largest decoded frame, in pixels: more than any level of H.264 and H.265 allows.
  private static let largestDecodedArea = 67_108_864

  /// A copy of an I420 frame. The decoder has few buffers, and needs them again.
  ///
  /// - Returns: `nil` for another format, or a frame that is too large.
  static func copying(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>
  ) -> CameraFrame? {
    var info = GstVideoInfo()
    var picture = GstVideoFrame()
    guard gst_video_info_from_caps(&info, caps) != 0, info.finfo.pointee.format == GST_VIDEO_FORMAT_I420,
      Int(info.width) * Int(info.height) <= largestDecodedArea,
      gst_video_frame_map(&picture, &info, buffer, GST_MAP_READ) != 0
    else { return nil }
    defer { gst_video_frame_unmap(&picture) }
    let size = PixelSize(width: Int(info.width), height: Int(info.height))
    let kind = RawConverter.Kind(layout: "I420", size: size, colorimetry: info.colorimetryName)
    guard let (layout, byteCount) = RawConverter.defaultLayout(of: kind) else { return nil }
    let block = FrameBlock(count: byteCount) { memory in
      let planes = [picture.data.0, picture.data.1, picture.data.2]
      let strides = [picture.info.stride.0, picture.info.stride.1, picture.info.stride.2].map { Int($0) }
      for plane in 0..<3 {
        guard let source = planes[plane], let target = memory.baseAddress else { continue }
        let (width, rows) =
          plane == 0 ? (size.width, size.height) : ((size.width + 1) / 2, (size.height + 1) / 2)
        for row in 0..<rows {
          (target + layout.offsets[plane] + row * layout.strides[plane])
            .copyMemory(from: source + row * strides[plane], byteCount: width)
        }
      }
    }
    return CameraFrame(time: .now, size: size, content: .raw(layout), block: block)
  }
}
