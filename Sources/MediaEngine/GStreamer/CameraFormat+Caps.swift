// Camera modes from GStreamer caps.

import CGStreamer
import CameraCore

extension CameraFormat {
  /// Raw layouts that can be converted, kept and shown.
  static let usableLayouts = Set([
    "YUY2", "UYVY", "YVYU", "VYUY", "NV12", "NV21", "I420", "YV12", "Y42B", "NV16", "NV24", "RGB", "BGR", "BGRx",
    "RGBx", "xRGB", "xBGR", "BGRA", "RGBA", "ARGB", "ABGR", "RGB16", "GRAY8", "GRAY16_LE", "GRAY16_BE",
  ]).union(DeepLayout.allCases.map(\.rawValue))

  /// The sizes and rates that are picked out of a continuous range.
  private static let usualSizes = ["640x360", "640x480", "800x600", "1280x720", "1280x960", "1920x1080"]
    .compactMap { PixelSize($0) }
  private static let usualRates = [60, 30, 25, 15, 10, 5].map { FrameRate($0) }

  /// The modes that PhotoMe can use.
  static func all(in caps: UnsafeMutablePointer<GstCaps>) -> [CameraFormat] {
    var formats: [CameraFormat] = []
    for index in 0..<gst_caps_get_size(caps) {
      guard let structure = gst_caps_get_structure(caps, index).map({ UnsafePointer($0) }) else { continue }
      guard isReadable(caps, index) else { continue }
      for encoding in encodings(structure) {
        for size in sizes(structure) where encoding.isDefined(at: size) {
          let rates = rates(structure)
          if let known = formats.firstIndex(where: { $0.encoding == encoding && $0.size == size }) {
            let merged = formats[known].frameRates + rates.filter { !formats[known].frameRates.contains($0) }
            formats[known] = CameraFormat(encoding: encoding, size: size, frameRates: merged)
          } else {
            formats.append(CameraFormat(encoding: encoding, size: size, frameRates: rates))
          }
        }
      }
    }
    return formats
  }

  /// Whether frames can be read from here: those in a graphics card's memory can't.
  static func isReadable(_ caps: UnsafeMutablePointer<GstCaps>, _ index: UInt32) -> Bool {
    guard let features = gst_caps_get_features(caps, index), gst_caps_features_is_any(features) == 0 else {
      return true
    }
    return gst_caps_features_contains(features, "memory:SystemMemory") != 0
  }

  /// The layouts that a structure names.
  static func layouts(_ structure: UnsafePointer<GstStructure>) -> [String] {
    items(gst_structure_get_value(structure, "format"))
      .compactMap { g_value_get_string($0).map { String(cString: $0) } }
  }

  private static func encodings(_ structure: UnsafePointer<GstStructure>) -> [FrameEncoding] {
    let encodings: [FrameEncoding] =
      switch gst_structure_get_name(structure).map({ String(cString: $0) }) {
      case "image/jpeg": [.motionJPEG]
      case "video/x-raw": layouts(structure).filter(usableLayouts.contains).map { .raw($0) }
      case "video/x-h264": [.h264]
      case "video/x-bayer": layouts(structure).filter(FrameDecoding.bayerPatterns.contains).map { .bayer($0) }
      default: []
      }
    return encodings.filter { FrameDecoding.elements(for: $0) != nil }
  }

  /// The sizes that a structure names; of ranges the usual ones.
  static func sizes(_ structure: UnsafePointer<GstStructure>) -> [PixelSize] {
    let (width, height) = (gst_structure_get_value(structure, "width"), gst_structure_get_value(structure, "height"))
    guard let width, let height else { return [] }
    if isRange(width) || isRange(height) {
      return usualSizes.filter { holds(width, $0.width) && holds(height, $0.height) }
    }
    return items(width).flatMap { width in
      items(height).map { PixelSize(width: Int(g_value_get_int(width)), height: Int(g_value_get_int($0))) }
    }.filter { $0.width > 0 && $0.height > 0 }
  }

  private static func rates(_ structure: UnsafePointer<GstStructure>) -> [FrameRate] {
    guard let value = gst_structure_get_value(structure, "framerate") else { return [FrameRate(30)] }
    var rates: [FrameRate] = []
    for item in items(value) {
      if item.pointee.g_type == gst_fraction_range_get_type() {
        guard let least = rate(gst_value_get_fraction_range_min(item)),
          let most = rate(gst_value_get_fraction_range_max(item))
        else { continue }
        rates += usualRates.filter { least < $0 && $0 < most } + [most]
      } else if let rate = rate(item) {
        rates.append(rate)
      }
    }
    // A rate of zero means that the camera doesn't say.
    return rates.isEmpty ? [FrameRate(30)] : rates
  }

  private static func rate(_ value: UnsafePointer<GValue>?) -> FrameRate? {
    guard let value, value.pointee.g_type == gst_fraction_get_type() else { return nil }
    let (above, below) = (Int(gst_value_get_fraction_numerator(value)), Int(gst_value_get_fraction_denominator(value)))
    return above > 0 && below > 0 && above < 1000 * below ? FrameRate(above, below) : nil
  }

  /// The values of a list, or the single value.
  private static func items(_ value: UnsafePointer<GValue>?) -> [UnsafePointer<GValue>] {
    guard let value else { return [] }
    guard value.pointee.g_type == gst_value_list_get_type() else { return [value] }
    return (0..<gst_value_list_get_size(value)).compactMap { gst_value_list_get_value(value, $0) }
  }

  private static func isRange(_ value: UnsafePointer<GValue>) -> Bool {
    value.pointee.g_type == gst_int_range_get_type()
  }

  private static func holds(_ value: UnsafePointer<GValue>, _ number: Int) -> Bool {
    guard isRange(value) else { return items(value).contains { Int(g_value_get_int($0)) == number } }
    let (least, most) = (Int(gst_value_get_int_range_min(value)), Int(gst_value_get_int_range_max(value)))
    let step = max(1, Int(gst_value_get_int_range_step(value)))
    return number >= least && number <= most && (number - least) % step == 0
  }
}

extension CameraFormat {
  /// The mode as GStreamer caps, in whole numbers, which no locale changes.
  func caps(rate: FrameRate) -> String {
    let fields =
      "width=(int)\(size.width),height=(int)\(size.height),framerate=(fraction)\(rate.numerator)/\(rate.denominator)"
    return switch encoding {
    case .motionJPEG: "image/jpeg,\(fields)"
    case .raw(let layout): "video/x-raw,format=(string)\(layout),\(fields)"
    case .h264: "video/x-h264,\(fields)"
    case .bayer(let pattern): "video/x-bayer,format=(string)\(pattern),\(fields)"
    }
  }
}
