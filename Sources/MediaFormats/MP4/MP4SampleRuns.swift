// The samples of a track while they are collected from an index and from fragments.

import Foundation
import Localization

/// Numbers of samples that follow each other; equal neighbors take the memory of one.
struct MP4Runs<Value: Hashable & Sendable>: Sendable {
  private(set) var runs: [(count: Int, value: Value)] = []
  /// The number of samples.
  private(set) var count = 0

  mutating func append(_ value: Value, count more: Int = 1) {
    guard more > 0 else { return }
    count += more
    if let last = runs.indices.last, runs[last].value == value {
      runs[last].count += more
    } else {
      runs.append((more, value))
    }
  }

  /// Changes the number of the last sample; does nothing without samples.
  mutating func changeLast(_ change: (Value) -> Value) {
    guard let last = runs.indices.last else { return }
    let value = runs[last].value
    runs[last].count -= 1
    count -= 1
    if runs[last].count == 0 { runs.removeLast() }
    append(change(value))
  }

  /// `stts` or `ctts` of these runs.
  func box(_ type: MP4Type, version: UInt64 = 0, _ bits: (Value) -> UInt64) -> MP4Box {
    var bytes = BigEndian.words(version << 24, UInt64(runs.count))
    bytes.reserveCapacity(8 + 8 * runs.count)
    for run in runs {
      BigEndian.append(UInt64(run.count), 4, to: &bytes)
      BigEndian.append(bits(run.value), 4, to: &bytes)
    }
    return MP4Box(type, bytes)
  }
}

/// The samples of a track, first those of its tables and then those of its fragments, and the tables of all of them.
struct MP4SampleRuns: Sendable {
  private var sizes = MP4Runs<UInt32>()
  private var durations = MP4Runs<UInt32>()
  /// From the time of decoding to that of presentation, in the track's units.
  private var offsets = MP4Runs<Int64>()
  private var syncs = MP4Runs<Bool>()
  private var chunks: [MP4SampleTable.Chunk] = []
  /// When the last sample ends, in the track's units from its beginning.
  private var end: UInt64 = 0
  /// When the first sample of a track begins that has all of them in fragments, in its units.
  private(set) var start: UInt64 = 0

  /// The tables that are made anew, and those with an entry for each sample that no player needs.
  private static let replaced: Set<MP4Type> = [
    "stts", "stsz", "stz2", "stsc", "stco", "co64", "stss", "ctts", "sdtp", "subs", "sbgp", "sgpd",
  ]

  /// The number of samples.
  var count: Int { sizes.count }

  /// The duration of all samples, in the track's units.
  var duration: UInt64 { end - min(end, start) }

  /// Reads the tables of a track.
  ///
  /// - Throws: `FormatError.refused` when they are damaged.
  init(of track: MP4Box, end file: UInt64) throws(FormatError) {
    let table = try MP4SampleTable(of: track, end: file)
    chunks = table.chunks.filter { !$0.samples.isEmpty }
    switch table.sizes {
    case .equal(let size, let count): sizes.append(size, count: count)
    case .each(let all): for size in all { sizes.append(size) }
    }
    try Self.read(track.sampleTable?["stts"], count: count) { count, bits in
      durations.append(UInt32(bits), count: count)
      end = MP4Track.end(of: count, lasting: UInt32(bits), from: end)
    }
    // Tables that say less than there is.
    durations.append(0, count: count - durations.count)
    let compositions = track.sampleTable?["ctts"]
    let isSigned = compositions?.isLong == true
    try Self.read(compositions, count: count) { count, bits in
      offsets.append(isSigned ? Int64(Int32(truncatingIfNeeded: bits)) : Int64(bits), count: count)
    }
    offsets.append(0, count: count - offsets.count)
    try readSyncs(track.sampleTable?["stss"])
  }

  /// Reads rows of a count and a number, as far as there are samples.
  private static func read(
    _ box: MP4Box?, count: Int, _ use: (Int, UInt64) -> Void
  ) throws(FormatError) {
    guard let box, count > 0 else { return }
    let rows = Int(try box.number(at: 4, 4))
    guard rows <= (box.bytes.count - 8) / 8 else { throw .damagedMovie }
    var left = count
    for row in 0..<rows where left > 0 {
      let count = min(left, Int(BigEndian.number(box.bytes[...], at: 8 + 8 * row, count: 4)))
      use(count, BigEndian.number(box.bytes[...], at: 12 + 8 * row, count: 4))
      left -= count
    }
  }

  private mutating func readSyncs(_ box: MP4Box?) throws(FormatError) {
    guard let box else {
      // All are.
      syncs.append(true, count: count)
      return
    }
    let rows = Int(try box.number(at: 4, 4))
    guard rows <= (box.bytes.count - 8) / 4 else { throw .damagedMovie }
    for row in 0..<rows {
      // Counted from 1, and rising.
      let sample = Int(BigEndian.number(box.bytes[...], at: 8 + 4 * row, count: 4)) - 1
      guard sample >= syncs.count, sample < count else { continue }
      syncs.append(false, count: sample - syncs.count)
      syncs.append(true)
    }
    syncs.append(false, count: count - syncs.count)
  }

