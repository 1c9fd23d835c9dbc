// Reading when the still of an Apple Live Photo is shown in its movie.

import Foundation

extension AppleLivePhotoTrack {
  /// In bytes: the description of a movie of three seconds has some 10 KB.
  private static let longestDescription: UInt64 = 4 << 20
  /// Boxes in a file, and edits of a track, that are looked at.
  private static let mostParts = 4096

  /// When the still's frame is shown: where the only sample of the track `com.apple.quicktime.still-image-time` begins.
  ///
  /// - Parameter source: A movie.
  /// - Returns: In seconds from the movie's start; `nil` when the movie doesn't tell.
  /// - Throws: `FormatError.read`.
  public static func stillTime(in source: any ByteSource) throws(FormatError) -> Double? {
    var walker = MP4BoxWalker(ByteWindow(source), in: 0..<source.count, limit: mostParts)
    while let head = try walker.next() {
      guard head.type == "moov" else { continue }
      let range = head.content
      guard UInt64(range.count) <= longestDescription else { return nil }
      let bytes = try walker.bytes.bytes(at: range.lowerBound, count: Int(range.count))
      // A damaged description tells nothing; the movie may still play.
      guard let boxes = try? MP4Box.boxes(in: bytes) else { return nil }
      return stillTime(in: MP4Box("moov", children: boxes))
    }
    return nil
  }

  private static func stillTime(in movie: MP4Box) -> Double? {
    guard let head = movie["mvhd"], let timescale = try? head.number(at: head.isLong ? 20 : 12, 4), timescale > 0,
      let track = movie.tracks.first(where: isStillTime)
    else { return nil }
    guard let list = track.child("edts", "elst"), let count = try? list.number(at: 4, 4) else { return 0 }
    // Empty edits, whose media time is -1, come before the sample.
    let length = list.isLong ? 8 : 4
    var time: UInt64 = 0
    for index in 0..<Int(min(count, UInt64(mostParts))) {
      let at = 8 + index * (2 * length + 4)
      guard let duration = try? list.number(at: at, length), let start = try? list.number(at: at + length, length)
      else {
        return nil
      }
      guard start == (list.isLong ? UInt64.max : UInt64(UInt32.max)) else { break }
      time = time.addingReportingOverflow(duration).partialValue
    }
    let seconds = Double(time) / Double(timescale)
    return seconds <= MP4Head.longestDuration ? seconds : nil
  }
}
