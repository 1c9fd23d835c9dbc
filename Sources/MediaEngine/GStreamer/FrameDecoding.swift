// The elements that turn a camera's frames into ones that can be kept and shown.

import CGStreamer
import CameraCore

/// The decoding of frames that aren't kept as the camera sends them: H.264, Bayer patterns, pictures without colors.
///
/// It is done by GStreamer's elements between the source and the sink, which then gets I420 frames, as from any raw
/// camera: nothing above knows the difference.
enum FrameDecoding {
  /// The patterns that `bayer2rgb` reads: those of 8 bits (1.22), of up to 16 bits (from 1.24).
  static let bayerPatterns: Set<String> = {
    let common = Set(BayerLayout.Pattern.allCases.map(\.rawValue))
    guard GStreamerRuntime.failure == nil, let factory = gst_element_factory_find("bayer2rgb") else { return common }
    defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
    var known: Set<String> = []
    var item = gst_element_factory_get_static_pad_templates(factory)
    while let list = item {
      item = UnsafePointer(list.pointee.next)
      guard let data = list.pointee.data else { continue }
      let template = data.assumingMemoryBound(to: GstStaticPadTemplate.self)
      guard template.pointee.direction == GST_PAD_SINK, let caps = gst_static_pad_template_get_caps(template) else {
        continue
      }
      defer { gst_caps_unref(caps) }
      for index in 0..<gst_caps_get_size(caps) {
        if let structure = gst_caps_get_structure(caps, index) {
          known.formUnion(CameraFormat.layouts(UnsafePointer(structure)).filter { BayerLayout(name: $0) != nil })
        }
      }
    }
    return known.isEmpty ? common : known
  }()

  /// The H.264 decoders that are used, best first.
  static let decoders = ["avdec_h264", "openh264dec"]

  /// The elements for an encoding, in order; none for frames that are kept as they come.
  ///
  /// - Returns: `nil` when one of them isn't installed.
  static func elements(
    for encoding: FrameEncoding, isInstalled: (String) -> Bool = GStreamerRuntime.has
  ) -> [String]? {
    let elements: [String?] =
      switch encoding {
      case .motionJPEG: []
      case .raw: encoding.isGray ? ["videoconvert"] : []
      case .bayer(let pattern): bayerPatterns.contains(pattern) ? ["bayer2rgb", "videoconvert"] : [nil]
      case .h264: ["h264parse", decoders.first(where: isInstalled), "videoconvert"]
      }
    let known = elements.compactMap { $0 }
    return known.count == elements.count && known.allSatisfy(isInstalled) ? known : nil
  }

  /// The Debian package that lets an encoding be used; `nil` when nothing is missing.
  static func missingPackage(
    for encoding: FrameEncoding, isInstalled: (String) -> Bool = GStreamerRuntime.has
  ) -> String? {
    guard elements(for: encoding, isInstalled: isInstalled) == nil else { return nil }
    switch encoding {
    case .motionJPEG, .raw: return GStreamerRuntime.package(of: "videoconvert")
    case .bayer(let pattern):
      return bayerPatterns.contains(pattern) ? GStreamerRuntime.package(of: "bayer2rgb") : nil
    case .h264:
      let hasDecoder = decoders.contains(where: isInstalled)
      return GStreamerRuntime.package(of: hasDecoder ? "h264parse" : decoders[0])
    }
  }

  /// New elements for an encoding, to be linked in this order behind the camera's caps.
  ///
  /// - Throws: `CameraError.missingPlugin`.
  static func chain(for encoding: FrameEncoding) throws(CameraError) -> [Element] {
    guard let names = elements(for: encoding) else {
      throw GStreamerRuntime.missing(encoding == .h264 ? decoders[0] : "bayer2rgb")
    }
    guard !names.isEmpty else { return [] }
    var chain: [Element] = []
    for name in names { chain.append(try Element(name)) }
    // A decoder with a thread for each core holds back as many frames, and the preview would lag by them.
    for element in chain where element.has("max-threads") { element.set("max-threads", 1) }
    let filter = try Element("capsfilter")
    filter.setCaps("video/x-raw,format=(string)I420")
    return chain + [filter]
  }
}
