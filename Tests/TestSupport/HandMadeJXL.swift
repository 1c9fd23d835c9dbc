// JPEG XL files with made-up codestreams, for tests of formats.

import Foundation
import MediaFormats

/// A codestream of which only the first bits mean something, and the boxes around it.
///
///     var file = HandMadeJXL()
///     file.orientation = 6
///     file.codestream          // a file as it is
///     HandMadeJXL.container([MP4Box("jxlc", file.codestream)])
public struct HandMadeJXL: Sendable {
  public var size = (width: 64, height: 48)
  /// As in EXIF, 1 to 8.
  public var orientation = 1
  public var isAnimated = false
  /// Width and height of a preview.
  public var preview: (width: Int, height: Int)?
  public var intrinsicSize: (width: Int, height: Int)?
  /// The number of one of the ratios that the format knows, instead of a width.
  public var ratio: Int?

  public init() {}

  public static let signature: [UInt8] = [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0d, 0x0a, 0x87, 0x0a]
  public static let fileType = MP4Box("ftyp", Array("jxl ".utf8) + [0, 0, 0, 0] + Array("jxl ".utf8))

  /// A file with these boxes behind the first two.
  public static func container(_ boxes: [MP4Box]) -> Data {
    var bytes = signature
    for box in [fileType] + boxes { box.write(to: &bytes) }
    return Data(bytes)
  }

  /// A box with a part of a codestream.
  public static func part(_ number: UInt64, isLast: Bool, _ bytes: some Sequence<UInt8>) -> MP4Box {
    MP4Box("jxlp", HandMadeMovie.words(number | (isLast ? 0x8000_0000 : 0)) + Array(bytes))
  }

  public static func exif(_ tiff: [UInt8], prefix: [UInt8] = []) -> MP4Box {
    MP4Box("Exif", HandMadeMovie.words(UInt64(prefix.count)) + prefix + tiff)
  }

  /// The codestream, 40 bytes longer than its head.
  public var codestream: [UInt8] {
    var bits = Bits()
    bits.appendSize(size, ratio: ratio)
    let hasMore = orientation != 1 || isAnimated || preview != nil || intrinsicSize != nil
    bits.append(hasMore ? 0 : 1, 1)
    if hasMore {
      bits.append(1, 1)
      bits.append(orientation - 1, 3)
      bits.append(intrinsicSize == nil ? 0 : 1, 1)
      if let intrinsicSize { bits.appendSize(intrinsicSize) }
      bits.append(preview == nil ? 0 : 1, 1)
      if let preview { bits.appendPreview(preview) }
      bits.append(isAnimated ? 1 : 0, 1)
    }
    return [0xff, 0x0a] + bits.bytes + [UInt8](repeating: 0xb5, count: 40)
  }

  /// Numbers with the lowest bit first.
  private struct Bits {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func append(_ number: Int, _ bits: Int) {
      for index in 0..<bits {
        if count % 8 == 0 { bytes.append(0) }
        bytes[bytes.count - 1] |= UInt8(number >> index & 1) << UInt8(count % 8)
        count += 1
      }
    }

    /// The shortest of four forms that a number fits into.
    private mutating func append(_ number: Int, forms: [(bits: Int, offset: Int)]) {
      for (index, form) in forms.enumerated() where number >= form.offset && number - form.offset < 1 << form.bits {
        append(index, 2)
        append(number - form.offset, form.bits)
        return
      }
    }

    mutating func appendSize(_ size: (width: Int, height: Int), ratio: Int? = nil) {
      let isSmall =
        size.height % 8 == 0 && size.height <= 256 && (ratio != nil || size.width % 8 == 0 && size.width <= 256)
      append(isSmall ? 1 : 0, 1)
      func side(_ bits: inout Bits, _ number: Int) {
        if isSmall {
          bits.append(number / 8 - 1, 5)
        } else {
          bits.append(number, forms: [(9, 1), (13, 1), (18, 1), (30, 1)])
        }
      }
      side(&self, size.height)
      append(ratio ?? 0, 3)
      if ratio == nil { side(&self, size.width) }
    }

    mutating func appendPreview(_ size: (width: Int, height: Int)) {
      let isInEights = size.width % 8 == 0 && size.height % 8 == 0
      append(isInEights ? 1 : 0, 1)
      func side(_ bits: inout Bits, _ number: Int) {
        if isInEights {
          bits.append(number / 8, forms: [(0, 16), (0, 32), (5, 1), (9, 33)])
        } else {
          bits.append(number, forms: [(6, 1), (8, 65), (10, 321), (12, 1345)])
        }
      }
      side(&self, size.height)
      append(0, 3)
      side(&self, size.width)
    }
  }
}
