// Hands the pictures of a movie to the preview, each when its time has come.

import CGStreamer
import CameraCore

/// Takes I420 pictures from a synchronised appsink.
final class MovieFrameReceiver: SampleReceiver {
  private let pump: PreviewPump
  private let control: MovieControl

  init(pump: PreviewPump, control: MovieControl) {
    self.pump = pump
    self.control = control
  }

  /// While the movie is held, this is the picture to see.
  func receivePreroll(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    if control.isPaused { receive(buffer, caps: caps) }
  }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    guard let caps, let frame = CameraFrame.copying(buffer, caps: caps) else { return }
    let time = buffer.pointee.pts == GStreamerRuntime.noTime ? nil : UInt64(buffer.pointee.pts)
    pump.offer(frame, movieTime: Double(time ?? 0) / 1_000_000_000)
    if let time { control.showed(nanoseconds: time) }
  }
}

extension CameraFrame {
  /// An I420 picture of a decoder, in memory of our own: the decoder's is few buffers, which it needs again.
  ///
  /// - Parameter largestArea: In pixels; a larger picture is none.
  /// - Returns: `nil` for pictures of another kind.
  static func copying(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>, largestArea: Int = .max
  ) -> CameraFrame? {
    var info = GstVideoInfo()
    var picture = GstVideoFrame()
    guard gst_video_info_from_caps(&info, caps) != 0, info.finfo.pointee.format == GST_VIDEO_FORMAT_I420,
      Int(info.width) * Int(info.height) <= largestArea,
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
