// The check of a decoded picture for a missing end.

import CameraCore

/// Finds out how much of a decoded JPEG is missing.
///
/// libjpeg decodes a JPEG whose data end early, warns, and leaves the blocks that did not come at zero: they are exactly
/// medium gray in every channel. The warning alone says little, as many cameras' intact frames lack a byte or two.
struct JPEGCutCheck {
  /// The share of the picture that may be missing, as the divisor of its area: 34 rows of 1080.
  static let tolerance = 32

  /// The value of a sample that was not in the file.
  static let gray: UInt8 = 128

  /// Whether a warning of libjpeg-turbo, which reports the first one only, may be about missing data. Bytes too many are
  /// what most webcams with odd encoders send.
  static func mayBeAboutTheEnd(_ warning: String?) -> Bool {
    warning.map { !$0.contains("extraneous bytes") } ?? false
  }

  /// Whether more is missing at the end of BGRx rows than may be.
  static func isCut(_ pixels: UnsafeRawBufferPointer, size: PixelSize, stride: Int) -> Bool {
    let word = UInt32(gray) | UInt32(gray) << 8 | UInt32(gray) << 16
    return isMissing(size) { column, row in
      pixels.loadUnaligned(fromByteOffset: row * stride + column * 4, as: UInt32.self) & 0xff_ffff == word
    }
  }

  /// The same for a plane of luma.
  static func isCut(luma: UnsafeRawBufferPointer, size: PixelSize, stride: Int) -> Bool {
    isMissing(size) { column, row in luma[row * stride + column] == gray }
  }

  /// Whether the end of a picture, as large as may be missing, is gray. Where it has restart markers, the first block
  /// behind each is decoded from bits that aren't there, and isn't.
  private static func isMissing(_ size: PixelSize, isGray: (_ column: Int, _ row: Int) -> Bool) -> Bool {
    let count = size.area / tolerance + 1
    guard count <= size.area else { return false }
    var others = 0
    for position in size.area - count..<size.area
    where !isGray(position % size.width, position / size.width) {
      others += 1
      if others * 8 > count { return false }
    }
    return true
  }
}

extension JPEGDecoder {
  /// Whether a JPEG can be decoded up to its end. Decodes it at an eighth of its size.
  func isWhole(_ jpeg: FrameBlock) -> Bool {
    let smallest = PixelSize(width: 1, height: 1)
    let image = try? jpeg.withUnsafeBytes { try decode($0, atLeast: smallest, quality: .fast) }
    return image != nil && !isCut
  }
}
