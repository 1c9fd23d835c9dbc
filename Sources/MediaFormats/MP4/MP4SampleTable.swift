// The sample tables of a track: where its samples lie in the movie, and how long they are.

import Foundation
import Localization

/// The chunks and sample sizes of one track (ISO/IEC 14496-12, 8.7).
///
/// Untrusted input: parsing takes time and memory in proportion to the tables, whatever numbers they hold, and every chunk
/// lies inside the movie.
public struct MP4SampleTable: Sendable {
  /// The sizes of samples, in bytes.
  public enum Sizes: Hashable, Sendable {
    case equal(UInt32, count: Int)
    case each([UInt32])

    /// The number of samples.
    public var count: Int {
      switch self {
      case .equal(_, let count): count
      case .each(let sizes): sizes.count
      }
    }

    /// Whether one size holds for all, which takes no memory for each sample.
    var isEqual: Bool {
      switch self {
      case .equal: true
      case .each: false
      }
    }

    /// `stsz` of some of the samples.
    func box(of samples: Range<Int>) -> MP4Box {
      switch self {
      case .equal(let size, _):
        return MP4Box("stsz", BigEndian.words(0, UInt64(size), UInt64(samples.count)))
      case .each(let sizes):
        var bytes = BigEndian.words(0, 0, UInt64(samples.count))
        for size in sizes[samples] { BigEndian.append(UInt64(size), 4, to: &bytes) }
        return MP4Box("stsz", bytes)
      }
    }

    /// The bytes of some of the samples.
    func byteCount(of samples: Range<Int>) -> UInt64 {
      switch self {
      case .equal(let size, _):
        return UInt64(size) * UInt64(samples.count)
      case .each(let sizes):
        var count: UInt64 = 0
        for size in sizes[samples] { count += UInt64(size) }
        return count
      }
    }
  }

  /// Samples that follow each other without a gap.
  public struct Chunk: Hashable, Sendable {
    /// From the movie's first byte.
    public var offset: UInt64
    /// Empty for chunks without samples, which some recorders leave, most of them behind the last sample.
    public var samples: Range<Int>
    public var byteCount: UInt64
    /// The index of their sample description, counted from 1.
    var description: UInt32

    /// In the movie.
    public var range: Range<UInt64> { offset..<offset + byteCount }
  }

  public let sizes: Sizes
  /// As many as the table of offsets has.
  public let chunks: [Chunk]

  /// A chunk for every frame of ten hours.
  private static let mostChunks = 1 << 21

  /// Reads the tables of a track.
  ///
  /// - Parameters:
  ///   - track: A `trak` box.
  ///   - end: The movie's length: no chunk may reach behind it.
  /// - Throws: `FormatError.refused` when the tables contradict each other, samples lie elsewhere, are encrypted, or have
  ///   sizes in an unknown form.
  public init(of track: MP4Box, end: UInt64) throws(FormatError) {
    guard let table = track.sampleTable else { throw .damagedMovie }
    guard table["saio"] == nil, table["senc"] == nil else {
      throw .refused(reason: localized("the video is copy-protected"))
    }
    guard try Self.isSelfContained(track) else {
      throw .refused(reason: localized("part of the video is in another file"))
    }
    let sizes = try Self.sizes(table, of: track)
    let offsets = try Self.offsets(table)
    guard let runs = table["stsc"] else { throw .damagedMovie }
    let runCount = try runs.number(at: 4, 4)
    guard runCount <= UInt64((runs.bytes.count - 8) / 12) else { throw .damagedMovie }
    var chunks: [Chunk] = []
    chunks.reserveCapacity(offsets.count)
    var (run, sample) = (0, 0)
    for (chunk, offset) in offsets.enumerated() {
      // Chunks are counted from 1; a run holds until the next one begins.
      while run + 1 < Int(runCount), try runs.number(at: 8 + 12 * (run + 1), 4) <= UInt64(chunk + 1) { run += 1 }
      guard runCount > 0, try runs.number(at: 8 + 12 * run, 4) <= UInt64(chunk + 1) else { throw .damagedMovie }
      let count = min(Int(try runs.number(at: 8 + 12 * run + 4, 4)), sizes.count - sample)
      let samples = sample..<sample + count
      let length = sizes.byteCount(of: samples)
      sample += count
      // The offset of an empty chunk means nothing, and may be anything.
      let start = samples.isEmpty ? min(offset, end) : offset
      guard start <= end, length <= end - start else { throw .truncatedMovie }
      chunks.append(
        Chunk(
          offset: start, samples: samples, byteCount: length,
          description: UInt32(try runs.number(at: 8 + 12 * run + 8, 4))))
    }
    guard sample == sizes.count else { throw .damagedMovie }
    (self.sizes, self.chunks) = (sizes, chunks)
  }

