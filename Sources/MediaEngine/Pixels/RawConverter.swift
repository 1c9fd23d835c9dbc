// Conversion of raw pictures to another layout, size or color space, with GStreamer's converter.

import CGStreamer
import CameraCore
import Foundation

/// Converts one picture after another, from one kind to another. Not for several threads at once.
final class RawConverter {
  /// A kind of picture.
  struct Kind: Hashable {
    /// GStreamer's name of the layout.
    var layout: String
    var size: PixelSize
    /// As in `RawLayout`.
    var colorimetry: String?
  }

  let source: Kind
  let target: Kind
  private let converter: OpaquePointer
  private var sourceInfo: GstVideoInfo
  private var targetInfo: GstVideoInfo
  /// Makes pictures of 10 bits ones of 8 before anything else, in `narrowed`: GStreamer's own way takes 16 bits a sample
  /// through all steps, several times as long, and dithers.
  private let narrower: Narrower?
  /// For HDR and wide colors, which is the most work.
  private static let colorThreads = min(4, ProcessInfo.processInfo.activeProcessorCount)
  private var narrowed: (layout: RawLayout, memory: UnsafeMutableRawBufferPointer)?

  /// The ways from 10 bits to 8.
  private enum Narrower {
    /// Rounding.
    case rounding(DeepNarrower)
    /// HDR and wide colors are brought to the screen's, `BGRx` of a size.
    case colors(ScreenColors, PixelSize)

    /// - Returns: `nil` where nothing is to be done.
    init?(from source: Kind, to target: Kind) {
      guard DeepLayout(rawValue: target.layout) == nil else { return nil }
      if let colors = ScreenColors.conversion(of: source) {
        let isSmaller = target.size.width <= source.size.width && target.size.height <= source.size.height
        self = .colors(colors, isSmaller ? target.size : source.size)
      } else if let rounding = DeepNarrower(source) {
        self = .rounding(rounding)
      } else {
        return nil
      }
    }

    /// That of the result.
    var kind: Kind {
      switch self {
      case .rounding(let narrower): narrower.kind
      case .colors(_, let size): Kind(layout: "BGRx", size: size)
      }
    }
  }

  /// - Parameter threads: The number of threads that share the work of one picture.
  /// - Returns: `nil` when GStreamer doesn't know one of the layouts.
  init?(from source: Kind, to target: Kind, threads: Int = 1) {
    let narrower = Narrower(from: source, to: target)
    guard var sourceInfo = GstVideoInfo(narrower?.kind ?? source), var targetInfo = GstVideoInfo(target) else {
      return nil
    }
    // Linear is enough: the cubic default costs twice as much and rings at edges.
    let options = gst_structure_from_string(
      "options, GstVideoConverter.resampler-method=(GstVideoResamplerMethod)linear, "
        + "GstVideoConverter.threads=(uint)\(threads)", nil)
    guard let converter = gst_video_converter_new(&sourceInfo, &targetInfo, options) else { return nil }
    self.source = source
    self.target = target
    self.converter = converter
    self.sourceInfo = sourceInfo
    self.targetInfo = targetInfo
    self.narrower = narrower
  }

  deinit {
    gst_video_converter_free(converter)
    narrowed?.memory.deallocate()
  }

  /// GStreamer's default layout of a kind, and its bytes.
  static func defaultLayout(of kind: Kind) -> (layout: RawLayout, byteCount: Int)? {
    guard let info = GstVideoInfo(kind) else { return nil }
    return (info.layout(kind), Int(info.size))
  }

  /// Converts a picture.
  ///
  /// - Parameters:
  ///   - pixels: The block that `layout` describes; of the source's kind.
  ///   - output: Room for the target's layout.
  func convert(
    _ pixels: UnsafeRawBufferPointer, layout: RawLayout, into output: UnsafeMutableRawBufferPointer,
    as outputLayout: RawLayout
  ) {
    guard let narrower else { return convertPlain(pixels, layout: layout, into: output, as: outputLayout) }
    if case .colors(let colors, let size) = narrower, narrower.kind == target, outputLayout.offsets == [0],
      outputLayout.strides == [size.width * 4]
    {
      return colors.convert(pixels, layout, to: size, into: output, threads: Self.colorThreads)
    }
    if narrowed == nil, let (layout, byteCount) = Self.defaultLayout(of: narrower.kind) {
      narrowed = (layout, .allocate(byteCount: byteCount, alignment: 16))
    }
    guard let narrowed else { return }
    switch narrower {
    case .rounding(let narrower): narrower.convert(pixels, layout, into: narrowed.memory, as: narrowed.layout)
    case .colors(let colors, let size):
      colors.convert(pixels, layout, to: size, into: narrowed.memory, threads: Self.colorThreads)
    }
    convertPlain(UnsafeRawBufferPointer(narrowed.memory), layout: narrowed.layout, into: output, as: outputLayout)
  }

