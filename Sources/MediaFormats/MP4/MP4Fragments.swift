// The samples of a movie in fragments, and the ordinary index of all of them.

import Foundation
import Localization

/// Reads the fragments of a movie (ISO/IEC 14496-12, 8.8), as recorders write that must expect to be broken off.
///
/// Untrusted input: every length is checked, each byte is read once, and memory is in proportion to the bytes read. What a
/// fragment says of samples behind the end of the file is left out: a recording that was broken off ends so.
struct MP4Fragments {
  /// What holds for the samples that don't say otherwise.
  struct Defaults {
    var description: UInt32 = 1
    var duration: UInt32 = 0
    var size: UInt32 = 0
    var flags: UInt32 = 0
  }

  struct Track {
    var defaults = Defaults()
    var samples: MP4SampleRuns
    /// Whether samples are missing, after which no others are taken.
    var isCut = false
    var isEncrypted = false
  }

  /// The movie's length in bytes.
  private let end: UInt64
  /// By their ids.
  private(set) var tracks: [UInt64: Track] = [:]
  private var samplesLeft = mostSamples
  /// Samples of any kind. No byte belongs to two samples, and most samples have some.
  private var bytesLeft: Int
  private var chunksLeft = mostChunks
  /// The end of the last fragment that was read, with its samples, in bytes from the movie's beginning.
  private(set) var contentEnd: UInt64 = 0

  /// The longest `moof` box, in bytes: that of a day.
  private static let largestFragment: UInt64 = 64 << 20
  /// Samples of all tracks that take memory of their own: twice what one track may have.
  private static let mostSamples = 2 * MP4Track.largestSampleCount
  /// Runs of samples of all tracks.
  private static let mostChunks = 1 << 22
  /// The flag of a sample that needs others to be decoded.
  private static let isDependent: UInt32 = 0x1_0000

  /// - Parameters:
  ///   - movie: The `moov` box.
  ///   - end: The movie's length in bytes.
  init(of movie: MP4Box, end: UInt64) {
    (self.end, bytesLeft) = (end, Int(clamping: end))
    for track in movie.tracks {
      // A damaged one is refused by whoever reads it.
      guard let id = try? track.trackID(), let samples = try? MP4SampleRuns(of: track, end: end) else { continue }
      tracks[id] = Track(samples: samples)
    }
    for box in movie["mvex"]?.children ?? [] where box.type == "trex" && box.bytes.count >= 24 {
      func number(_ at: Int) -> UInt32 { UInt32(BigEndian.number(box.bytes[...], at: at, count: 4)) }
      tracks[UInt64(number(4))]?.defaults = Defaults(
        description: number(8), duration: number(12), size: number(16), flags: number(20))
    }
  }

  /// Reads a fragment. They have to come in the order of the file.
  ///
  /// - Parameters:
  ///   - box: The `moof` box, in bytes from the movie's beginning.
  ///   - start: Of the movie in the source.
  /// - Throws: `FormatError.read`, and `refused` for more samples than any movie has.
  mutating func add(
    _ box: Range<UInt64>, of source: any ByteSource, from start: UInt64 = 0
  ) throws(FormatError) {
    guard box.upperBound - box.lowerBound <= Self.largestFragment else { throw Self.tooMany }
    let bytes = try source.bytes(at: start + box.lowerBound, count: Int(box.upperBound - box.lowerBound))
    // The type and the length are known; a long length takes eight bytes more.
    let head = BigEndian.number(bytes[...], at: 0, count: 4) == 1 ? 16 : 8
    var walker = MP4BoxWalker(
      MemoryReader(bytes[...]), in: UInt64(head)..<UInt64(bytes.count), limit: bytes.count / 8)
    // Without other words a track's samples begin where those of the one before end, and the first's at the fragment.
    var place = box.lowerBound
    while let track = walker.next() {
      guard track.type == "traf" else { continue }
      try add(track: bytes[Int(track.content.lowerBound)..<Int(track.content.upperBound)], box.lowerBound, &place)
    }
    contentEnd = max(contentEnd, box.upperBound)
  }

  private static var tooMany: FormatError { .refused(reason: localized("the video has too many samples")) }

