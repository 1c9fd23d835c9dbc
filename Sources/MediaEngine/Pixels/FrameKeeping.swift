// The form in which the ring keeps a camera's frames.

import CGStreamer
import CameraCore

/// The conversion of a frame before it goes into the ring: none wherever the memory allows.
enum FrameKeeping: Hashable, Sendable {
  /// It is copied as the camera delivered it.
  case asItCame
  /// A raw frame of 10 bits is repacked to 4:2:0 of 10 bits.
  case deepHalfColor
  /// A raw frame is repacked to 4:2:0 of 8 bits, a quarter or half less.
  case halfColor
  /// A raw frame is compressed to a JPEG of its own.
  case jpeg

  /// The JPEG quality of frames that are compressed for the ring, from 1 to 100.
  static let ringQuality = 92
  /// The JPEG quality of stills that are made from raw frames.
  static let stillQuality = 95
  /// The same where speed matters most.
  static let fastStillQuality = 80

  /// Layouts that are 4:2:0 already.
  private static let halfColorLayouts: Set<String> = ["I420", "YV12", "NV12", "NV21", "P010_10LE", "I420_10LE"]

  /// The form in which as many frames as the pre-roll needs stay within a limit.
  ///
  /// - Parameters:
  ///   - layout: GStreamer's name of a raw layout.
  ///   - byteCount: The bytes of one frame as the camera delivers it.
  ///   - preRoll: The duration that the ring reaches back.
  ///   - limit: In bytes.
  static func choose(
    layout: String, size: PixelSize, byteCount: Int, rate: FrameRate, preRoll: TimeSpan, limit: Int
  ) -> FrameKeeping {
    let frames = Int((preRoll.seconds * rate.framesPerSecond).rounded(.up)) + 1
    if byteCount * frames <= limit { return .asItCame }
    let deep = DeepLayout(rawValue: layout)
    if deep != nil, !halfColorLayouts.contains(layout), size.area * 3 * frames <= limit { return .deepHalfColor }
    if deep != nil || !halfColorLayouts.contains(layout), size.area * 3 / 2 * frames <= limit { return .halfColor }
    return .jpeg
  }

  /// The planar layout for a JPEG that loses little or nothing of a raw layout's chroma.
  static func planarLayout(for layout: String) -> String {
    switch layout {
    case "YUY2", "UYVY", "YVYU", "VYUY", "Y42B", "NV16", "NV61", "Y210", "I422_10LE": "Y42B"
    case "Y444", "NV24": "Y444"
    default: "I420"
    }
  }

  /// The colorimetry of JPEG: full range, BT.601 (JFIF 1.02, "Conversion to and from RGB").
  static let jpegColorimetry = "1:4:0:0"
  /// The same matrix in limited range, as cameras use it.
  static let limitedJPEGColorimetry = "2:4:0:0"
}

/// Compresses raw frames, one after another, reusing its converter. Not for several threads at once.
final class RawFrameEncoder {
  private var converter: RawConverter?
  private var encoder: JPEGEncoder?

  /// Makes a JPEG of a raw picture.
  ///
  /// - Parameters:
  ///   - layoutName: The intermediate planar layout, which decides the chroma subsampling.
  ///   - quality: From 1 to 100.
  ///   - look: Is given to the picture.
  /// - Throws: `JPEGCodecError`.
  func encode(
    _ pixels: UnsafeRawBufferPointer, layout: RawLayout, as layoutName: String, quality: Int, look: FrameLook? = nil
  ) throws -> FrameBlock {
    // GStreamer's converter leaves the range as it is where both sides have the same matrix, so it is asked for the
    // matrix alone, and the range is widened here.
    let isLimited = GstVideoInfo(layout.kind)?.colorimetry.range != GST_VIDEO_COLOR_RANGE_0_255
    let target = RawConverter.Kind(
      layout: layoutName, size: layout.size,
      colorimetry: isLimited ? FrameKeeping.limitedJPEGColorimetry : FrameKeeping.jpegColorimetry)
    if converter == nil || converter?.source != layout.kind || converter?.target != target {
      converter = RawConverter(from: layout.kind, to: target)
    }
    guard let converter, let planes = RawConverter.defaultLayout(of: target) else {
      throw JPEGCodecError.layout(layout.name)
    }
    let encoder = try self.encoder ?? JPEGEncoder()
    self.encoder = encoder
    var block = FrameBlock(count: planes.byteCount) {
      converter.convert(pixels, layout: layout, into: $0, as: planes.layout)
      if isLimited { FullRange.widen($0, layout: planes.layout) }
    }
    if let look { block = try LookRenderer().render(block, layout: planes.layout, look: look, isLimited: false) }
    return try encoder.encode(planes: block, layout: planes.layout, quality: quality)
  }
}
