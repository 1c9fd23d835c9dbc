// Conversion of limited-range video to the full range of JPEG.

import CameraCore

/// Widens planar pictures from limited range (luma 16 to 235, chroma 16 to 240; ITU-R BT.601-7, section 2.5.3) to full
/// range (0 to 255; JFIF 1.02).
enum FullRange {
  private static let luma = (0...255).map { value in clamped((Double(value) - 16) * 255 / 219) }
  private static let chroma = (0...255).map { value in clamped((Double(value) - 128) * 255 / 224 + 128) }

  /// Widens a picture in place.
  ///
  /// - Parameter layout: Planar, luma first, 8 bits a sample.
  static func widen(_ pixels: UnsafeMutableRawBufferPointer, layout: RawLayout) {
    for (plane, offset) in layout.offsets.enumerated() {
      let end = plane + 1 < layout.offsets.count ? layout.offsets[plane + 1] : pixels.count
      apply(plane == 0 ? luma : chroma, to: pixels[offset..<end])
    }
  }

  private static func apply(_ table: [UInt8], to samples: Slice<UnsafeMutableRawBufferPointer>) {
    table.withUnsafeBufferPointer { table in
      let samples = UnsafeMutableRawBufferPointer(rebasing: samples)
      for index in samples.indices { samples[index] = table[Int(samples[index])] }
    }
  }

  private static func clamped(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
}