  /// Reads a `traf` box.
  ///
  /// - Parameters:
  ///   - fragment: The offset of the `moof` box.
  ///   - place: Where its samples begin unless it says otherwise; then where they end.
  private mutating func add(
    track bytes: ArraySlice<UInt8>, _ fragment: UInt64, _ place: inout UInt64
  ) throws(FormatError) {
    let reader = MemoryReader(bytes)
    var walker = MP4BoxWalker(
      reader, in: UInt64(bytes.startIndex)..<UInt64(bytes.endIndex), limit: bytes.count / 8)
    var (id, base): (UInt64?, UInt64) = (nil, place)
    var defaults = Defaults()
    var first: MP4SampleRuns.Sample?
    while let box = walker.next() {
      let content = box.content
      /// A number in the box; 0 past its end.
      func number(_ at: UInt64, _ count: Int) -> UInt64 {
        guard at + UInt64(count) <= UInt64(content.count) else { return 0 }
        return reader.number(at: content.lowerBound + at, bytes: count) ?? 0
      }
      switch box.type {
      case "tfhd":
        let (flags, track) = (number(1, 3), number(4, 4))
        guard let known = tracks[track]?.defaults else { return }
        (id, defaults) = (track, known)
        var at: UInt64 = 8
        func next(_ flag: UInt64, _ count: Int = 4) -> UInt64? {
          guard flags & flag != 0 else { return nil }
          defer { at += UInt64(count) }
          return number(at, count)
        }
        let offset = next(0x1, 8)
        base = offset ?? (flags & 0x2_0000 != 0 ? fragment : place)
        if let index = next(0x2) { defaults.description = UInt32(index) }
        if let duration = next(0x8) { defaults.duration = UInt32(duration) }
        if let size = next(0x10) { defaults.size = UInt32(size) }
        if let flags = next(0x20) { defaults.flags = UInt32(flags) }
        place = base
      case "tfdt":
        guard let id, tracks[id]?.isCut == false else { continue }
        tracks[id]?.samples.continue(at: number(4, number(0, 1) == 1 ? 8 : 4))
      case "senc", "saio":
        if let id { tracks[id]?.isEncrypted = true }
      case "trun":
        guard let id, tracks[id]?.isCut == false else { continue }
        chunksLeft -= 1
        guard chunksLeft >= 0 else { throw Self.tooMany }
        try add(run: content, of: id, defaults, base: base, &first, &place, number)
      default:
        continue
      }
    }
  }

  /// Reads a `trun` box.
  ///
  /// - Parameter example: The first sample of the fragment and track; `nil` until it is read. GStreamer 1.22 leaves out the
  ///   size and the duration of a single sample where they are those of the first, as if that were the default.
  private mutating func add(
    run content: Range<UInt64>, of id: UInt64, _ defaults: Defaults, base: UInt64,
    _ example: inout MP4SampleRuns.Sample?, _ place: inout UInt64, _ number: (UInt64, Int) -> UInt64
  ) throws(FormatError) {
    // Changed in place: a copy of the runs for each box would take the time of the whole movie.
    guard let index = tracks.index(forKey: id) else { return }
    let (version, flags) = (number(0, 1), number(1, 3))
    var count = Int(number(4, 4))
    var at: UInt64 = 8
    if flags & 0x1 != 0 {
      let offset = Int64(Int32(truncatingIfNeeded: number(at, 4)))
      // A sum that no file has is behind its end.
      place = offset < 0 ? base - min(base, UInt64(-offset)) : min(base, .max / 2) + UInt64(offset)
      at += 4
    }
    var first: UInt32?
    if flags & 0x4 != 0 {
      first = UInt32(number(at, 4))
      at += 4
    }
    let step = UInt64(4 * (flags & 0xf00).nonzeroBitCount)
    var sample = MP4SampleRuns.Sample(size: defaults.size, duration: defaults.duration, offset: 0, isSync: true)
    if let example {
      if sample.size == 0 { sample.size = example.size }
      if sample.duration == 0 { sample.duration = example.duration }
    }
    guard step > 0 else {
      if example == nil { example = sample }
      // All alike, but for the flags of the first.
      let room = place <= end ? end - place : 0
      let fitting = place > end ? 0 : sample.size == 0 ? count : Int(clamping: room / UInt64(sample.size))
      let isCut = fitting < count
      count = min(count, fitting, Int(UInt32.max) - tracks.values[index].samples.count)
      // What follows lies behind the end, too.
      defer { if isCut { (tracks.values[index].isCut, place) = (true, .max) } }
      bytesLeft -= count
      guard bytesLeft >= 0 else { throw Self.tooMany }
      guard count > 0 else { return }
      let alone = first == nil ? 0 : 1
      for (flags, more) in [(first ?? 0, alone), (defaults.flags, count - alone)] where more > 0 {
        sample.isSync = flags & Self.isDependent == 0
        tracks.values[index].samples.append(
          sample, count: more, offset: place, description: defaults.description)
        place += UInt64(sample.size) * UInt64(more)
      }
      return
    }
    count = min(count, Int((UInt64(content.count) - min(at, UInt64(content.count))) / step))
    samplesLeft -= count
    bytesLeft -= count
    guard samplesLeft >= 0, bytesLeft >= 0 else { throw Self.tooMany }
    for sampleIndex in 0..<count {
      func next(_ flag: UInt64) -> UInt64? {
        guard flags & flag != 0 else { return nil }
        defer { at += 4 }
        return number(at, 4)
      }
      if let duration = next(0x100) { sample.duration = UInt32(duration) }
      if let size = next(0x200) { sample.size = UInt32(size) }
      let own = next(0x400).map { UInt32($0) }
      sample.isSync = ((sampleIndex == 0 ? first : nil) ?? own ?? defaults.flags) & Self.isDependent == 0
      if let offset = next(0x800) {
        sample.offset = version == 0 ? Int64(offset) : Int64(Int32(truncatingIfNeeded: offset))
      }
      if example == nil { example = sample }
      guard place <= end, UInt64(sample.size) <= end - place else {
        (tracks.values[index].isCut, place) = (true, .max)
        return
      }
      tracks.values[index].samples.append(sample, offset: place, description: defaults.description)
      place += UInt64(sample.size)
    }
  }
}
