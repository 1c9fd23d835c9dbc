// Conversion of camera frames for the encoder: 4:2:0, BT.709 in limited range with 8 bits, or as they are with 10.

import CGStreamer
import CameraCore
import Localization

/// Converts camera frames, one after another. Not for several threads at once.
///
/// A JPEG's colors are full range BT.601; Motion Photo 1.0 asks for BT.709. The frames are converted rather than tagged,
/// because many players ignore the tag.
///
/// Frames of 10 bits for a movie of 10 bits keep their color space, which the stream names, and their samples
/// (`DeepRows`). With a look they are zoomed and lit with 8 bits, and widened again; so are frames that came with 8 bits.
final class MoviePictureMaker {
  /// GStreamer's names of the result's layout and colorimetry.
  static let layout = "I420"
  static let colorimetry = "bt709"

  /// The color space of an encoder's pictures.
  ///
  /// - Parameter deep: That of frames of 10 bits; `nil` where there are others.
  static func colorimetry(for encoder: VideoEncoder, _ deep: String?) -> String {
    encoder.coding == .hevcMain10 ? deep ?? colorimetry : colorimetry
  }

  /// The size of the result: 4:2:0 has no half samples, so an odd last row or column is cut off.
  static func pictureSize(of size: PixelSize) -> PixelSize {
    PixelSize(width: max(2, size.width & ~1), height: max(2, size.height & ~1))
  }

  private let size: PixelSize
  private let isMirrored: Bool
  private let target: RawConverter.Kind
  private let planes: (layout: RawLayout, byteCount: Int)?
  /// Of the pictures with 10 bits; `nil` where there are 8.
  private let deepPlanes: (layout: RawLayout, byteCount: Int)?
  private let isFullRange: Bool
  /// Whether pictures of 8 bits would look different beside those of 10, whose brightness isn't that of a usual screen.
  private let isPQ: Bool
  private var narrower: DeepNarrower?
  private let decoder: JPEGDecoder
  private var converter: RawConverter?
  private let looks = LookRenderer()

  /// - Parameters:
  ///   - size: The size of the frames.
  ///   - isMirrored: Whether the result is turned left to right.
  ///   - deepColorimetry: The color space of a movie of 10 bits, by GStreamer's name; `nil` for 8 bits in BT.709.
  /// - Throws: `JPEGCodecError` when there is no memory for a decoder.
  init(size: PixelSize, isMirrored: Bool = false, deepColorimetry: String? = nil) throws {
    self.size = size
    self.isMirrored = isMirrored
    target = RawConverter.Kind(
      layout: Self.layout, size: Self.pictureSize(of: size), colorimetry: deepColorimetry ?? Self.colorimetry)
    let deep = RawConverter.Kind(
      layout: DeepLayout.planar420.rawValue, size: target.size, colorimetry: target.colorimetry)
    deepPlanes = deepColorimetry == nil ? nil : RawConverter.defaultLayout(of: deep)
    let colors = GstVideoInfo(deep)?.colorimetry
    isFullRange = colors?.range == GST_VIDEO_COLOR_RANGE_0_255
    isPQ = colors?.transfer == GST_VIDEO_TRANSFER_SMPTE2084
    planes = RawConverter.defaultLayout(of: target)
    decoder = try JPEGDecoder()
  }

  /// Converts a frame.
  ///
  /// - Throws: `JPEGCodecError` if the frame can't be decoded, or has another size than it says.
  func picture(of frame: CameraFrame) throws -> FrameBlock {
    guard let deepPlanes else { return try shallowPicture(of: frame) }
    guard frame.size == size else { throw JPEGCodecError(message: localized("the picture’s size isn’t what it says")) }
    if frame.look == nil, let (_, block) = frame.deepPlanes(isMirrored: isMirrored) { return block }
    guard !isPQ || frame.deepLayout != nil else {
      throw JPEGCodecError(message: localized("the picture has lost its dynamic range"))
    }
    let picture = try shallowPicture(of: frame)
    guard let planes else { return picture }
    return FrameBlock(count: deepPlanes.byteCount) { memory in
      picture.withUnsafeBytes {
        DeepNarrower.widen($0, planes.layout, into: memory, as: deepPlanes.layout, isFull: isFullRange)
      }
    }
  }

  private func shallowPicture(of frame: CameraFrame) throws -> FrameBlock {
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
    return try looks.render(picture, layout: planes.layout, look: look, isLimited: !isFullRange || deepPlanes == nil)
  }

  private func plainPicture(of frame: CameraFrame) throws -> FrameBlock {
    switch frame.content {
    case .jpeg:
      var (layout, block) = try frame.block.withUnsafeBytes { try decode($0) }
      guard layout.size == size else {
        throw JPEGCodecError(message: localized("the picture’s size isn’t what it says"))
      }
      guard !decoder.isCut else { throw JPEGCodecError(message: localized("the picture is incomplete")) }
      if target.colorimetry == Self.colorimetry, JPEGColors.converts(layout), let planes {
        return convertColors(of: block, layout, to: planes)
      }
      layout.colorimetry = layout.name == "BGRx" ? nil : FrameKeeping.jpegColorimetry
      return try convert(block, layout: layout)
    case .raw(let layout):
      if deepPlanes != nil, let (planar, block) = frame.deepPlanes() { return narrowed(block, planar) }
      return try convert(frame.block, layout: layout)
    }
  }

  /// A frame of 10 bits with 8, in its own color space and with the meaning of its levels: it is widened again.
  private func narrowed(_ block: FrameBlock, _ layout: RawLayout) -> FrameBlock {
    if narrower == nil { narrower = DeepNarrower(layout.kind) }
    guard let narrower, let planes else { return block }
    return FrameBlock(count: planes.byteCount) { memory in
      block.withUnsafeBytes { narrower.convert($0, layout, into: memory, as: planes.layout) }
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
      throw JPEGCodecError.layout(layout.name)
    }
    return converter.convert(block, layout: layout).block
  }
}
