// The last touch to an MP4 that GStreamer wrote: an edit list that skips what the sound encoder put in front.

import Foundation

/// An MP4 in memory, `moov` before `mdat`, as GStreamer's `mp4mux` writes it with `faststart`.
///
/// Boxes as in ISO/IEC 14496-12: a 32-bit big endian size, four letters, and from there on what the letters say.
enum MovieFile {
  /// What makes a file that can't be finished.
  struct Malformed: Error {
    var missing: String
  }

  /// The file with an edit list for its sound: playing begins `delay` samples into the track and ends with the picture.
  ///
  /// GStreamer 1.22 writes none for the samples that an AAC encoder puts in front (1024 to 2048), which would move the
  /// sound by as much.
  ///
  /// - Parameters:
  ///   - file: The whole file.
  ///   - delay: In samples of the sound track.
  static func skippingFirstSamples(_ delay: Int, in file: [UInt8]) throws(Malformed) -> [UInt8] {
    guard let movie = boxes(in: file[...]).first(where: { $0.type == "moov" }) else { throw Malformed(missing: "moov") }
    let tracks = boxes(in: file[movie.content]).filter { $0.type == "trak" }
    guard let picture = tracks.first(where: { handler(of: $0, in: file) == "vide" }),
      let sound = tracks.first(where: { handler(of: $0, in: file) == "soun" }),
      let pictureHead = child("tkhd", of: picture, in: file), let soundHead = child("tkhd", of: sound, in: file),
      let movieHead = child("mvhd", of: movie, in: file)
    else { throw Malformed(missing: "trak") }
    // All three are version 0, with 32-bit times, as long as the movie is shorter than a day.
    guard [pictureHead, soundHead, movieHead].allSatisfy({ file[$0.content.lowerBound] == 0 }) else {
      throw Malformed(missing: "mvhd")
    }
    // In units of the movie's time scale.
    let duration = number(at: pictureHead.content.lowerBound + 20, in: file)
    let edit = bytes(36) + "edts".utf8 + bytes(28) + "elst".utf8 + bytes(0) + bytes(1)
    let list = edit + bytes(duration) + bytes(UInt32(delay)) + bytes(0x1_0000)

    var result = file
    replace(at: soundHead.content.lowerBound + 20, with: duration, in: &result)
    replace(at: movieHead.content.lowerBound + 16, with: duration, in: &result)
    let old = child("edts", of: sound, in: file)
    let place = old?.range ?? soundHead.range.upperBound..<soundHead.range.upperBound
    let growth = list.count - place.count
    // Everything after the index moves, and with it the places of the chunks.
    for track in tracks {
      try moveChunks(of: track, by: growth, from: movie.range.upperBound, in: &result)
    }
    for box in [movie, sound] {
      replace(at: box.range.lowerBound, with: UInt32(box.range.count + growth), in: &result)
    }
    result.replaceSubrange(place, with: list)
    return result
  }

  struct Box {
    var type: String
    /// With its head.
    var range: Range<Int>
    /// Without it.
    var content: Range<Int>
  }

  /// The boxes that follow each other in a stretch of bytes; as far as they make sense.
  static func boxes(in bytes: ArraySlice<UInt8>) -> [Box] {
    var boxes: [Box] = []
    var position = bytes.startIndex
    while position + 8 <= bytes.endIndex {
      var size = Int(number(at: position, in: bytes))
      var head = 8
      if size == 1, position + 16 <= bytes.endIndex {
        size = Int(
          clamping: UInt64(number(at: position + 8, in: bytes)) << 32 | UInt64(number(at: position + 12, in: bytes)))
        head = 16
      } else if size == 0 {
        size = bytes.endIndex - position
      }
      guard size >= head, size <= bytes.endIndex - position else { break }
      let type = String(decoding: bytes[position + 4..<position + 8], as: UTF8.self)
      boxes.append(Box(type: type, range: position..<position + size, content: position + head..<position + size))
      position += size
    }
    return boxes
  }

  /// The first box of a type along a path of types.
  static func child(_ path: String..., of box: Box, in file: [UInt8]) -> Box? {
    path.reduce(box) { box, type in box.flatMap { boxes(in: file[$0.content]).first { $0.type == type } } }
  }

  /// What a track is made of: `vide`, `soun`, …
  static func handler(of track: Box, in file: [UInt8]) -> String? {
    guard let box = child("mdia", "hdlr", of: track, in: file), box.content.count >= 12 else { return nil }
    let start = box.content.lowerBound + 8
    return String(decoding: file[start..<start + 4], as: UTF8.self)
  }

  /// A big endian number of 32 bits.
  static func number(at position: Int, in bytes: [UInt8]) -> UInt32 { number(at: position, in: bytes[...]) }

  private static func number(at position: Int, in bytes: ArraySlice<UInt8>) -> UInt32 {
    (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[position + $1]) }
  }

  private static func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xff) } }

  private static func replace(at position: Int, with number: UInt32, in file: inout [UInt8]) {
    for (index, byte) in bytes(number).enumerated() { file[position + index] = byte }
  }

  /// Adds to the places of the chunks that lie behind `start`.
  private static func moveChunks(
    of track: Box, by growth: Int, from start: Int, in file: inout [UInt8]
  ) throws(Malformed) {
    guard let table = child("mdia", "minf", "stbl", "stco", of: track, in: file) else {
      throw Malformed(missing: "stco")
    }
    let first = table.content.lowerBound + 8
    let count = Int(number(at: first - 4, in: file))
    guard count <= (table.content.upperBound - first) / 4 else { throw Malformed(missing: "stco") }
    for index in 0..<count {
      let place = Int(number(at: first + 4 * index, in: file))
      if place >= start { replace(at: first + 4 * index, with: UInt32(place + growth), in: &file) }
    }
  }
}
