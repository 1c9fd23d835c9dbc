// A track of a movie, with the times and the places of its samples.

import Foundation
import Localization

/// One track of an MP4.
public struct MP4Track: Sendable {
  public typealias Chunk = MP4SampleTable.Chunk

  /// The `trak` box.
  let box: MP4Box
  /// The media type: `vide`, `soun`, …
  public let handler: MP4Type
  /// In units a second.
  public let timescale: UInt32
  public let sizes: MP4SampleTable.Sizes
  /// Runs of samples of equal duration, in the track's units.
  let durations: [(count: Int, duration: UInt32)]
  /// The chunks that hold samples.
  public let chunks: [Chunk]
  /// The empty time before the first sample, in seconds.
  public let emptyTime: Double
  /// The time of the track at which it begins to be shown, in the track's units.
  public let mediaStart: UInt64

  /// A day of AAC. Each sample takes memory for its time, and for its size if that is its own. Uncompressed sound has
  /// more in two minutes, but of equal size, and needs no time for each.
  static let largestSampleCount = 5_000_000

  /// Reads a track.
  ///
  /// - Parameters:
  ///   - box: The `trak` box.
  ///   - end: The movie's length in bytes.
  ///   - movieTimescale: Of the movie, in units a second.
  /// - Throws: `FormatError.refused` when it is damaged or its samples can't be read.
  init(_ box: MP4Box, end: UInt64, movieTimescale: UInt32) throws(FormatError) {
    guard let handler = box.handler, let head = box.child("mdia", "mdhd"), head.bytes.count >= 24 else {
      throw .damagedMovie
    }
    (self.box, self.handler) = (box, handler)
    timescale = UInt32(try head.number(at: head.isLong ? 20 : 12, 4))
    guard timescale > 0 else { throw .refused(reason: localized("the video has no time scale")) }
    let table = try MP4SampleTable(of: box, end: end)
    let takesMemory = handler == "vide" || !table.sizes.isEqual
    guard !takesMemory || table.sizes.count <= Self.largestSampleCount else {
      throw .refused(reason: localized("the video has too many samples"))
    }
    sizes = table.sizes
    chunks = table.chunks.filter { !$0.samples.isEmpty }
    durations = Self.durations(of: box, sampleCount: table.sizes.count)
    (emptyTime, mediaStart) = Self.edits(of: box, movieTimescale: movieTimescale)
  }

  /// `stts`, as far as there are samples; nothing when it is damaged.
  private static func durations(of track: MP4Box, sampleCount: Int) -> [(count: Int, duration: UInt32)] {
    guard let box = track.sampleTable?["stts"], let rows = try? Int(box.number(at: 4, 4)),
      rows <= (box.bytes.count - 8) / 8
    else { return [] }
    var durations: [(count: Int, duration: UInt32)] = []
    var left = sampleCount
    for row in 0..<rows where left > 0 {
      let count = min(left, Int(BigEndian.number(box.bytes[...], at: 8 + 8 * row, count: 4)))
      durations.append((count, UInt32(BigEndian.number(box.bytes[...], at: 12 + 8 * row, count: 4))))
      left -= count
    }
    return durations
  }

  /// The latest start of presentation: far behind any sample, and far from an overflow.
  private static let latestStart: UInt64 = 1 << 62

  /// `elst`, up to the first edit that shows something.
  private static func edits(of track: MP4Box, movieTimescale: UInt32) -> (emptyTime: Double, mediaStart: UInt64) {
    guard let list = track.child("edts", "elst"), let count = try? Int(list.number(at: 4, 4)) else { return (0, 0) }
    let (number, row) = list.isLong ? (8, 20) : (4, 12)
    var empty = 0.0
    for start in stride(from: 8, to: 8 + row * min(count, (list.bytes.count - 8) / row), by: row) {
      guard let duration = try? list.number(at: start, number), let media = try? list.number(at: start + number, number)
      else { break }
      // All bits set: nothing is shown.
      guard media == (list.isLong ? UInt64.max : UInt64(UInt32.max)) else { return (empty, min(media, latestStart)) }
      empty += Double(duration) / Double(movieTimescale)
    }
    return (empty, 0)
  }

  // MARK: Times

  /// The duration of all samples, in the track's units.
  public var duration: UInt64 {
    durations.reduce(0) { Self.end(of: $1.count, lasting: $1.duration, from: $0) }
  }

