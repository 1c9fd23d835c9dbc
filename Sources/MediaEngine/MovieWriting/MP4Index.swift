// The index of an MP4 that somebody wrote: its tracks and where their samples lie, with nothing believed.

import EngineInterface
import Foundation
import PhotoEffects

/// The `moov` box of an MP4 (ISO/IEC 14496-12), in memory.
struct MP4Index {
  let stretch: MovieStretch
  /// `moov` with its head.
  let bytes: [UInt8]
  let box: MovieFile.Box
  /// Of the movie, in units a second.
  let timescale: UInt32
  /// Seconds since 1904, as the file has it.
  let created: UInt32
  /// Whether samples are described outside of `moov`, in fragments.
  let isFragmented: Bool
  let tracks: [MP4Track]

  /// More is no index of a movie that someone took.
  private static let largestIndex: UInt64 = 64 << 20
  private static let largestBoxCount = 20_000

  /// - Throws: `EditError.unreadableMovie` for what is no MP4, or a broken one.
  init(_ stretch: MovieStretch) throws(EditError) {
    self.stretch = stretch
    var position: UInt64 = 0
    var found: [UInt8]?
    var hasFragments = false
    for _ in 0..<Self.largestBoxCount where position + 8 <= stretch.count {
      let head = try stretch.bytes(at: position, count: Int(min(16, stretch.count - position)))
      var size = UInt64(MovieFile.number(at: 0, in: head))
      if size == 1, head.count == 16 {
        size = UInt64(MovieFile.number(at: 8, in: head)) << 32 | UInt64(MovieFile.number(at: 12, in: head))
      } else if size == 0 {
        size = stretch.count - position
      }
      guard size >= 8, size <= stretch.count - position else { break }
      switch String(decoding: head[4..<8], as: UTF8.self) {
      case "moof": hasFragments = true
      case "moov" where found == nil && size <= Self.largestIndex:
        found = try stretch.bytes(at: position, count: Int(size))
      default: break
      }
      position += size
    }
    guard let found, let box = MovieFile.boxes(in: found[...]).first, box.type == "moov",
      let head = MovieFile.child("mvhd", of: box, in: found), head.content.count >= 100
    else { throw .unreadableMovie(file: stretch.name, reason: "it is no whole MP4") }
    (bytes, self.box, isFragmented) = (found, box, hasFragments)
    let isLong = found[head.content.lowerBound] == 1
    timescale = MovieFile.number(at: head.content.lowerBound + (isLong ? 20 : 12), in: found)
    created = MovieFile.number(at: head.content.lowerBound + (isLong ? 8 : 4), in: found)
    guard timescale > 0 else { throw .unreadableMovie(file: stretch.name, reason: "it has no unit of time") }
    var tracks: [MP4Track] = []
    for track in MovieFile.boxes(in: found[box.content]) where track.type == "trak" {
      if let track = MP4Track(track, in: found, stretchCount: stretch.count, movieTimescale: timescale) {
        tracks.append(track)
      }
    }
    self.tracks = tracks
  }

  var picture: MP4Track? { tracks.first { $0.handler == "vide" } }
  var sound: MP4Track? { tracks.first { $0.handler == "soun" } }
}

/// One track of an MP4.
struct MP4Track {
  /// Samples that lie one after the other.
  struct Chunk: Equatable {
    /// From the movie's first byte.
    var offset: UInt64
    var samples: Range<Int>
    var byteCount: UInt64
    /// Which of the track's descriptions they have, from 1 on.
    var description: UInt32
  }

  /// The `trak` box with its head.
  let bytes: [UInt8]
  let box: MovieFile.Box
  let handler: String
  /// In units a second.
  let timescale: UInt32
  let sizes: [UInt32]
  /// Runs of samples that last equally long, in the track's units.
  let durations: [(count: Int, duration: UInt32)]
  let chunks: [Chunk]
  /// What is shown before the first sample: nothing, for so long, in seconds.
  let emptyTime: Double
  /// The time of the track at which it begins to be shown, in the track's units.
  let mediaStart: UInt64

  /// A day of AAC; each sample takes a few bytes of memory.
  private static let largestSampleCount = 5_000_000

  /// - Returns: `nil` for a track that makes no sense.
  init?(_ track: MovieFile.Box, in movie: [UInt8], stretchCount: UInt64, movieTimescale: UInt32) {
    bytes = Array(movie[track.range])
    guard let box = MovieFile.boxes(in: bytes[...]).first, let handler = MovieFile.handler(of: box, in: bytes),
      let table = MovieFile.child("mdia", "minf", "stbl", of: box, in: bytes),
      let mediaHead = MovieFile.child("mdia", "mdhd", of: box, in: bytes), mediaHead.content.count >= 24
    else { return nil }
    (self.box, self.handler) = (box, handler)
    let isLong = bytes[mediaHead.content.lowerBound] == 1
    timescale = MovieFile.number(at: mediaHead.content.lowerBound + (isLong ? 20 : 12), in: bytes)
    guard timescale > 0, let sizes = Self.sizes(of: table, in: bytes) else { return nil }
    self.sizes = sizes
    let table0 = Table("stts", of: table, in: bytes, width: 2)
    var durations: [(count: Int, duration: UInt32)] = []
    var left = sizes.count
    for row in 0..<(table0?.count ?? 0) where left > 0 {
      let count = min(left, Int(table0?[row, 0] ?? 0))
      durations.append((count, table0?[row, 1] ?? 0))
      left -= count
    }
    self.durations = durations
    guard let chunks = Self.chunks(of: table, in: bytes, sizes: sizes, stretchCount: stretchCount) else { return nil }
    self.chunks = chunks
    (emptyTime, mediaStart) = Self.edits(of: box, in: bytes, movieTimescale: movieTimescale)
  }

