// Where the samples of a movie's tracks lie in its file, read from their tables and written again for another place.

import Foundation

/// The chunks of one track: stretches of samples that follow each other without a gap.
struct MP4Chunks: Sendable {
  /// Of each chunk, counted from the start of the movie, in bytes.
  private(set) var ranges: [Range<UInt64>]

  /// Of one track: a chunk for every frame of ten hours.
  private static let mostChunks = 1 << 21

  /// Reads the tables of a track (ISO/IEC 14496-12, 8.7).
  ///
  /// Takes time in proportion to the tables, whatever numbers stand in them.
  ///
  /// - Parameter end: The movie's length: no chunk reaches behind it.
  init(of track: MP4Box, end: UInt64) throws(MP4Refusal) {
    guard let table = track.child("mdia", "minf", "stbl") else { throw .damaged }
    guard table["saio"] == nil, table["senc"] == nil else {
      throw MP4Refusal(reason: "its movie is protected against copying")
    }
    guard try Self.isSelfContained(track) else {
      throw MP4Refusal(reason: "its movie lies partly in another file")
    }
    guard let sizes = table["stsz"] else {
      throw MP4Refusal(reason: "its movie keeps the sizes of its frames in a form that PhotoMe doesn't know")
    }
    guard let runs = table["stsc"] else { throw .damaged }
    let offsets = try Self.offsets(table)
    ranges = []
    ranges.reserveCapacity(offsets.count)
    let (fixed, total) = (try sizes.number(at: 4, 4), try sizes.number(at: 8, 4))
    // QuickTime counts uncompressed sound in samples of one byte, whatever they take.
    guard fixed != 1 else {
      throw MP4Refusal(reason: "its sound is uncompressed, in a form that PhotoMe doesn't know")
    }
    let runCount = try runs.number(at: 4, 4)
    guard runCount <= UInt64(runs.bytes.count / 12) else { throw .damaged }
    var (run, sample) = (0, UInt64(0))
    for (chunk, offset) in offsets.enumerated() {
      // Chunks are counted from 1; a run holds until the next one begins.
      while run + 1 < Int(runCount), try runs.number(at: 8 + 12 * (run + 1), 4) <= UInt64(chunk + 1) { run += 1 }
      guard runCount > 0, try runs.number(at: 8 + 12 * run, 4) <= UInt64(chunk + 1) else { throw .damaged }
      let samples = min(try runs.number(at: 8 + 12 * run + 4, 4), total - sample)
      var length: UInt64 = 0
      if fixed > 0 {
        length = fixed * samples
      } else {
        for index in sample..<sample + samples { length += try sizes.number(at: 12 + 4 * Int(index), 4) }
      }
      sample += samples
      guard offset <= end, length <= end - offset else {
        throw MP4Refusal(reason: "its movie is cut short")
      }
      ranges.append(offset..<offset + length)
    }
    guard sample == total else { throw .damaged }
  }

  /// Whether all samples are said to lie in the movie's own file; without a word on it, they do.
  private static func isSelfContained(_ track: MP4Box) throws(MP4Refusal) -> Bool {
    guard let placement = track.child("mdia", "minf", "dinf"),
      let list = try MP4Box.boxes(in: placement.bytes[...]).first(where: { $0.type == "dref" }), list.bytes.count > 8
    else { return true }
    return try MP4Box.boxes(in: list.bytes[8...]).allSatisfy { $0.bytes.count < 4 || $0.bytes[3] & 1 == 1 }
  }

  private static func offsets(_ table: MP4Box) throws(MP4Refusal) -> [UInt64] {
    let (short, long) = (table["stco"], table["co64"])
    guard let box = short ?? long else { throw .damaged }
    let width = short == nil ? 8 : 4
    let count = try box.number(at: 4, 4)
    guard count <= UInt64((box.bytes.count - 8) / width) else { throw .damaged }
    guard count <= mostChunks else { throw MP4Refusal(reason: "its movie is cut into too many pieces") }
    var offsets: [UInt64] = []
    offsets.reserveCapacity(Int(count))
    for index in 0..<Int(count) { offsets.append(try box.number(at: 8 + width * index, width)) }
    return offsets
  }

  /// Writes the table of places into a track.
  ///
  /// - Parameters:
  ///   - offsets: As many as there are chunks.
  ///   - isLong: Whether they take 64 bits each.
  static func setOffsets(_ offsets: [UInt64], isLong: Bool, in track: inout MP4Box) {
    var bytes = MP4Bytes.words(0, UInt64(offsets.count))
    bytes.reserveCapacity(8 + offsets.count * (isLong ? 8 : 4))
    for offset in offsets { MP4Bytes.append(offset, isLong ? 8 : 4, to: &bytes) }
    let box = MP4Box(isLong ? "co64" : "stco", bytes)
    track.changeAll("mdia") { media in
      media.changeAll("minf") { information in
        information.changeAll("stbl") { table in
          table.keep { $0.type != "stco" && $0.type != "co64" }
          table.children?.append(box)
        }
      }
    }
  }
}