  // MARK: Fragments

  /// One sample of a fragment, or several that are alike.
  struct Sample {
    var size: UInt32
    /// In the track's units.
    var duration: UInt32
    /// From the time of decoding to that of presentation, in the track's units.
    var offset: Int64
    var isSync: Bool
  }

  /// States the time at which the next sample is decoded. The sample before it lasts until then.
  ///
  /// - Parameter time: In the track's units.
  mutating func `continue`(at time: UInt64) {
    guard count > 0 else {
      (start, end) = (time, time)
      return
    }
    guard time != end else { return }
    var gained: Int64 = 0
    let gap = time > end ? Int64(clamping: time - end) : -Int64(clamping: end - time)
    durations.changeLast { duration in
      let changed = UInt32(clamping: Int64(duration) + min(gap, Int64(UInt32.max)))
      gained = Int64(changed) - Int64(duration)
      return changed
    }
    end = gained < 0 ? end - min(end, UInt64(-gained)) : end &+ UInt64(gained) < end ? .max : end + UInt64(gained)
  }

  /// Adds samples that follow each other in the file.
  mutating func append(_ sample: Sample, count more: Int = 1, offset place: UInt64, description: UInt32) {
    let samples = count..<count + more
    sizes.append(sample.size, count: more)
    durations.append(sample.duration, count: more)
    offsets.append(sample.offset, count: more)
    syncs.append(sample.isSync, count: more)
    end = MP4Track.end(of: more, lasting: sample.duration, from: end)
    let length = UInt64(sample.size) * UInt64(more)
    if let last = chunks.indices.last, chunks[last].range.upperBound == place, chunks[last].description == description {
      chunks[last].samples = chunks[last].samples.lowerBound..<samples.upperBound
      chunks[last].byteCount += length
    } else {
      chunks.append(
        MP4SampleTable.Chunk(offset: place, samples: samples, byteCount: length, description: description))
    }
  }

  // MARK: Tables

  /// Replaces the tables of a track by those of these samples.
  ///
  /// - Throws: `FormatError.refused` when there are more samples than a program can hold tables of.
  func write(into track: inout MP4Box) throws(FormatError) {
    let isEqual = sizes.runs.count == 1 && sizes.runs[0].value > 0
    guard isEqual || count <= MP4Track.largestSampleCount, count <= Int(UInt32.max),
      syncs.runs.allSatisfy(\.value) || count <= MP4Track.largestSampleCount
    else { throw .refused(reason: localized("the video has too many samples")) }
    var tables = [durations.box("stts") { UInt64($0) }, sizeTable, chunkTable]
    let isLong = chunks.contains { $0.offset > UInt64(UInt32.max) }
    tables.append(MP4SampleTable.offsetBox(chunks.map(\.offset), isLong: isLong))
    if !syncs.runs.allSatisfy(\.value) { tables.append(syncTable) }
    if offsets.runs.contains(where: { $0.value != 0 }) {
      let isSigned = offsets.runs.contains { $0.value < 0 }
      tables.append(offsets.box("ctts", version: isSigned ? 1 : 0) { UInt64(UInt32(truncatingIfNeeded: $0)) })
    }
    track.changeSampleTable { table in
      table.keep { !Self.replaced.contains($0.type) }
      table.children? += tables
    }
  }

  private var sizeTable: MP4Box {
    let equal = count == 0 ? 0 : sizes.runs.count == 1 ? UInt64(sizes.runs[0].value) : 0
    var bytes = BigEndian.words(0, equal, UInt64(count))
    guard equal == 0 else { return MP4Box("stsz", bytes) }
    bytes.reserveCapacity(12 + 4 * count)
    for run in sizes.runs {
      for _ in 0..<run.count { BigEndian.append(UInt64(run.value), 4, to: &bytes) }
    }
    return MP4Box("stsz", bytes)
  }

  private var chunkTable: MP4Box {
    var rows: [UInt8] = []
    var last: (samples: Int, description: UInt32)?
    for (number, chunk) in chunks.enumerated() {
      if let last, last == (chunk.samples.count, chunk.description) { continue }
      rows += BigEndian.words(UInt64(number + 1), UInt64(chunk.samples.count), UInt64(chunk.description))
      last = (chunk.samples.count, chunk.description)
    }
    return MP4Box("stsc", BigEndian.words(0, UInt64(rows.count / 12)) + rows)
  }

  private var syncTable: MP4Box {
    var (rows, sample): ([UInt8], UInt64) = ([], 1)
    for run in syncs.runs {
      if run.value { for number in 0..<UInt64(run.count) { BigEndian.append(sample + number, 4, to: &rows) } }
      sample += UInt64(run.count)
    }
    return MP4Box("stss", BigEndian.words(0, UInt64(rows.count / 4)) + rows)
  }
}
