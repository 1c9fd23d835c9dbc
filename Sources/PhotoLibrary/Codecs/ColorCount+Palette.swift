// The palette of a GIF, chosen by libimagequant.

import CImageQuant
import Foundation
import PhotoEffects

extension ColorCount {
  /// At most 255 colors that represent all counted pictures best; libimagequant weighs them by perception.
  ///
  /// - Returns: `nil` without pictures, or without memory.
  func palette() -> [SIMD3<UInt8>]? {
    let entries = colors.map { color, count in
      liq_histogram_entry(color: liq_color(r: color.x, g: color.y, b: color.z, a: 255), count: min(count, 1 << 24))
    }
    guard !entries.isEmpty, let attributes = liq_attr_create() else { return nil }
    defer { liq_attr_destroy(attributes) }
    // One of the 256 indexes of a GIF means transparent: unchanged.
    guard liq_set_max_colors(attributes, 255) == LIQ_OK, let histogram = liq_histogram_create(attributes) else {
      return nil
    }
    defer { liq_histogram_destroy(histogram) }
    guard liq_histogram_add_colors(histogram, attributes, entries, Int32(entries.count), 0) == LIQ_OK else {
      return nil
    }
    var result: OpaquePointer?
    guard liq_histogram_quantize(histogram, attributes, &result) == LIQ_OK, let result else { return nil }
    defer { liq_result_destroy(result) }
    guard let palette = liq_get_palette(result) else { return nil }
    return withUnsafeBytes(of: palette.pointee.entries) { bytes in
      bytes.bindMemory(to: liq_color.self).prefix(Int(palette.pointee.count)).map { SIMD3($0.r, $0.g, $0.b) }
    }
  }
}
