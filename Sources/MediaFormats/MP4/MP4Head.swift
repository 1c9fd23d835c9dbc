// The duration, size and date of a movie, from the boxes of its MP4 file.

import CameraCore
import Foundation

/// The facts of an MP4 (ISO/IEC 14496-12), whole or fragmented, that an index needs.
///
/// Read in small windows, without the sample tables. Untrusted input: every length is checked, and the numbers of boxes
/// and samples are limited.
public struct MP4Head: Sendable, Hashable {
  /// In seconds; `nil` when no box states it.
  public var duration: Double?
  /// Of the first video track, upright; `nil` without one.
  public var size: PixelSize?
  /// The creation time, in seconds since 1970; `nil` when unset, and outside of `plausibleTimes`.
  public var created: Int64?
  /// The range of the first media data, for a digest.
  public var mediaRange: Range<UInt64>?
  /// Whether there is a sound track and no video track.
  public var hasOnlySound: Bool { handlers.contains("soun") && !handlers.contains("vide") }
  /// The id of the asset that the movie is an edit of; see `MovieIdentity`.
  public var assetID: String?
  /// The position at which the movie was recorded, in the form of ISO 6709; `nil` when it doesn't tell.
  public var position: String?
  /// The date with its offset from UTC, as Apple's devices write it: `2026-11-21T07:31:06+0100`; `nil` when it doesn't tell.
  public var date: String?

  private var timescale: UInt64 = 0
  private var movieDuration: UInt64 = 0
  private var fragmentDuration: UInt64 = 0
  private var tracks: [UInt64: Track] = [:]
  private var currentTrack: UInt64 = 0
  /// The media types of the tracks.
  private var handlers: Set<MP4Type> = []
  private var samplesLeft = largestSampleCount

  private struct Track: Hashable {
    var timescale: UInt64 = 0
    /// Of the samples in the index, which a movie in fragments may have for its beginning.
    var indexDuration: UInt64 = 0
    var hasIndexSamples = false
    var defaultDuration: UInt64 = 0
    var fragments: UInt64 = 0

    /// The length in the track's unit; 0 where it has no fragments, and is as long as the movie says.
    var fragmentedLength: UInt64 {
      fragments == 0 ? 0 : fragments &+ (hasIndexSamples ? indexDuration : 0)
    }
  }

  /// Boxes that are read. Some muxers make a box for each sample of a fragment: this many are five hours of such a movie,
  /// and a second of reading. The rest doesn't count for the duration.
  private static let largestBoxCount = 2_000_000
  /// Samples with durations of their own that are read.
  private static let largestSampleCount: UInt64 = 1 << 21
  private static let largestDepth = 8
  /// In seconds. Ten days and more are a broken number, not a movie that someone took.
  public static let longestDuration = 864_000.0
  private static let containers: Set<MP4Type> = [
    "moov", "trak", "mdia", "minf", "stbl", "mvex", "moof", "traf", "udta",
  ]
  /// In bytes: keys and values, without pictures.
  private static let longestMetadata: UInt64 = 64 << 10
  static let secondsFrom1904To1970: Int64 = 2_082_844_800
  /// The creation times that a movie may have, in seconds since 1970: up to the year 9999. Programs that count from 1970
  /// where the format counts from 1904 give earlier ones, and damaged files any.
  public static let plausibleTimes: ClosedRange<Int64> = 1...253_402_300_799

  /// The plausible time, in seconds since 1970, of a number in a header, which counts from 1904; `nil` for others.
  static func time(_ number: UInt64) -> Int64? {
    guard let seconds = Int64(exactly: number) else { return nil }
    let time = seconds - secondsFrom1904To1970
    return plausibleTimes.contains(time) ? time : nil
  }

  /// Whether the bytes at an offset begin an MP4.
  ///
  /// - Throws: `FormatError.read`.
  public static func begins(in source: any ByteSource, at offset: UInt64) throws(FormatError) -> Bool {
    var window = ByteWindow(source)
    return try begins(in: &window, at: offset)
  }

  private static func begins(in window: inout ByteWindow, at offset: UInt64) throws(FormatError) -> Bool {
    guard let length = try window.number(at: offset, bytes: 4), (16...1024).contains(length) else { return false }
    return try window.begins(with: "ftyp", at: offset + 4)
  }

