// The edit list that hides the delay of a sound encoder.

import Foundation
import Localization

/// Finishes an MP4 that GStreamer wrote with sound.
///
/// GStreamer 1.22 writes no edit list for the samples that an AAC encoder puts in front (1024 to 2048), which would delay
/// the sound by as much.
public enum EncoderDelay {
  /// The file with an edit list for its sound: playback begins `delay` samples into the track and ends with the picture.
  ///
  /// - Parameters:
  ///   - delay: In samples of the sound track.
  ///   - file: The whole file, `moov` before `mdat`, as `mp4mux` writes it with `faststart`.
  /// - Throws: `FormatError.refused` when it has not the tracks and tables that GStreamer writes.
  public static func skip(_ delay: Int, in file: [UInt8]) throws(FormatError) -> [UInt8] {
    var walker = MP4BoxWalker(MemoryReader(file[...]), in: 0..<UInt64(file.count), limit: 1 << 16)
    while let head = walker.next() {
      guard head.type == "moov" else { continue }
      let range = Int(head.range.lowerBound)..<Int(head.range.upperBound)
      let content = file[Int(head.content.lowerBound)..<range.upperBound]
      var movie = MP4Box("moov", children: try MP4Box.boxes(in: content))
      try addEdit(skipping: delay, to: &movie)
      // Everything behind the index moves, and with it the chunks.
      let growth = movie.count - range.count
      try movie.changeAll("trak") { track throws(FormatError) in
        try moveChunks(of: &track, by: growth, from: range.upperBound)
      }
      var result = Array(file[..<range.lowerBound])
      result.reserveCapacity(file.count + growth)
      movie.write(to: &result)
      return result + file[range.upperBound...]
    }
    throw .refused(reason: localized("the video has no index"))
  }

  private static func addEdit(skipping delay: Int, to movie: inout MP4Box) throws(FormatError) {
    guard let picture = movie.tracks.first(where: { $0.handler == "vide" }), let head = movie["mvhd"],
      let pictureHead = picture["tkhd"],
      let index = movie.children?.firstIndex(where: { $0.handler == "soun" }), var sound = movie.children?[index],
      var soundHead = sound["tkhd"]
    else { throw .refused(reason: localized("the video lacks a track")) }
    // All three are version 0, with 32-bit times, as long as the movie is shorter than a day.
    guard !head.isLong, !pictureHead.isLong, !soundHead.isLong else {
      throw .refused(reason: localized("the video’s headers have an unknown version"))
    }
    // In units of the movie's time scale.
    let duration = try pictureHead.number(at: 20, 4)
    soundHead.setNumber(duration, at: 20, 4)
    sound["tkhd"] = soundHead
    sound["edts"] = nil
    let list = MP4Box("elst", BigEndian.words(0, 1, duration, UInt64(delay), 0x1_0000))
    let place = (sound.children?.firstIndex { $0.type == "tkhd" } ?? 0) + 1
    sound.children?.insert(MP4Box("edts", children: [list]), at: place)
    movie.children?[index] = sound
    movie.changeAll("mvhd") { $0.setNumber(duration, at: 16, 4) }
  }

  /// Adds to the offsets of the chunks that lie behind `start`.
  private static func moveChunks(of track: inout MP4Box, by growth: Int, from start: Int) throws(FormatError) {
    guard let table = track.sampleTable?["stco"] else {
      throw .refused(reason: localized("the video’s index is incomplete"))
    }
    let count = Int(try table.number(at: 4, 4))
    guard count <= (table.bytes.count - 8) / 4 else { throw .damagedMovie }
    let offsets = (0..<count).map { index in
      let offset = BigEndian.number(table.bytes[...], at: 8 + 4 * index, count: 4)
      return offset >= UInt64(start) ? UInt64(Int(offset) + growth) : offset
    }
    track.changeSampleTable { table in
      table.changeAll("stco") { $0 = MP4SampleTable.offsetBox(offsets, isLong: false) }
    }
  }
}
