// The mean luma of frames.

import CGStreamer
import CameraCore

/// Measures how bright a frame is: a millisecond or two, on any thread.
enum BrightnessMeter {
  /// - Parameter faces: The only parts that count; none for the whole frame.
  /// - Returns: `nil` for a frame that can't be decoded.
  static func measure(_ frame: CameraFrame, faces: [FoundFace] = []) -> FrameBrightness? {
    let level =
      switch frame.content {
      case .jpeg: level(ofJPEG: frame.block, faces)
      case .raw(let layout): level(of: frame.block, layout, faces)
      }
    return level.map { FrameBrightness(time: frame.time, level: $0) }
  }

  /// At an eighth of the size: the mean of a block is its first coefficient.
  private static func level(ofJPEG jpeg: FrameBlock, _ faces: [FoundFace]) -> Double? {
    guard let decoder = try? JPEGDecoder() else { return nil }
    return jpeg.withUnsafeBytes { bytes in
      if let (layout, planes) = try? decoder.decodePlanes(bytes, eighths: 1, quality: .fast) {
        return mean(planes, layout, faces)
      }
      // 4:4:0 isn't decoded to planes.
      guard let image = try? decoder.decode(bytes, atLeast: PixelSize(width: 1, height: 1), quality: .fast) else {
        return nil
      }
      return self.level(
        of: image.block, RawLayout(name: "BGRx", size: image.size, strides: [image.stride], offsets: [0]), faces)
    }
  }

  private static func level(of block: FrameBlock, _ layout: RawLayout, _ faces: [FoundFace]) -> Double? {
    // GStreamer keeps the range where both sides have the same matrix.
    let isLimited = GstVideoInfo(layout.kind)?.colorimetry.range != GST_VIDEO_COLOR_RANGE_0_255
    let target = RawConverter.Kind(
      layout: "GRAY8", size: layout.size,
      colorimetry: isLimited ? FrameKeeping.limitedJPEGColorimetry : FrameKeeping.jpegColorimetry)
    guard let converter = RawConverter(from: layout.kind, to: target) else { return nil }
    let (gray, luma) = converter.convert(block, layout: layout)
    let level = mean(luma, gray, faces)
    // 16 to 235 in 8 bits (BT.601).
    return isLimited ? min(max(0, (level * 255 - 16) / 219), 1) : level
  }

  /// The mean of the first plane, or of its faces, 0 to 1.
  private static func mean(_ block: FrameBlock, _ layout: RawLayout, _ faces: [FoundFace]) -> Double {
    let whole = (columns: 0..<layout.size.width, rows: 0..<layout.size.height)
    let parts = faces.compactMap { area(of: $0, in: layout.size) }
    return block.withUnsafeBytes { bytes in
      var (sum, count) = (0, 0)
      for (columns, rows) in parts.isEmpty ? [whole] : parts {
        for row in rows {
          let start = layout.offsets[0] + row * layout.strides[0]
          for column in columns { sum += Int(bytes[start + column]) }
        }
        count += columns.count * rows.count
      }
      return Double(sum) / Double(max(1, count) * 255)
    }
  }

  /// The pixels of a face that are in the picture; `nil` for none.
  private static func area(of face: FoundFace, in size: PixelSize) -> (columns: Range<Int>, rows: Range<Int>)? {
    func range(_ start: Double, _ length: Double, of count: Int) -> Range<Int>? {
      guard start.isFinite, length.isFinite, length > 0, start < 1, start + length > 0 else { return nil }
      let low = Int(max(0, start) * Double(count))
      return low..<max(low + 1, Int(min(1, start + length) * Double(count)))
    }
    guard let columns = range(face.x, face.width, of: size.width),
      let rows = range(face.y, face.height, of: size.height)
    else { return nil }
    return (columns, rows)
  }
}
