// Conversion of camera frames for the H.264 encoder: 4:2:0, BT.709, limited range.

import CameraCore

/// Converts camera frames, one after another. Not for several threads at once.
///
/// A JPEG's colors are full range BT.601; Motion Photo 1.0 asks for BT.709. The frames are converted rather than tagged,
/// because many players ignore the tag.
final class MoviePictureMaker {
  /// GStreamer's names of the result's layout and colorimetry.
  static let layout = "I420"
  static let colorimetry = "bt709"

  /// The size of the result: 4:2:0 has no half samples, so an odd last row or column is cut off.
  static func pictureSize(of size: PixelSize) -> PixelSize {
    PixelSize(width: max(2, size.width & ~1), height: max(2, size.height & ~1))
  }

  private let size: PixelSize
  private let isMirrored: Bool
  private let target: RawConverter.Kind
  private let planes: (layout: RawLayout, byteCount: Int)?
  private let decoder: JPEGDecoder
  private var converter: RawConverter?
  private let looks = LookRenderer()

  /// - Parameters:
  ///   - size: The size of the frames.
  ///   - isMirrored: Whether the result is turned left to right.
  /// - Throws: `JPEGCodecError` when there is no memory for a decoder.
  init(size: PixelSize, isMirrored: Bool = false) throws {
    self.size = size
    self.isMirrored = isMirrored
    target = RawConverter.Kind(
      layout: Self.layout, size: Self.pictureSize(of: size), colorimetry: Self.colorimetry)
    planes = RawConverter.defaultLayout(of: target)
    decoder = try JPEGDecoder()
  }

  /// Converts a frame.
  ///
  /// - Throws: `JPEGCodecError` if the frame can't be decoded, or has another size than it says.
  func picture(of frame: CameraFrame) throws -> FrameBlock {
    let picture = try upright(frame)
    return isMirrored ? mirrored(picture) : picture
  }

  /// A converted picture with its rows reversed.
  private func mirrored(_ picture: FrameBlock) -> FrameBlock {
    guard let layout = planes?.layout else { return picture }
    return FrameBlock(count: picture.count) { target in
      picture.withUnsafeBytes { source in
        for (plane, start) in layout.offsets.enumerated() {
          let share = plane == 0 ? 1 : 2
          let width = layout.size.width / share
          for row in 0..<layout.size.height / share {
            let first = start + row * layout.strides[plane]
            for column in 0..<width { target[first + column] = source[first + width - 1 - column] }
          }
        }
      }
    }
  }

  private func upright(_ frame: CameraFrame) throws -> FrameBlock {
    let picture = try plainPicture(of: frame)
    guard let look = frame.look, let planes else { return picture }
    return try looks.render(picture, layout: planes.layout, look: look, isLimited: true)
  }

  private func plainPicture(of frame: CameraFrame) throws -> FrameBlock {
    switch frame.content {
    case .jpeg:
      var (layout, block) = try frame.block.withUnsafeBytes { try decode($0) }
      guard layout.size == size else { throw JPEGCodecError(message: "the frame has another size than it says") }
      guard !decoder.isCut else { throw JPEGCodecError(message: "the frame is cut short") }
      if JPEGColors.converts(layout), let planes { return convertColors(of: block, layout, to: planes) }
      layout.colorimetry = layout.name == "BGRx" ? nil : FrameKeeping.jpegColorimetry
      return try convert(block, layout: layout)
    case .raw(let layout):
      return try convert(frame.block, layout: layout)
    }
  }

  private func decode(_ jpeg: UnsafeRawBufferPointer) throws -> (layout: RawLayout, block: FrameBlock) {
    if try decoder.header(of: jpeg).subsampling != .yuv440 { return try decoder.decodePlanes(jpeg, quality: .fast) }
    // 4:4:0, as of losslessly rotated 4:2:2, has no name in GStreamer.
    let image = try decoder.decode(jpeg, quality: .fast)
    return (RawLayout(name: "BGRx", size: image.size, strides: [image.stride], offsets: [0]), image.block)
  }

  private func convertColors(
    of block: FrameBlock, _ layout: RawLayout, to planes: (layout: RawLayout, byteCount: Int)
  ) -> FrameBlock {
    FrameBlock(count: planes.byteCount) { memory in
      block.withUnsafeBytes { JPEGColors.convert($0, layout, into: memory, as: planes.layout) }
    }
  }

  private func convert(_ block: FrameBlock, layout: RawLayout) throws -> FrameBlock {
    var layout = layout
    // Cuts off an odd last column and row.
    layout.size = target.size
    if converter == nil || converter?.source != layout.kind { converter = RawConverter(from: layout.kind, to: target) }
    guard let converter else {
      throw JPEGCodecError(message: "pictures of the layout \(layout.name) can't be converted")
    }
    return converter.convert(block, layout: layout).block
  }
}
