// Reads how long and how large a movie is from the boxes of its MP4 file, believing none of their lengths.

import CameraCore
import Foundation

/// The facts of an MP4 (ISO/IEC 14496-12), whole or fragmented.
struct MP4Head: Sendable, Hashable {
  /// In seconds; `nil` when no box says it.
  var duration: Double?
  /// Of the first video track, turned upright; `nil` without one.
  var size: PixelSize?
  /// When it was made, in seconds since 1970; `nil` when unset.
  var created: Int64?
  /// Where the first media data lie, for a digest.
  var mediaRange: Range<UInt64>?
  /// Which asset it says to be; see `MovieIdentity`.
  var assetID: Asset.ID?

  private var timescale: UInt64 = 0
  private var movieDuration: UInt64 = 0
  private var fragmentDuration: UInt64 = 0
  private var tracks: [UInt64: Track] = [:]
  private var currentTrack: UInt64 = 0
  private var samplesLeft = largestSampleCount

  private struct Track: Hashable {
    var timescale: UInt64 = 0
    var isVideo = false
    var defaultDuration: UInt64 = 0
    var fragments: UInt64 = 0
  }

  /// Boxes that are looked at; a movie of many hours in fragments has more, whose lengths then don't count.
  private static let largestBoxCount = 20_000
  /// The same of samples that say their lengths one by one.
  private static let largestSampleCount: UInt64 = 1 << 21
  /// Seconds that a movie may last: ten days and more are a broken number, not a movie that someone took.
  static let longestDuration = 864_000.0
  private static let containers: Set<String> = ["moov", "trak", "mdia", "mvex", "moof", "traf"]
  private static let secondsFrom1904To1970: Int64 = 2_082_844_800

  /// Whether the bytes at an offset begin an MP4.
  static func begins(in file: ReadableFile, at offset: UInt64) throws(PhotoLibraryError) -> Bool {
    var window = FileWindow(file)
    guard let length = try window.number(at: offset, bytes: 4), (16...1024).contains(length) else { return false }
    return try window.begins(with: "ftyp", at: offset + 4)
  }

  /// - Parameter range: Where the movie lies in the file.
  /// - Returns: `nil` when the range does not begin with an MP4.
  init?(_ file: ReadableFile, range: Range<UInt64>) throws(PhotoLibraryError) {
    guard range.upperBound <= file.size, try Self.begins(in: file, at: range.lowerBound) else { return nil }
    var window = FileWindow(file)
    // Ends of the containers that are open.
    var open: [UInt64] = []
    var offset = range.lowerBound
    for _ in 0..<Self.largestBoxCount {
      while let end = open.last, offset >= end { open.removeLast() }
      let limit = open.last ?? range.upperBound
      guard offset + 8 <= limit, var length = try window.number(at: offset, bytes: 4) else { break }
      let type = String(decoding: try window.bytes(at: offset + 4, count: 4), as: UTF8.self)
      var header: UInt64 = 8
      if length == 1 {
        guard let long = try window.number(at: offset + 8, bytes: 8) else { break }
        length = long
        header = 16
      } else if length == 0 {
        length = limit - offset
      }
      guard length >= header, length <= limit - offset else { break }
      let body = offset + header..<offset + length
      if type == "mdat", mediaRange == nil, !body.isEmpty { mediaRange = body }
      if Self.containers.contains(type), open.count < 8 {
        if type == "trak" { currentTrack = 0 }
        open.append(offset + length)
        offset += header
      } else {
        try note(type, body, &window)
        offset += length
      }
    }
    settle()
  }