  /// The end of samples of equal duration. Saturates: tables may claim more than 64 bits hold, and times must never
  /// fall.
  static func end(of count: Int, lasting duration: UInt32, from start: UInt64) -> UInt64 {
    let (length, isTooLong) = UInt64(count).multipliedReportingOverflow(by: UInt64(duration))
    let (end, isTooLate) = start.addingReportingOverflow(length)
    return isTooLong || isTooLate ? .max : end
  }

  /// A number of seconds in the track's units: none for what is negative or no number, and no more than any movie lasts.
  func units(_ seconds: Double) -> UInt64 { Self.units(seconds, timescale: timescale) }

  /// The same in units of a time scale.
  static func units(_ seconds: Double, timescale: UInt32) -> UInt64 {
    guard seconds > 0 else { return 0 }
    return UInt64((min(seconds, MP4Head.longestDuration) * Double(timescale)).rounded())
  }

  /// The time at which a sample begins, in the track's units.
  func start(ofSample index: Int) -> UInt64 {
    var (time, left) = (UInt64(0), index)
    for run in durations {
      let count = min(left, run.count)
      time = Self.end(of: count, lasting: run.duration, from: time)
      left -= count
      if left == 0 { break }
    }
    return time
  }

  /// The sample at a time, in the track's units; the last one behind the end.
  func sample(at time: UInt64) -> Int {
    var (start, index) = (UInt64(0), 0)
    for run in durations {
      let end = Self.end(of: run.count, lasting: run.duration, from: start)
      if time < end, run.duration > 0 {
        return index + min(run.count - 1, Int(clamping: (time - start) / UInt64(run.duration)))
      }
      start = end
      index += run.count
    }
    return max(0, sizes.count - 1)
  }

  /// When each sample is shown, in seconds, of a track whose samples are in the order of their times; empty for
  /// uncompressed sound with too many of them.
  public var startTimes: [Double] {
    guard sizes.count <= Self.largestSampleCount else { return [] }
    var times: [Double] = []
    times.reserveCapacity(sizes.count)
    var time: UInt64 = 0
    for run in durations {
      for _ in 0..<run.count {
        times.append(emptyTime + (Double(time) - Double(mediaStart)) / Double(timescale))
        time = Self.end(of: 1, lasting: run.duration, from: time)
      }
    }
    return times
  }

  /// The end of the last frame, in seconds; `nil` where these tables can't tell.
  public var end: Double? {
    frameCount(within: nil).map { _ in emptyTime + Double(duration) / Double(timescale) }
  }

  /// The number of frames that are shown within a range of seconds; `nil` where these tables can't tell.
  public func frameCount(within trim: ClosedRange<Double>?) -> Int? {
    guard mediaStart == 0, durations.reduce(0, { $0 + $1.count }) == sizes.count, box.sampleTable?["ctts"] == nil
    else { return nil }
    guard let trim else { return sizes.count }
    guard sizes.count <= Self.largestSampleCount else { return nil }
    let times = startTimes
    let ends = times.dropFirst() + [emptyTime + Double(duration) / Double(timescale)]
    // A frame less at each end, where the times of both round differently.
    let count = zip(times, ends).count { $1 > trim.lowerBound + 1e-6 && $0 < trim.upperBound - 1e-6 }
    return max(0, count - 2)
  }

  /// The duration that the edit list presents, in seconds; `nil` without one.
  func shownTime(movieTimescale: UInt32) -> Double? {
    guard let head = box["tkhd"], head.bytes.count >= 84, box.child("edts", "elst") != nil else { return nil }
    let seconds = Double(box.shownDuration) / Double(movieTimescale) - emptyTime
    return seconds > 0 ? seconds : nil
  }

  // MARK: Samples

  /// The chunks, cut to a range of samples.
  func chunks(within kept: Range<Int>) -> [Chunk] {
    chunks.compactMap { chunk in
      let samples = chunk.samples.clamped(to: kept)
      guard !samples.isEmpty else { return nil }
      return Chunk(
        offset: chunk.offset + sizes.byteCount(of: chunk.samples.lowerBound..<samples.lowerBound), samples: samples,
        byteCount: sizes.byteCount(of: samples), description: chunk.description)
    }
  }

  /// `stts` and `stsz` of a range of samples.
  func timeAndSizeTables(of kept: Range<Int>) -> [MP4Box] {
    var times: [UInt8] = []
    var first = 0
    for run in durations {
      let common = (first..<first + run.count).clamped(to: kept)
      if !common.isEmpty { times += BigEndian.words(UInt64(common.count), UInt64(run.duration)) }
      first += run.count
    }
    return [MP4Box("stts", BigEndian.words(0, UInt64(times.count / 8)) + times), sizes.box(of: kept)]
  }
}
