// Fragments in which the muxer has left out sizes and durations of samples, with both.

/// Completes the description of a movie's fragment (ISO/IEC 14496-12, 8.8), which keeps its length.
///
/// GStreamer's `mp4mux` (1.22) leaves out the size and the duration of a sample that stands alone in its run where they
/// are those of the first one of its track and fragment, without writing those as the default. FFmpeg refuses the whole
/// movie then. With sound of variable rate that happens once in a few seconds; a movie that is finished has an index
/// without that fault.
///
/// The room for both comes from the base of the offsets: a track that takes eight bytes to say where its samples begin
/// counts from its fragment instead (`default-base-is-moof`).
public enum MP4FragmentRepair {
  private static let hasBase: UInt64 = 0x1
  private static let hasDescription: UInt64 = 0x2
  private static let hasDuration: UInt64 = 0x8
  private static let hasSize: UInt64 = 0x10
  private static let hasFlags: UInt64 = 0x20
  private static let countsFromFragment: UInt64 = 0x2_0000

  /// Completes a fragment's description in place.
  ///
  /// - Parameters:
  ///   - bytes: A whole `moof` box.
  ///   - position: Its offset in the file.
  /// - Returns: Whether anything was missing and is there now. A fragment that can't be understood stays as it is.
  @discardableResult
  public static func repair(_ bytes: inout [UInt8], at position: UInt64) -> Bool {
    var isRepaired = false
    guard bytes.count > 8 else { return false }
    for track in boxes("traf", in: 8..<bytes.count, of: bytes) {
      if repair(track: track, of: &bytes, at: position) { isRepaired = true }
    }
    return isRepaired
  }

  /// The header of a track's fragment.
  private struct Header {
    var range: Range<Int>
    var flags: UInt64
    var base: UInt64
    var description: UInt64?
    var duration: UInt64?
    var size: UInt64?
    var sampleFlags: UInt64?
  }

  /// - Parameter track: The content of the `traf` box.
  private static func repair(track: Range<Int>, of bytes: inout [UInt8], at position: UInt64) -> Bool {
    guard let header = boxes("tfhd", in: track, of: bytes).first.flatMap({ header(in: $0, of: bytes) }) else {
      return false
    }
    let runs = boxes("trun", in: track, of: bytes).filter { $0.count >= 12 }
    guard let first = runs.first, let example = firstSample(in: first, of: bytes) else { return false }
    let flags = runs.map { number(bytes, $0.lowerBound + 1, 3) }
    let isWithoutSize = header.size == nil && flags.contains { $0 & 0x200 == 0 }
    let isWithoutDuration = header.duration == nil && flags.contains { $0 & 0x100 == 0 }
    guard isWithoutSize || isWithoutDuration, let size = header.size ?? example.size,
      let duration = header.duration ?? example.duration, flags.allSatisfy({ $0 & 0x1 != 0 })
    else { return false }

    let shift = Int64(bitPattern: header.base) - Int64(bitPattern: position)
    var offsets: [(index: Int, offset: Int32)] = []
    for run in runs {
      let old = Int64(Int32(truncatingIfNeeded: number(bytes, run.lowerBound + 8, 4)))
      guard let new = Int32(exactly: old + shift) else { return false }
      offsets.append((run.lowerBound + 8, new))
    }
    var content: [UInt8] = []
    var fields = countsFromFragment | hasDuration | hasSize
    for (flag, value) in [
      (hasDescription, header.description), (hasDuration, duration), (hasSize, size), (hasFlags, header.sampleFlags),
    ] {
      guard let value else { continue }
      fields |= flag
      BigEndian.append(value, 4, to: &content)
    }
    let room = header.range.count - 8
    if content.count + 4 == room, header.description == nil {
      // The default would be the same: all samples of ours have the first description.
      content = BigEndian.words(1) + content
      fields |= hasDescription
    }
    guard content.count == room else { return false }
    // The version and the track stay.
    write(fields, 3, to: &bytes, at: header.range.lowerBound + 1)
    bytes.replaceSubrange(header.range.lowerBound + 8..<header.range.upperBound, with: content)
    for (index, offset) in offsets { write(UInt64(UInt32(bitPattern: offset)), 4, to: &bytes, at: index) }
    return true
  }

  /// - Returns: `nil` for one without a base of its own, and for a damaged one.
  private static func header(in range: Range<Int>, of bytes: [UInt8]) -> Header? {
    guard range.count >= 16 else { return nil }
    let flags = number(bytes, range.lowerBound + 1, 3)
    guard flags & hasBase != 0, flags & countsFromFragment == 0 else { return nil }
    var header = Header(range: range, flags: flags, base: number(bytes, range.lowerBound + 8, 8))
    var at = range.lowerBound + 16
    for (flag, field) in [
      (hasDescription, \Header.description), (hasDuration, \.duration), (hasSize, \.size), (hasFlags, \.sampleFlags),
    ] as [(UInt64, WritableKeyPath<Header, UInt64?>)] where flags & flag != 0 {
      guard at + 4 <= range.upperBound else { return nil }
      header[keyPath: field] = number(bytes, at, 4)
      at += 4
    }
    return at == range.upperBound ? header : nil
  }

  /// What the first sample of a run says itself.
  private static func firstSample(in run: Range<Int>, of bytes: [UInt8]) -> (size: UInt64?, duration: UInt64?)? {
    let flags = number(bytes, run.lowerBound + 1, 3)
    guard number(bytes, run.lowerBound + 4, 4) > 0 else { return nil }
    var at = run.lowerBound + 8 + (flags & 0x1 != 0 ? 4 : 0) + (flags & 0x4 != 0 ? 4 : 0)
    var sample: (size: UInt64?, duration: UInt64?) = (nil, nil)
    for flag in [0x100, 0x200] as [UInt64] where flags & flag != 0 {
      guard at + 4 <= run.upperBound else { return nil }
      if flag == 0x100 { sample.duration = number(bytes, at, 4) } else { sample.size = number(bytes, at, 4) }
      at += 4
    }
    return sample
  }

  /// The contents of the boxes of a type that follow each other in a range.
  private static func boxes(_ type: MP4Type, in range: Range<Int>, of bytes: [UInt8]) -> [Range<Int>] {
    guard range.upperBound <= bytes.count, !range.isEmpty else { return [] }
    var walker = MP4BoxWalker(
      MemoryReader(bytes[...]), in: UInt64(range.lowerBound)..<UInt64(range.upperBound), limit: range.count / 8 + 1)
    var found: [Range<Int>] = []
    while let box = walker.next() {
      if box.type == type { found.append(Int(box.content.lowerBound)..<Int(box.content.upperBound)) }
    }
    return found
  }

  private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> UInt64 {
    BigEndian.number(bytes, at: at, count: count)
  }

  private static func write(_ number: UInt64, _ count: Int, to bytes: inout [UInt8], at index: Int) {
    for place in 0..<count {
      bytes[index + place] = UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - place)))
    }
  }
}
