// The frames of an animated PNG.

import CameraCore
import Foundation
import Localization

/// The frames of an APNG, each as a PNG of its own. Untrusted input.
///
/// Source: Portable Network Graphics (PNG) Specification, third edition, 11.3.6 and 13.
public struct PNGAnimation: Sendable {
  /// What becomes of a frame's area before the next one.
  public enum Disposal: UInt64, Sendable {
    case kept, cleared, restored
  }

  public struct Frame: Sendable {
    /// Of its upper left corner, in pixels.
    public var x: Int
    public var y: Int
    public var size: PixelSize
    /// In seconds.
    public var duration: Double
    public var disposal: Disposal
    /// Whether the canvas shows through where the frame is transparent.
    public var isBlended: Bool
    /// Its compressed pixels.
    var data: [Range<UInt64>] = []
  }

  public let size: PixelSize
  public let frames: [Frame]
  /// How often the animation is played; 0 for without end.
  public let loopCount: Int
  /// The chunks that come before the pixels of each frame.
  private let head: [PNGFile.Chunk]

  private static let mostFrames = 1 << 14
  /// In bytes, of a frame.
  private static let longestFrame: UInt64 = 1 << 28
  /// In bytes, of the chunks that each frame gets a copy of: more than any palette and color profile takes.
  private static let longestHead: UInt64 = 8 << 20

  /// - Returns: `nil` when it is no PNG, or a still one, or one whose head is too long to be copied for each frame.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource) throws(FormatError) {
    guard let file = try PNGFile(source), let control = file.chunks.first(where: { $0.type == "acTL" }),
      control.content.count == 8
    else { return nil }
    var window = ByteWindow(source)
    var frames: [Frame] = []
    for chunk in file.chunks {
      switch chunk.type {
      case "fcTL":
        guard frames.count < Self.mostFrames, let frame = try Self.frame(chunk.content, &window, in: file.size) else {
          return nil
        }
        frames.append(frame)
      // Pixels before the first description of a frame are for viewers that know no animations.
      case "IDAT": if frames.count == 1 { frames[0].data.append(chunk.content) }
      case "fdAT":
        // Behind its number.
        guard !frames.isEmpty, chunk.content.count >= 4 else { return nil }
        frames[frames.count - 1].data.append(chunk.content.lowerBound + 4..<chunk.content.upperBound)
      default: break
      }
    }
    self.frames = frames.filter { !$0.data.isEmpty }
    guard !self.frames.isEmpty else { return nil }
    size = file.size
    loopCount = Int(try window.number(at: control.content.lowerBound + 4, bytes: 4) ?? 0)
    head = file.chunks.filter { $0.isNeeded && !["IDAT", "IEND"].contains($0.type) }
    guard head.reduce(UInt64(0), { $0 &+ UInt64($1.range.count) }) <= Self.longestHead else { return nil }
  }

  private static func frame(
    _ content: Range<UInt64>, _ window: inout ByteWindow, in canvas: PixelSize
  ) throws(FormatError) -> Frame? {
    guard content.count == 26 else { return nil }
    func number(_ offset: UInt64, _ bytes: Int) throws(FormatError) -> UInt64 {
      try window.number(at: content.lowerBound + offset, bytes: bytes) ?? 0
    }
    let (width, height) = (try number(4, 4), try number(8, 4))
    let (x, y) = (try number(12, 4), try number(16, 4))
    guard width > 0, height > 0, x + width <= UInt64(canvas.width), y + height <= UInt64(canvas.height) else {
      return nil
    }
    let (count, unit) = (try number(20, 2), try number(22, 2))
    return Frame(
      x: Int(x), y: Int(y), size: PixelSize(width: Int(width), height: Int(height)),
      duration: Double(count) / Double(unit == 0 ? 100 : unit),
      disposal: Disposal(rawValue: try number(24, 1)) ?? .kept,
      isBlended: try number(25, 1) == 1)
  }

  /// A frame as a PNG.
  ///
  /// - Parameter source: The file.
  /// - Throws: `FormatError.refused` when it is too long.
  public func file(of frame: Frame, in source: any ByteSource) throws(FormatError) -> Data {
    let length = frame.data.reduce(UInt64(0)) { $0 &+ UInt64($1.count) }
    guard length <= Self.longestFrame else {
      throw .refused(reason: localized("a frame of the animation is too large"))
    }
    var bytes = PNGFile.signature
    for chunk in head {
      guard chunk.type == "IHDR" else {
        bytes += try source.bytes(at: chunk.range.lowerBound, count: chunk.range.count)
        continue
      }
      let rest = try source.bytes(at: chunk.content.lowerBound, count: chunk.content.count).dropFirst(8)
      bytes += PNGFile.chunk("IHDR", BigEndian.words(UInt64(frame.size.width), UInt64(frame.size.height)) + rest)
    }
    for range in frame.data {
      bytes += PNGFile.chunk("IDAT", try source.bytes(at: range.lowerBound, count: range.count))
    }
    return Data(bytes + PNGFile.chunk("IEND", []))
  }
}
