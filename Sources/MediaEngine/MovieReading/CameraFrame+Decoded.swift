// Copies of decoded frames, out of the decoder's buffers.

import CGStreamer
import CameraCore
import PhotoEffects

extension CameraFrame {
  /// The largest decoded frame, in pixels: more than any level of H.264 and H.265 allows.
  private static let largestDecodedArea = 67_108_864

  private static let formats = [
    GST_VIDEO_FORMAT_I420.rawValue: "I420", GST_VIDEO_FORMAT_I420_10LE.rawValue: DeepLayout.planar420.rawValue,
  ]

  /// A copy of a frame, `I420` of 8 bits, or of 10 in HDR and in wide colors. The decoder has few buffers, and needs them
  /// again.
  ///
  /// - Returns: `nil` for another format, or a frame that is too large.
  static func copying(
    _ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>
  ) -> CameraFrame? {
    var info = GstVideoInfo()
    var picture = GstVideoFrame()
    guard gst_video_info_from_caps(&info, caps) != 0,
      let name = formats[info.finfo.pointee.format.rawValue], Int(info.width) * Int(info.height) <= largestDecodedArea,
      gst_video_frame_map(&picture, &info, buffer, GST_MAP_READ) != 0
    else { return nil }
    defer { gst_video_frame_unmap(&picture) }
    let size = PixelSize(width: Int(info.width), height: Int(info.height))
    let kind = RawConverter.Kind(layout: name, size: size, colorimetry: info.colorimetryName)
    guard let (layout, byteCount) = RawConverter.defaultLayout(of: kind) else { return nil }
    let sampleBytes = layout.deep == nil ? 1 : 2
    let block = FrameBlock(count: byteCount) { memory in
      let planes = [picture.data.0, picture.data.1, picture.data.2]
      let strides = [picture.info.stride.0, picture.info.stride.1, picture.info.stride.2].map { Int($0) }
      for plane in 0..<3 {
        guard let source = planes[plane], let target = memory.baseAddress else { continue }
        let (width, rows) =
          plane == 0 ? (size.width, size.height) : ((size.width + 1) / 2, (size.height + 1) / 2)
        for row in 0..<rows {
          (target + layout.offsets[plane] + row * layout.strides[plane])
            .copyMemory(from: source + row * strides[plane], byteCount: width * sampleBytes)
        }
      }
    }
    let frame = CameraFrame(time: .now, size: size, content: .raw(layout), block: block)
    return ScreenColors.Key(info.colorimetry) == nil ? frame : frame.widened(layout) ?? frame
  }

  /// A frame of `I420` with 10 bits; `nil` when it has them already.
  private func widened(_ layout: RawLayout) -> CameraFrame? {
    let kind = RawConverter.Kind(layout: DeepLayout.planar420.rawValue, size: size, colorimetry: layout.colorimetry)
    guard layout.deep == nil, let (planes, byteCount) = RawConverter.defaultLayout(of: kind),
      let range = GstVideoInfo(layout.kind)?.colorimetry.range
    else { return nil }
    let wide = FrameBlock(count: byteCount) { memory in
      block.withUnsafeBytes {
        DeepNarrower.widen($0, layout, into: memory, as: planes, isFull: range == GST_VIDEO_COLOR_RANGE_0_255)
      }
    }
    return CameraFrame(time: time, size: size, content: .raw(planes), block: wide)
  }
}

extension CameraFrame {
  /// A decoded frame as `I420` of 8 bits: frames of HDR and of wide colors are brought to those of the screen, in BT.709,
  /// others stay as they are. Takes some milliseconds.
  ///
  /// - Parameter threads: The number of threads that share the work.
  func inScreenColors(threads: Int) -> CameraFrame {
    guard case .raw(let layout) = content, let colors = ScreenColors.conversion(of: layout.kind) else { return self }
    let size = MoviePictureMaker.pictureSize(of: layout.size)
    let kind = RawConverter.Kind(layout: "I420", size: size, colorimetry: MoviePictureMaker.colorimetry)
    guard let (target, byteCount) = RawConverter.defaultLayout(of: kind) else { return self }
    var source = layout
    source.size = size
    let pixels = PixelMemory(byteCount: size.area * 4)
    block.withUnsafeBytes { colors.convert($0, source, to: size, into: pixels.bytes, threads: threads) }
    let view = PixelView(writing: pixels.bytes, size: size, stride: size.width * 4)
    let planes = FrameBlock(count: byteCount) {
      MovieColors(MovieColors.Space(target)).convert(view, into: $0, target)
    }
    return CameraFrame(time: time, size: size, content: .raw(target), block: planes)
  }
}