  private mutating func note(
    _ type: String, _ body: Range<UInt64>, _ window: inout FileWindow
  ) throws(PhotoLibraryError) {
    /// A number in the box; `nil` past its end.
    func number(_ at: UInt64, _ count: Int) throws(PhotoLibraryError) -> UInt64? {
      guard body.lowerBound + at + UInt64(count) <= body.upperBound else { return nil }
      return try window.number(at: body.lowerBound + at, bytes: count)
    }
    // Version 1 has 64-bit times and durations.
    let isLong = try number(0, 1) == 1
    switch type {
    case "mvhd":
      if let time = try number(4, isLong ? 8 : 4), time > 0, let seconds = Int64(exactly: time) {
        created = seconds - Self.secondsFrom1904To1970
      }
      timescale = try number(isLong ? 20 : 12, 4) ?? 0
      movieDuration = Self.known(try number(isLong ? 24 : 16, isLong ? 8 : 4), isLong: isLong)
    case "tkhd":
      currentTrack = try number(isLong ? 20 : 12, 4) ?? 0
      guard tracks.count < 64 else { return }
      tracks[currentTrack] = Track()
      let matrix: UInt64 = isLong ? 52 : 40
      guard let width = try number(matrix + 36, 4), let height = try number(matrix + 40, 4) else { return }
      let upright = PixelSize(width: Int(width >> 16), height: Int(height >> 16))
      // a and d of the matrix are 0 when the track is turned by a quarter.
      let (a, d) = (try number(matrix, 4), try number(matrix + 16, 4))
      let isTurned = a == 0 && d == 0
      if upright.width > 0, upright.height > 0, size == nil {
        size = isTurned ? PixelSize(width: upright.height, height: upright.width) : upright
      }
    case "mdhd":
      tracks[currentTrack]?.timescale = try number(isLong ? 20 : 12, 4) ?? 0
    case "mehd":
      fragmentDuration = Self.known(try number(4, isLong ? 8 : 4), isLong: isLong)
    case "uuid" where body.upperBound - body.lowerBound == MovieIdentity.contentLength:
      assetID = MovieIdentity.id(in: try window.bytes(at: body.lowerBound, count: Int(MovieIdentity.contentLength)))
    case "trex":
      if let track = try number(4, 4) { tracks[track]?.defaultDuration = try number(12, 4) ?? 0 }
    case "tfhd":
      try noteFragmentHeader(number)
    case "trun":
      try noteFragmentRun(number)
    default:
      break
    }
  }

  /// The length of a fragment's samples, when the fragment says it for all of them.
  private mutating func noteFragmentHeader(
    _ number: (UInt64, Int) throws(PhotoLibraryError) -> UInt64?
  ) throws(PhotoLibraryError) {
    guard let flags = try number(1, 3), let track = try number(4, 4) else { return }
    currentTrack = track
    guard flags & 0x8 != 0 else { return }
    let at: UInt64 = 8 + (flags & 0x1 != 0 ? 8 : 0) + (flags & 0x2 != 0 ? 4 : 0)
    tracks[track]?.defaultDuration = try number(at, 4) ?? 0
  }

  private mutating func noteFragmentRun(
    _ number: (UInt64, Int) throws(PhotoLibraryError) -> UInt64?
  ) throws(PhotoLibraryError) {
    guard let flags = try number(1, 3), let count = try number(4, 4), var track = tracks[currentTrack] else { return }
    if flags & 0x100 == 0 {
      track.fragments = track.fragments &+ (min(count, 1 << 20) &* track.defaultDuration)
    } else {
      var at: UInt64 = 8 + (flags & 0x1 != 0 ? 4 : 0) + (flags & 0x4 != 0 ? 4 : 0)
      let step = UInt64(4 * (flags & 0xf00).nonzeroBitCount)
      for _ in 0..<min(count, 1 << 16, samplesLeft) {
        guard let duration = try number(at, 4) else { break }
        samplesLeft -= 1
        track.fragments = track.fragments &+ duration
        at += step
      }
    }
    tracks[currentTrack] = track
  }

  /// 0 for a duration that is all ones, which means unknown.
  private static func known(_ number: UInt64?, isLong: Bool) -> UInt64 {
    guard let number, number != (isLong ? .max : UInt64(UInt32.max)) else { return 0 }
    return number
  }

  private mutating func settle() {
    let whole = max(movieDuration, fragmentDuration)
    if whole > 0, timescale > 0 {
      duration = Double(whole) / Double(timescale)
    } else {
      duration = tracks.values.filter { $0.timescale > 0 && $0.fragments > 0 }
        .map { Double($0.fragments) / Double($0.timescale) }.max()
    }
    if let seconds = duration, !(0...Self.longestDuration).contains(seconds) { duration = nil }
  }
}
