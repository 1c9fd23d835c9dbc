// AVI files made by hand.

import Foundation

/// An AVI file of chunks that a test names.
public enum HandMadeAVI {
  public static func chunk(_ code: String, _ content: [UInt8]) -> [UInt8] {
    Array(code.utf8) + words(content.count) + content + (content.count % 2 == 1 ? [0] : [])
  }

  public static func list(_ code: String, _ content: [UInt8], as kind: String = "LIST") -> [UInt8] {
    chunk(kind, Array(code.utf8) + content)
  }

  public static func words(_ numbers: Int...) -> [UInt8] {
    numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
  }

  /// A header with a video stream: `frames` of `scale`/`rate` seconds.
  public static func header(
    width: Int, height: Int, frames: Int, scale: Int = 1, rate: Int = 10, more: [UInt8] = []
  ) -> [UInt8] {
    let stream =
      Array("vidsMJPG".utf8) + words(0, 0, 0, scale, rate, 0, frames, 0, 0, 0, 0, 0)
    let format = words(40, width, height, 1, 0, 0, 0, 0, 0, 0)
    return list(
      "hdrl",
      chunk("avih", words(100_000, 0, 0, 0, frames, 0, 1, 0, width, height, 0, 0, 0, 0))
        + list("strl", chunk("strh", stream) + chunk("strf", format)) + more)
  }

  public static func file(_ parts: [UInt8]...) -> [UInt8] { list("AVI ", parts.flatMap(\.self), as: "RIFF") }
}
