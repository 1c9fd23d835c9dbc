// Frames of the camera as small pictures in which something is looked for.

import CameraCore

/// Decodes a frame: some milliseconds, on any thread.
enum FramePicture {
  /// The frame as the camera took it: not mirrored, and without a look.
  ///
  /// - Parameter least: JPEGs are decoded at the cheapest scale that is as large, raw frames at their size.
  /// - Returns: `nil` for a frame that can't be decoded.
  static func decoded(_ frame: CameraFrame, atLeast least: PixelSize) -> DecodedImage? {
    switch frame.content {
    case .jpeg:
      guard let decoder = try? JPEGDecoder() else { return nil }
      return frame.block.withUnsafeBytes { try? decoder.decode($0, atLeast: least, quality: .fast) }
    case .raw(let layout):
      let target = RawConverter.Kind(layout: "BGRx", size: layout.size, colorimetry: nil)
      guard let converter = RawConverter(from: layout.kind, to: target) else { return nil }
      let result = converter.convert(frame.block, layout: layout)
      return DecodedImage(size: layout.size, stride: result.layout.strides[0], block: result.block)
    }
  }
}
