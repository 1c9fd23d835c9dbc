// WebP files with made-up pixels, for tests of formats.

import Foundation

/// A WebP file chunk by chunk. Its pixels can't be decoded.
///
///     HandMadeWebP([.picture(width: 20, height: 10)]).data
///     HandMadeWebP([.extended(0x08, width: 20, height: 10), .picture(width: 20, height: 10), .init("EXIF", exif)]).data
public struct HandMadeWebP: Sendable {
  public struct Chunk: Sendable {
    public var type: String
    public var content: [UInt8]

    public init(_ type: String, _ content: [UInt8]) { (self.type, self.content) = (type, content) }

    /// The first one of an extended file.
    ///
    /// - Parameter features: The bits of what there is.
    public static func extended(_ features: UInt8, width: Int, height: Int) -> Chunk {
      Chunk("VP8X", [features, 0, 0, 0] + HandMadeWebP.number(width - 1, 3) + HandMadeWebP.number(height - 1, 3))
    }

    /// A key frame with loss.
    public static func picture(width: Int, height: Int, first: UInt8 = 1) -> Chunk {
      Chunk(
        "VP8 ",
        [0x10, 2, 0, 0x9d, 1, 0x2a] + HandMadeWebP.number(width, 2) + HandMadeWebP.number(height, 2)
          + [first, 2, 3, 4, 5])
    }

    /// A picture without loss.
    public static func lossless(width: Int, height: Int, isTransparent: Bool = false) -> Chunk {
      let bits = width - 1 | (height - 1) << 14 | (isTransparent ? 1 : 0) << 28
      return Chunk("VP8L", [0x2f] + HandMadeWebP.number(bits, 4) + [1, 2, 3])
    }

    /// A frame of an animation.
    public static func frame(width: Int, height: Int, _ inner: [Chunk]) -> Chunk {
      let area = [0, 0, 0, 0, 0, 0] + HandMadeWebP.number(width - 1, 3) + HandMadeWebP.number(height - 1, 3)
      return Chunk("ANMF", area + HandMadeWebP.number(100, 3) + [0] + inner.flatMap(\.bytes))
    }

    var bytes: [UInt8] {
      Array(type.utf8) + HandMadeWebP.number(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
    }
  }

  public var chunks: [Chunk]

  public init(_ chunks: [Chunk]) { self.chunks = chunks }

  public var data: Data {
    let body = chunks.flatMap(\.bytes)
    return Data(Array("RIFF".utf8) + Self.number(body.count + 4, 4) + Array("WEBP".utf8) + body)
  }

  /// Little-endian.
  public static func number(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
