// The index of a movie: its tracks, and where their samples lie.

import Foundation
import Localization

/// The `moov` box of an MP4 (ISO/IEC 14496-12), in memory, with the samples of its fragments where it has some.
///
/// Untrusted input: every length is checked.
public struct MP4Index: Sendable {
  public let source: any ByteSource
  /// The `ftyp` box; `nil` when the movie doesn't begin with one of ordinary length.
  let fileType: MP4Box?
  /// The `moov` box, without damaged tracks. That of a movie in fragments is as if there were none: all samples are in
  /// its tables.
  let movie: MP4Box
  /// Of the movie, in units a second.
  public let timescale: UInt32
  /// Seconds since 1904, as the file has it.
  let created: UInt32
  /// The end of the last whole fragment and of its samples, in bytes; `nil` for an ordinary movie.
  public let fragmentsEnd: UInt64?
  /// The tracks that can be read.
  public let tracks: [MP4Track]
  /// The reasons why other tracks can't be read, by media type.
  private let refusals: [MP4Type: FormatError]

  /// The longest `moov` box, in bytes. No movie that someone took has more.
  private static let largestIndex: UInt64 = 64 << 20
  /// Boxes at the top level that are read: those of two days of recorded fragments, and a second of reading.
  private static let largestBoxCount = 2_000_000
  /// The longest `ftyp` box, in bytes.
  private static let largestFileType = 256

  /// Reads the index of a movie that fills a source.
  ///
  /// - Throws: `FormatError.refused` for what is not an MP4, or a damaged one; `read`.
  public init(_ source: any ByteSource) throws(FormatError) {
    self.source = source
    var walker = MP4BoxWalker(ByteWindow(source), in: 0..<source.count, limit: Self.largestBoxCount)
    var fileType: MP4Box?
    var found: [UInt8]?
    var fragments: [Range<UInt64>] = []
    while let box = try walker.next() {
      switch box.type {
      case "ftyp" where box.range.lowerBound == 0 && (16...Self.largestFileType).contains(box.range.count):
        fileType = MP4Box("ftyp", try source.bytes(at: box.content.lowerBound, count: box.content.count))
      case "moof" where found != nil: fragments.append(box.range)
      case "moov" where found == nil && box.range.count <= Self.largestIndex:
        found = try source.bytes(at: box.content.lowerBound, count: box.content.count)
      default: break
      }
    }
    guard let found else { throw .refused(reason: localized("the MP4 file is incomplete or damaged")) }
    let (boxes, damagedTracks) = try MP4Box.movie(in: found[...])
    var movie = MP4Box("moov", children: boxes)
    guard let head = movie["mvhd"], head.bytes.count >= 100 else {
      throw .refused(reason: localized("the MP4 file is incomplete or damaged"))
    }
    self.fileType = fileType
    timescale = UInt32(try head.number(at: head.isLong ? 20 : 12, 4))
    created = UInt32(try head.number(at: head.isLong ? 8 : 4, 4))
    guard timescale > 0 else { throw .refused(reason: localized("the video has no time scale")) }
    var (tracks, refusals): ([MP4Track], [MP4Type: FormatError]) = ([], damagedTracks)
    if fragments.isEmpty {
      fragmentsEnd = nil
    } else {
      var reading = MP4Fragments(of: movie, end: source.count)
      for box in fragments { try reading.add(box, of: source) }
      reading.complete(&movie, timescale: timescale, refusals: &refusals)
      fragmentsEnd = reading.contentEnd
    }
    // It says that fragments follow.
    movie.keep { $0.type != "mvex" }
    self.movie = movie
    for track in movie.tracks {
      do throws(FormatError) {
        tracks.append(try MP4Track(track, end: source.count, movieTimescale: timescale))
      } catch {
        if let handler = track.handler { refusals[handler] = error }
      }
    }
    (self.tracks, self.refusals) = (tracks, refusals)
  }

  /// Whether all tracks can be read.
  var isComplete: Bool { refusals.isEmpty && picture != nil && tracks.count == movie.tracks.count }

  /// The `moov` box of an ordinary movie with these tracks, whose samples stay where they are.
  public var ordinaryDescription: [UInt8] {
    var bytes: [UInt8] = []
    movie.write(to: &bytes)
    return bytes
  }

  /// The first video track.
  public var picture: MP4Track? { tracks.first { $0.handler == "vide" } }
  /// The first sound track.
  public var sound: MP4Track? { tracks.first { $0.handler == "soun" } }
  /// The reason why there is a sound track and it can't be read; `nil` otherwise.
  public var soundRefusal: FormatError? { sound == nil ? refusals["soun"] : nil }
  /// The same of the picture.
  public var pictureRefusal: FormatError? { picture == nil ? refusals["vide"] : nil }
}