  /// Whether all samples lie in the movie's own file, which is the default.
  private static func isSelfContained(_ track: MP4Box) throws(FormatError) -> Bool {
    guard let placement = track.child("mdia", "minf", "dinf"),
      let list = try MP4Box.boxes(in: placement.bytes[...]).first(where: { $0.type == "dref" }), list.bytes.count > 8
    else { return true }
    return try MP4Box.boxes(in: list.bytes[8...]).allSatisfy { entry in
      // Some programs leave out the location instead of setting the flag.
      let isEmpty = entry.bytes.count < 4 || entry.type == "url " && entry.bytes.count == 4
      return isEmpty || entry.bytes[3] & 1 == 1
    }
  }

  private static func sizes(_ table: MP4Box, of track: MP4Box) throws(FormatError) -> Sizes {
    guard let box = table["stsz"] else {
      throw .refused(reason: localized("the video stores the sizes of its frames in an unknown format"))
    }
    let (fixed, count) = (UInt32(try box.number(at: 4, 4)), Int(try box.number(at: 8, 4)))
    // QuickTime counts uncompressed sound in samples of one byte, whatever they take.
    guard fixed != 1 || hasSamplesOfOneByte(track) else {
      throw .refused(reason: localized("the sound is uncompressed and in an unknown format"))
    }
    if fixed > 0 { return .equal(fixed, count: count) }
    guard count <= (box.bytes.count - 12) / 4 else { throw .damagedMovie }
    return .each(
      (0..<count).map { UInt32(BigEndian.number(box.bytes[...], at: 12 + 4 * $0, count: 4)) })
  }

  /// Whether the descriptions of a sound track say that a sample is one byte: one channel of eight bits.
  ///
  /// Source: QuickTime File Format, “Sound sample descriptions”.
  private static func hasSamplesOfOneByte(_ track: MP4Box) -> Bool {
    guard track.handler == "soun", let entries = track.sampleTable?["stsd"]?.bytes, entries.count > 8,
      let descriptions = try? MP4Box.boxes(in: entries[8...]), !descriptions.isEmpty
    else { return false }
    return descriptions.allSatisfy { description in
      // Version 2 has its channels elsewhere.
      guard let version = try? description.number(at: 8, 2), version < 2,
        (try? description.number(at: 16, 2)) == 1
      else { return false }
      switch description.type {
      // The bits in it are those of the decoded sound.
      case "ulaw", "alaw": return true
      case "raw ", "sowt", "twos": return (try? description.number(at: 18, 2)) == 8
      default: return false
      }
    }
  }

  private static func offsets(_ table: MP4Box) throws(FormatError) -> [UInt64] {
    let (short, long) = (table["stco"], table["co64"])
    guard let box = short ?? long else { throw .damagedMovie }
    let width = short == nil ? 8 : 4
    let count = try box.number(at: 4, 4)
    guard count <= UInt64((box.bytes.count - 8) / width) else { throw .damagedMovie }
    guard count <= mostChunks else { throw .refused(reason: localized("the video is in too many pieces")) }
    return (0..<Int(count)).map { BigEndian.number(box.bytes[...], at: 8 + width * $0, count: width) }
  }

  /// Replaces the chunk offsets of a track.
  ///
  /// - Parameters:
  ///   - offsets: As many as there are chunks.
  ///   - isLong: Whether they take 64 bits each.
  static func setOffsets(_ offsets: [UInt64], isLong: Bool, in track: inout MP4Box) {
    let box = offsetBox(offsets, isLong: isLong)
    track.changeSampleTable { table in
      table.keep { $0.type != "stco" && $0.type != "co64" }
      table.children?.append(box)
    }
  }

  /// A `stco` or `co64` box.
  static func offsetBox(_ offsets: [UInt64], isLong: Bool) -> MP4Box {
    var bytes = BigEndian.words(0, UInt64(offsets.count))
    bytes.reserveCapacity(8 + offsets.count * (isLong ? 8 : 4))
    for offset in offsets { BigEndian.append(offset, isLong ? 8 : 4, to: &bytes) }
    return MP4Box(isLong ? "co64" : "stco", bytes)
  }
}
