// Putting PNGs together to an animated PNG.

import CameraCore
import Foundation
import Localization

/// Makes an endlessly looping APNG of PNGs of one size, each of which replaces the one before it. The first one is what
/// viewers show that know no animations.
///
/// Source: Portable Network Graphics (PNG) Specification, third edition, 11.3.6 and 13.
public struct PNGAnimationWriter: Sendable {
  /// The file, whole after each frame: nothing is copied to end it.
  private var bytes = Data(PNGFile.signature) + PNGAnimationWriter.end
  /// The place of the chunk that counts the frames.
  private var counter: Range<Data.Index>?
  private var size: PixelSize?
  private var frameCount: UInt64 = 0
  /// The number of the next chunk that has one.
  private var sequence: UInt64 = 0

  /// Numerator and denominator of a duration, in thousandths of a second where it isn't too long for them.
  private static func delay(_ milliseconds: Int) -> [UInt8] {
    let unit = [1000, 100, 1].first { milliseconds / (1000 / $0) <= Int(UInt16.max) } ?? 1
    let parts = [UInt16(clamping: (milliseconds + 500 / unit) / (1000 / unit)), UInt16(unit)]
    return parts.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
  }

  public init() {}

  /// The length of the file so far, in bytes.
  public var byteCount: Int { bytes.count }

  /// The last chunk.
  private static let end = Data(PNGFile.chunk("IEND", []))

  /// Adds a frame.
  ///
  /// - Parameters:
  ///   - picture: A still PNG of the kind of the first one.
  ///   - milliseconds: How long it is shown; above 65,535 in hundredths of a second, above 655,350 in seconds, up to 65,535.
  /// - Throws: `FormatError.refused` when it is no PNG, or one of another size.
  public mutating func append(_ picture: Data, milliseconds: Int) throws(FormatError) {
    let source = DataSource(picture, name: "a frame")
    guard let file = try PNGFile(source), file.isComplete, size == nil || size == file.size else {
      throw .refused(reason: localized("its frames differ in size"))
    }
    // It is read before anything changes.
    var head = Data()
    if size == nil {
      for chunk in file.chunks.prefix(while: { $0.type != "IDAT" }) where chunk.isNeeded {
        head += try source.bytes(at: chunk.range.lowerBound, count: chunk.range.count)
      }
    }
    bytes.removeLast(Self.end.count)
    defer { bytes += Self.end }
    bytes += head
    size = file.size
    frameCount += 1
    let count = PNGFile.chunk("acTL", BigEndian.words(frameCount, 0))
    if let counter {
      bytes.replaceSubrange(counter, with: count)
    } else {
      counter = bytes.endIndex..<bytes.endIndex + count.count
      bytes += count
    }
    let words = BigEndian.words(number(), UInt64(file.size.width), UInt64(file.size.height), 0, 0)
    // What was there stays, and is replaced by the whole frame.
    bytes += PNGFile.chunk("fcTL", words + Self.delay(milliseconds) + [0, 0])
    for chunk in file.chunks where chunk.type == "IDAT" {
      let pixels = try source.bytes(at: chunk.content.lowerBound, count: chunk.content.count)
      bytes +=
        frameCount == 1 ? PNGFile.chunk("IDAT", pixels) : PNGFile.chunk("fdAT", BigEndian.words(number()) + pixels)
    }
  }

  private mutating func number() -> UInt64 {
    defer { sequence += 1 }
    return sequence
  }

  /// The file; at least one frame was added. It isn't copied.
  public func file() -> Data { bytes }
}
