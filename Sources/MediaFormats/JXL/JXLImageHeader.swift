// The first bits of a JPEG XL codestream.

import CameraCore

/// The size of a JPEG XL picture, and what else its first bits tell. Untrusted input.
///
/// Source: ISO/IEC 18181-1, annex D: SizeHeader, ImageMetadata and PreviewHeader.
struct JXLImageHeader: Sendable, Hashable {
  /// The most bytes that it takes are 26.
  static let longest = 32
  /// The first two bytes of a codestream.
  static let signature: [UInt8] = [0xff, 0x0a]
  /// In pixels, on either side.
  private static let mostPixels = 1 << 24

  /// With the orientation, which decoders apply.
  let size: PixelSize
  /// As in EXIF, 1 to 8; 1 is upright.
  let orientation: Int
  let isAnimated: Bool

  /// - Parameter bytes: The first bytes of the codestream, `longest` or as many as there are.
  /// - Returns: `nil` when they are too few, no codestream, or of a picture larger than any.
  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.signature) else { return nil }
    var bits = JXLBits(bytes, from: Self.signature.count)
    guard let (width, height) = bits.size(), let usesDefaults = bits.flag(),
      (1...Self.mostPixels).contains(width), (1...Self.mostPixels).contains(height)
    else { return nil }
    var (orientation, isAnimated) = (1, false)
    if !usesDefaults {
      guard let hasMore = bits.flag() else { return nil }
      if hasMore {
        guard let turn = bits.number(3), let hasIntrinsicSize = bits.flag() else { return nil }
        orientation = turn + 1
        if hasIntrinsicSize, bits.size() == nil { return nil }
        guard let hasPreview = bits.flag() else { return nil }
        if hasPreview, !bits.skipPreview() { return nil }
        guard let hasAnimation = bits.flag() else { return nil }
        isAnimated = hasAnimation
      }
    }
    (self.orientation, self.isAnimated) = (orientation, isAnimated)
    // From 5 on, rows are columns.
    size = orientation < 5 ? PixelSize(width: width, height: height) : PixelSize(width: height, height: width)
  }
}

/// Numbers of any number of bits, the lowest bit of a byte first (ISO/IEC 18181-1, annex B).
private struct JXLBits {
  private let bytes: [UInt8]
  /// In bits.
  private var position: Int

  init(_ bytes: [UInt8], from index: Int) { (self.bytes, position) = (bytes, 8 * index) }

  /// A number of at most 30 bits; `nil` past the end.
  mutating func number(_ count: Int) -> Int? {
    guard position + count <= 8 * bytes.count else { return nil }
    var number = 0
    for index in 0..<count {
      number |= Int(bytes[(position + index) / 8] >> UInt8((position + index) % 8) & 1) << index
    }
    position += count
    return number
  }

  mutating func flag() -> Bool? { number(1).map { $0 == 1 } }

  /// A number in one of four lengths, each with what is added to it.
  private mutating func number(_ forms: [(bits: Int, offset: Int)]) -> Int? {
    guard let form = number(2), let number = number(forms[form].bits) else { return nil }
    return number + forms[form].offset
  }

  /// Width and height of a SizeHeader.
  mutating func size() -> (width: Int, height: Int)? {
    guard let isSmall = flag() else { return nil }
    func side(_ bits: inout JXLBits) -> Int? {
      isSmall ? bits.number(5).map { 8 * ($0 + 1) } : bits.number([(9, 1), (13, 1), (18, 1), (30, 1)])
    }
    guard let height = side(&self), let ratio = number(3) else { return nil }
    guard let width = ratio == 0 ? side(&self) : Self.width(height, ratio) else { return nil }
    return (width, height)
  }

  /// Skips a PreviewHeader.
  ///
  /// - Returns: False past the end.
  mutating func skipPreview() -> Bool {
    guard let isInEights = flag() else { return false }
    func side(_ bits: inout JXLBits) -> Int? {
      isInEights
        ? bits.number([(0, 16), (0, 32), (5, 1), (9, 33)]) : bits.number([(6, 1), (8, 65), (10, 321), (12, 1345)])
    }
    guard side(&self) != nil, let ratio = number(3) else { return false }
    return ratio != 0 || side(&self) != nil
  }

  private static func width(_ height: Int, _ ratio: Int) -> Int {
    let (upper, lower) = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)][ratio - 1]
    return height * upper / lower
  }
}
