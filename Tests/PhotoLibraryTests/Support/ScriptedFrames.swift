// A scripted frame stream, and parsers of the animations encoded from it.

import CameraCore
import EngineInterface
import Foundation
import Synchronization

/// Delivers frames with a moving color gradient at given times.
final class ScriptedFrames: MovieReader {
  /// The start of each frame, and the end, in seconds.
  let times: [Double]
  let size: PixelSize
  /// Thrown instead of the frame of this number.
  let failure: (number: Int, error: any Error & Sendable)?
  private let asked = Mutex<[(size: PixelSize, rate: Double?)]>([])

  init(times: [Double], size: PixelSize, failure: (number: Int, error: any Error & Sendable)? = nil) {
    (self.times, self.size, self.failure) = (times, size, failure)
  }

  var requests: [(size: PixelSize, rate: Double?)] { asked.withLock { $0 } }

  func frame(of source: MovieSource, at time: Double, fitting size: PixelSize) async throws -> DecodedImage {
    throw CameraError.playbackFailed(file: source.url.lastPathComponent, message: "animations take all frames")
  }

  func readFrames(
    of source: MovieSource, fitting size: PixelSize, atMost frameRate: Double?,
    _ body: @escaping @Sendable (MovieFrame) throws -> Void
  ) async throws {
    asked.withLock { $0.append((size, frameRate)) }
    for (number, (start, end)) in zip(times, times.dropFirst()).enumerated() {
      try Task.checkCancellation()
      if let failure, failure.number == number { throw failure.error }
      try body(MovieFrame(image: image(number), time: start, duration: end - start))
    }
  }

  private func image(_ number: Int) -> DecodedImage {
    let block = FrameBlock(count: size.area * 4) { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let at = (y * size.width + x) * 4
          (bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]) = (
            UInt8(truncatingIfNeeded: x * 8 + number * 16), UInt8(truncatingIfNeeded: y * 8), 90, 0
          )
        }
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }
}

/// The blocks of a GIF (GIF89a).
struct GIFReading {
  var size = PixelSize(width: 0, height: 0)
  /// Of each frame, in hundredths of a second.
  var delays: [Int] = []
  var frames = 0
  /// 0 is forever.
  var loops: Int?
  var isWhole = false

  init(_ data: Data) {
    let bytes = [UInt8](data)
    guard bytes.count > 13, bytes.starts(with: "GIF89a".utf8) else { return }
    func number(_ at: Int) -> Int { Int(bytes[at]) | Int(bytes[at + 1]) << 8 }
    func tableLength(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
    size = PixelSize(width: number(6), height: number(8))
    var at = 13 + tableLength(bytes[10])
    func skipBlocks() {
      while at < bytes.count, bytes[at] != 0 { at += Int(bytes[at]) + 1 }
      at += 1
    }
    while at < bytes.count {
      switch bytes[at] {
      case 0x21:
        if bytes[at + 1] == 0xf9 { delays.append(number(at + 4)) }
        if bytes[at + 1] == 0xff, bytes[at + 3..<at + 14].elementsEqual("NETSCAPE2.0".utf8) { loops = number(at + 16) }
        at += 2
        skipBlocks()
      case 0x2c:
        frames += 1
        at += 10 + tableLength(bytes[at + 9]) + 1
        skipBlocks()
      case 0x3b:
        isWhole = at == bytes.count - 1
        return
      default: return
      }
    }
  }
}

/// The chunks of an animated WebP (WebP Container Specification).
struct WebPReading {
  var size = PixelSize(width: 0, height: 0)
  /// Of each frame, in milliseconds.
  var durations: [Int] = []
  var loops: Int?

  init(_ data: Data) {
    let bytes = [UInt8](data)
    func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    guard bytes.count > 12, bytes.starts(with: "RIFF".utf8), number(4, 4) == bytes.count - 8 else { return }
    var at = 12
    while at + 8 <= bytes.count {
      let length = number(at + 4, 4)
      switch String(decoding: bytes[at..<at + 4], as: UTF8.self) {
      case "VP8X": size = PixelSize(width: number(at + 12, 3) + 1, height: number(at + 15, 3) + 1)
      case "ANIM": loops = number(at + 12, 2)
      case "ANMF": durations.append(number(at + 20, 3))
      default: break
      }
      at += 8 + length + length % 2
    }
  }
}
