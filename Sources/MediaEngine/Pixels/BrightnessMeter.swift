// The mean luma of frames.

import CGStreamer
import CameraCore

/// Measures how bright a frame is: a millisecond or two, on any thread.
enum BrightnessMeter {
  /// - Returns: `nil` for a frame that can't be decoded.
  static func measure(_ frame: CameraFrame) -> FrameBrightness? {
    let level =
      switch frame.content {
      case .jpeg: level(ofJPEG: frame.block)
      case .raw(let layout): level(of: frame.block, layout)
      }
    return level.map { FrameBrightness(time: frame.time, level: $0) }
  }

  /// At an eighth of the size: the mean of a block is its first coefficient.
  private static func level(ofJPEG jpeg: FrameBlock) -> Double? {
    guard let decoder = try? JPEGDecoder() else { return nil }
    return jpeg.withUnsafeBytes { bytes in
      if let (layout, planes) = try? decoder.decodePlanes(bytes, eighths: 1, quality: .fast) {
        return mean(planes, layout)
      }
      // 4:4:0 isn't decoded to planes.
      guard let image = try? decoder.decode(bytes, atLeast: PixelSize(width: 1, height: 1), quality: .fast) else {
        return nil
      }
      return self.level(
        of: image.block, RawLayout(name: "BGRx", size: image.size, strides: [image.stride], offsets: [0]))
    }
  }

  private static func level(of block: FrameBlock, _ layout: RawLayout) -> Double? {
    // GStreamer keeps the range where both sides have the same matrix.
    let isLimited = GstVideoInfo(layout.kind)?.colorimetry.range != GST_VIDEO_COLOR_RANGE_0_255
    let target = RawConverter.Kind(
      layout: "GRAY8", size: layout.size,
      colorimetry: isLimited ? FrameKeeping.limitedJPEGColorimetry : FrameKeeping.jpegColorimetry)
    guard let converter = RawConverter(from: layout.kind, to: target) else { return nil }
    let (gray, luma) = converter.convert(block, layout: layout)
    let level = mean(luma, gray)
    // 16 to 235 in 8 bits (BT.601).
    return isLimited ? min(max(0, (level * 255 - 16) / 219), 1) : level
  }

  /// The mean of the first plane, 0 to 1.
  private static func mean(_ block: FrameBlock, _ layout: RawLayout) -> Double {
    block.withUnsafeBytes { bytes in
      var sum = 0
      for row in 0..<layout.size.height {
        let start = layout.offsets[0] + row * layout.strides[0]
        for column in start..<start + layout.size.width { sum += Int(bytes[column]) }
      }
      return Double(sum) / Double(max(1, layout.size.area) * 255)
    }
  }
}
