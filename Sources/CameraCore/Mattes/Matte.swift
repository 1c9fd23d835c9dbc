// Mattes: how much of each pixel belongs to a person.

/// What a matte tells from the rest of the picture.
public enum MatteKind: String, CaseIterable, Sendable, Hashable {
  /// Everybody in the picture, with hair and clothes.
  case person
  case skin
  case hair
  case clothes
}

/// How much of each pixel belongs to what was looked for, over a whole picture.
public struct Matte: Sendable {
  /// In pixels; that of the picture, or smaller with the same aspect ratio.
  public let size: PixelSize
  /// One byte a pixel, from 0, nothing, to 255, all of it; row by row without gaps.
  public let block: FrameBlock
  /// How sure it is that anybody is there, 0…1: effects fade with it, so that they come and go gently.
  public var presence: Double

  /// - Parameter block: `size.area` bytes.
  public init(size: PixelSize, block: FrameBlock, presence: Double = 1) {
    precondition(block.count == size.area, "A matte has one byte a pixel.")
    (self.size, self.block, self.presence) = (size, block, presence)
  }

  /// The matte of a picture with nobody in it.
  public static func nobody(_ size: PixelSize) -> Matte {
    let block = FrameBlock(count: size.area) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
    return Matte(size: size, block: block, presence: 0)
  }

  /// The part of the picture that is covered, 0…1.
  public var coverage: Double {
    let sum = block.withUnsafeBytes { bytes in bytes.reduce(0) { $0 + Int($1) } }
    return Double(sum) / Double(255 * max(1, size.area))
  }
}

extension Matte: Hashable {
  /// Whether two are one matte: of the same memory.
  public static func == (one: Matte, other: Matte) -> Bool {
    one.size == other.size && one.presence == other.presence && one.block === other.block
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(block)) }
}