  /// A box of rows of 32-bit numbers, with a version, flags and a count in front.
  private struct Table {
    let bytes: [UInt8]
    let first: Int
    let count: Int
    let width: Int

    init?(_ type: String, of table: MovieFile.Box, in bytes: [UInt8], width: Int) {
      guard let box = MovieFile.child(type, of: table, in: bytes), box.content.count >= 8 else { return nil }
      first = box.content.lowerBound + 8
      let count = Int(MovieFile.number(at: first - 4, in: bytes))
      guard count <= (box.content.upperBound - first) / (4 * width) else { return nil }
      (self.bytes, self.count, self.width) = (bytes, count, width)
    }

    subscript(row: Int, column: Int) -> UInt32 { MovieFile.number(at: first + 4 * (row * width + column), in: bytes) }
  }

  private static func sizes(of table: MovieFile.Box, in bytes: [UInt8]) -> [UInt32]? {
    guard let box = MovieFile.child("stsz", of: table, in: bytes), box.content.count >= 12 else { return nil }
    let start = box.content.lowerBound
    let common = MovieFile.number(at: start + 4, in: bytes)
    let count = Int(MovieFile.number(at: start + 8, in: bytes))
    guard count <= largestSampleCount else { return nil }
    if common > 0 { return [UInt32](repeating: common, count: count) }
    guard count <= (box.content.count - 12) / 4 else { return nil }
    return (0..<count).map { MovieFile.number(at: start + 12 + 4 * $0, in: bytes) }
  }

  private static func chunks(
    of table: MovieFile.Box, in bytes: [UInt8], sizes: [UInt32], stretchCount: UInt64
  ) -> [Chunk]? {
    guard let runs = Table("stsc", of: table, in: bytes, width: 3) else { return nil }
    let short = Table("stco", of: table, in: bytes, width: 1)
    let long = Table("co64", of: table, in: bytes, width: 2)
    guard let count = short?.count ?? long?.count else { return nil }
    var chunks: [Chunk] = []
    var (run, sample) = (0, 0)
    for number in 0..<count where sample < sizes.count {
      while run + 1 < runs.count, Int(runs[run + 1, 0]) <= number + 1 { run += 1 }
      guard run < runs.count else { return nil }
      let offset =
        short.map { UInt64($0[number, 0]) } ?? long.map { UInt64($0[number, 0]) << 32 | UInt64($0[number, 1]) } ?? 0
      let samples = sample..<min(sizes.count, sample + Int(runs[run, 1]))
      let byteCount = samples.reduce(UInt64(0)) { $0 + UInt64(sizes[$1]) }
      guard !samples.isEmpty, offset <= stretchCount, byteCount <= stretchCount - offset else { return nil }
      chunks.append(Chunk(offset: offset, samples: samples, byteCount: byteCount, description: runs[run, 2]))
      sample = samples.upperBound
    }
    return sample == sizes.count ? chunks : nil
  }

  private static func edits(
    of box: MovieFile.Box, in bytes: [UInt8], movieTimescale: UInt32
  ) -> (emptyTime: Double, mediaStart: UInt64) {
    guard let list = MovieFile.child("edts", "elst", of: box, in: bytes), list.content.count >= 8 else { return (0, 0) }
    let isLong = bytes[list.content.lowerBound] == 1
    let width = isLong ? 20 : 12
    let first = list.content.lowerBound + 8
    let count = Int(MovieFile.number(at: first - 4, in: bytes))
    var empty = 0.0
    for number in 0..<min(count, (list.content.upperBound - first) / width) {
      let start = first + number * width
      func value(_ index: Int) -> UInt64 {
        isLong
          ? UInt64(MovieFile.number(at: start + 8 * index, in: bytes)) << 32
            | UInt64(MovieFile.number(at: start + 8 * index + 4, in: bytes))
          : UInt64(MovieFile.number(at: start + 4 * index, in: bytes))
      }
      let media = value(1)
      // All bits set means: nothing is shown.
      guard media == (isLong ? UInt64.max : UInt64(UInt32.max)) else { return (empty, media) }
      empty += Double(value(0)) / Double(movieTimescale)
    }
    return (empty, 0)
  }

  /// How long all samples last, in the track's units.
  var duration: UInt64 { durations.reduce(0) { $0 &+ UInt64($1.count) &* UInt64($1.duration) } }

  /// The time at which a sample begins, in the track's units, of all samples of a range.
  func start(ofSample index: Int) -> UInt64 {
    var (time, left) = (UInt64(0), index)
    for run in durations {
      let count = min(left, run.count)
      time &+= UInt64(count) &* UInt64(run.duration)
      left -= count
      if left == 0 { break }
    }
    return time
  }

  /// The sample that lasts over a time of the track; the last one behind the end.
  func sample(at time: UInt64) -> Int {
    var (start, index) = (UInt64(0), 0)
    for run in durations {
      let length = UInt64(run.count) &* UInt64(run.duration)
      if time < start &+ length, run.duration > 0 { return index + Int((time - start) / UInt64(run.duration)) }
      start &+= length
      index += run.count
    }
    return max(0, sizes.count - 1)
  }
}