  private func convertPlain(
    _ pixels: UnsafeRawBufferPointer, layout: RawLayout, into output: UnsafeMutableRawBufferPointer,
    as outputLayout: RawLayout
  ) {
    // The converter only reads the source; its C type isn't const.
    var input = GstVideoFrame(sourceInfo, at: UnsafeMutableRawPointer(mutating: pixels.baseAddress), layout: layout)
    var result = GstVideoFrame(targetInfo, at: output.baseAddress, layout: outputLayout)
    gst_video_converter_frame(converter, &input, &result)
  }

  /// Converts a picture into a block of its own.
  func convert(_ block: FrameBlock, layout: RawLayout) -> (layout: RawLayout, block: FrameBlock) {
    let outputLayout = targetInfo.layout(target)
    let result = FrameBlock(count: Int(targetInfo.size)) { output in
      block.withUnsafeBytes { convert($0, layout: layout, into: output, as: outputLayout) }
    }
    return (outputLayout, result)
  }
}

extension GstVideoInfo {
  /// The description of a kind of picture in GStreamer's default layout; `nil` when the layout isn't known.
  init?(_ kind: RawConverter.Kind) {
    self.init()
    guard let format = Self.formats[kind.layout], kind.size.width > 0, kind.size.height > 0,
      gst_video_info_set_format(&self, format, guint(kind.size.width), guint(kind.size.height)) != 0
    else { return nil }
    if let colorimetry = kind.colorimetry { gst_video_colorimetry_from_string(&self.colorimetry, colorimetry) }
  }

  /// GStreamer's formats by their names.
  ///
  /// `gst_video_format_from_string` is declared to read no memory (`G_GNUC_CONST`), so the compiler frees the Swift string
  /// that it is given before it has read it.
  private static let formats: [String: GstVideoFormat] = {
    var (formats, count): ([String: GstVideoFormat], guint) = ([:], 0)
    // GStreamer reads its own list of formats with types that it registers when it starts.
    guard (try? GStreamerRuntime.start()) != nil else { return formats }
    guard let all = gst_video_formats_raw(&count) else { return formats }
    for format in UnsafeBufferPointer(start: all, count: Int(count)) {
      if let name = gst_video_format_to_string(format) { formats[String(cString: name)] = format }
    }
    return formats
  }()

  /// The number of planes.
  var planeCount: Int { Int(finfo.pointee.n_planes) }

  /// The strides and offsets of this description.
  func layout(_ kind: RawConverter.Kind) -> RawLayout {
    let strides = [stride.0, stride.1, stride.2, stride.3].prefix(planeCount).map { Int($0) }
    let offsets = [offset.0, offset.1, offset.2, offset.3].prefix(planeCount).map { Int($0) }
    return RawLayout(
      name: kind.layout, size: kind.size, strides: strides, offsets: offsets, colorimetry: kind.colorimetry)
  }

  /// GStreamer's name of the colorimetry; `nil` if it isn't known.
  var colorimetryName: String? {
    var colorimetry = colorimetry
    guard let text = gst_video_colorimetry_to_string(&colorimetry) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }
}

extension GstVideoFrame {
  /// A frame over memory of ours; the converter reads nothing but the description and the planes' addresses.
  fileprivate init(_ info: GstVideoInfo, at base: UnsafeMutableRawPointer?, layout: RawLayout) {
    self.init()
    self.info = info
    func stride(_ plane: Int) -> gint { plane < layout.strides.count ? gint(layout.strides[plane]) : 0 }
    func address(_ plane: Int) -> gpointer? {
      plane < layout.offsets.count ? base?.advanced(by: layout.offsets[plane]) : nil
    }
    self.info.stride = (stride(0), stride(1), stride(2), stride(3))
    data = (address(0), address(1), address(2), address(3))
  }
}

extension RawLayout {
  /// The kind of a picture with this layout.
  var kind: RawConverter.Kind { RawConverter.Kind(layout: name, size: size, colorimetry: colorimetry) }
}