  /// Reads the boxes of a movie, as far as they make sense.
  ///
  /// - Parameter range: Of the movie in the source.
  /// - Returns: `nil` when the range does not begin with an MP4.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource, range: Range<UInt64>) throws(FormatError) {
    var window = ByteWindow(source)
    guard range.upperBound <= source.count, try Self.begins(in: &window, at: range.lowerBound) else { return nil }
    var walker = MP4BoxWalker(window, in: range, limit: Self.largestBoxCount)
    while let box = try walker.next() {
      if Self.containers.contains(box.type), walker.depth < Self.largestDepth {
        if box.type == "trak" { currentTrack = 0 }
        walker.enter(box)
      } else {
        if box.type == "mdat", mediaRange == nil, !box.content.isEmpty { mediaRange = box.content }
        try note(box, &walker.bytes)
      }
    }
    setDuration()
  }

  private mutating func note(_ box: MP4BoxHead, _ window: inout ByteWindow) throws(FormatError) {
    let body = box.content
    /// A number in the box; `nil` past its end.
    func number(_ at: UInt64, _ count: Int) throws(FormatError) -> UInt64? {
      guard body.lowerBound + at + UInt64(count) <= body.upperBound else { return nil }
      return try window.number(at: body.lowerBound + at, bytes: count)
    }
    // Version 1 has 64-bit times and durations.
    func isLong() throws(FormatError) -> Bool { try number(0, 1) == 1 }
    switch box.type {
    case "mvhd":
      let isLong = try isLong()
      created = Self.time(try number(4, isLong ? 8 : 4) ?? 0)
      timescale = try number(isLong ? 20 : 12, 4) ?? 0
      movieDuration = Self.known(try number(isLong ? 24 : 16, isLong ? 8 : 4), isLong: isLong)
    case "tkhd":
      let isLong = try isLong()
      currentTrack = try number(isLong ? 20 : 12, 4) ?? 0
      guard tracks.count < 64 else { return }
      tracks[currentTrack] = Track()
      let matrix: UInt64 = isLong ? 52 : 40
      guard let width = try number(matrix + 36, 4), let height = try number(matrix + 40, 4) else { return }
      let coded = PixelSize(width: Int(width >> 16), height: Int(height >> 16))
      // a and d of the matrix are 0 when the track is rotated by 90 degrees.
      let (a, d) = (try number(matrix, 4), try number(matrix + 16, 4))
      let isTurned = a == 0 && d == 0
      if coded.width > 0, coded.height > 0, size == nil {
        size = isTurned ? PixelSize(width: coded.height, height: coded.width) : coded
      }
    case "mdhd":
      let isLong = try isLong()
      tracks[currentTrack]?.timescale = try number(isLong ? 20 : 12, 4) ?? 0
      tracks[currentTrack]?.indexDuration = Self.known(try number(isLong ? 24 : 16, isLong ? 8 : 4), isLong: isLong)
    case "stsz", "stz2":
      tracks[currentTrack]?.hasIndexSamples = try number(8, 4) ?? 0 > 0
    case "hdlr":
      if handlers.count < 64, let code = try number(8, 4) {
        handlers.insert(MP4Type(code: UInt32(truncatingIfNeeded: code)))
      }
    case "mehd":
      let isLong = try isLong()
      fragmentDuration = Self.known(try number(4, isLong ? 8 : 4), isLong: isLong)
    case "uuid" where body.upperBound - body.lowerBound == MovieIdentity.contentLength:
      assetID = MovieIdentity.id(in: try window.bytes(at: body.lowerBound, count: Int(MovieIdentity.contentLength)))
    case "©xyz":
      let count = min(body.upperBound - body.lowerBound, UInt64(MoviePosition.longestText) + 4)
      guard position == nil else { return }
      position = MoviePosition.text(Array(try window.bytes(at: body.lowerBound, count: Int(count))))
    case "meta":
      // In QuickTime it is in the movie itself.
      guard position == nil || date == nil, body.upperBound - body.lowerBound <= Self.longestMetadata else { return }
      let bytes = try window.bytes(at: body.lowerBound, count: Int(body.upperBound - body.lowerBound))
      let metadata = QuickTimeMetadata(MP4Box("meta", Array(bytes)))
      position = position ?? metadata?.text(QuickTimeMetadata.position)
      date = date ?? metadata?.text(QuickTimeMetadata.creationDate)
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

  /// Reads the default duration of a fragment's samples.
  private mutating func noteFragmentHeader(
    _ number: (UInt64, Int) throws(FormatError) -> UInt64?
  ) throws(FormatError) {
    guard let flags = try number(1, 3), let track = try number(4, 4) else { return }
    currentTrack = track
    guard flags & 0x8 != 0 else { return }
    let at: UInt64 = 8 + (flags & 0x1 != 0 ? 8 : 0) + (flags & 0x2 != 0 ? 4 : 0)
    tracks[track]?.defaultDuration = try number(at, 4) ?? 0
  }

  private mutating func noteFragmentRun(
    _ number: (UInt64, Int) throws(FormatError) -> UInt64?
  ) throws(FormatError) {
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

  /// 0 for a duration of all ones, which means unknown.
  private static func known(_ number: UInt64?, isLong: Bool) -> UInt64 {
    guard let number, number != (isLong ? .max : UInt64(UInt32.max)) else { return 0 }
    return number
  }

  private mutating func setDuration() {
    let whole = timescale > 0 ? Double(max(movieDuration, fragmentDuration)) / Double(timescale) : 0
    // A recording that was broken off says no more than the length of its beginning.
    let found = tracks.values.filter { $0.timescale > 0 }.map { Double($0.fragmentedLength) / Double($0.timescale) }
    let seconds = max(whole, found.max() ?? 0)
    if seconds > 0 { duration = seconds }
    if let seconds = duration, !(0...Self.longestDuration).contains(seconds) { duration = nil }
  }
}
