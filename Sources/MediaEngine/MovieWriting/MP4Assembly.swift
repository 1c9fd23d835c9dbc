// Puts tracks of several MP4s into one file, without touching a sample.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An MP4 that is put together: one file's index with its picture, and the sound of another.
///
/// The index comes first, so that players can start at once; chunks of picture and sound follow in the order of their
/// times.
struct MP4Assembly {
  /// A track of the result.
  private struct Part {
    var track: MP4Track
    var stretch: MovieStretch
    /// Which samples are kept.
    var samples: Range<Int>
    /// Pieces of the source's chunks, in order.
    var chunks: [MP4Track.Chunk]
    /// Before the first sample nothing is shown for so long, in seconds.
    var emptyTime: Double
    /// From where in the kept samples it is shown, in the track's units.
    var mediaStart: UInt64
    /// How long it is shown after that, in seconds; `nil` leaves the source's edit list as it is.
    var shownTime: Double?
  }

  private let primary: MP4Index
  private var parts: [Part] = []
  /// What the result says of itself besides: when it was made, where, with what. `nil` leaves what the picture's file says.
  var facts: MP4Index?
  private var created: UInt32? { facts?.created }

  /// - Parameter primary: Whose picture it is.
  /// - Throws: `EditError.encoding` when it has none.
  init(_ primary: MP4Index) throws(EditError) {
    self.primary = primary
    guard let picture = primary.picture else { throw .encoding(reason: "the encoded movie has no picture") }
    parts.append(
      Part(
        track: picture, stretch: primary.stretch, samples: 0..<picture.sizes.count, chunks: picture.chunks,
        emptyTime: picture.emptyTime, mediaStart: picture.mediaStart))
  }

  /// Adds the sound of another movie, or a stretch of it.
  ///
  /// Packets are kept whole: the edit list says from where within the first one it is heard, and for how long. One packet
  /// more is kept in front, from which a decoder of AAC takes the second half of its overlap.
  ///
  /// - Parameters:
  ///   - window: What is heard, in seconds of the source; `nil` is all of it.
  mutating func addSound(of source: MP4Index, window: ClosedRange<Double>?) {
    guard let sound = source.sound, !sound.sizes.isEmpty else { return }
    guard let window else {
      parts.append(
        Part(
          track: sound, stretch: source.stretch, samples: 0..<sound.sizes.count, chunks: sound.chunks,
          emptyTime: sound.emptyTime, mediaStart: sound.mediaStart))
      // The edit list counts in the other movie's units.
      let played = Double(sound.duration - min(sound.duration, sound.mediaStart)) / Double(sound.timescale)
      parts[parts.count - 1].shownTime = sound.shownTime(in: source) ?? played
      return
    }
    let unit = Double(sound.timescale)
    let start = max(0, window.lowerBound - sound.emptyTime)
    let end = max(0, window.upperBound - sound.emptyTime)
    guard end > start else { return }
    let mediaStart = sound.mediaStart + UInt64((start * unit).rounded())
    let mediaEnd = min(sound.duration, sound.mediaStart + UInt64((end * unit).rounded()))
    guard mediaEnd > mediaStart else { return }
    let first = max(0, sound.sample(at: mediaStart) - 1)
    let last = sound.sample(at: mediaEnd - 1)
    let samples = first..<last + 1
    parts.append(
      Part(
        track: sound, stretch: source.stretch, samples: samples, chunks: sound.chunks(within: samples),
        emptyTime: max(0, sound.emptyTime - window.lowerBound),
        mediaStart: mediaStart - sound.start(ofSample: first),
        shownTime: Double(mediaEnd - mediaStart) / unit))
  }

  var hasSound: Bool { parts.count > 1 }

  /// Writes the file; a name that is taken is an error. Nothing is left behind when it fails.
  ///
  /// - Parameter isCancelled: Asked now and then.
  /// - Throws: An `EditError`, or `CancellationError`.
  func write(to url: URL, isCancelled: () -> Bool) throws {
    let order = interleaved()
    let byteCount = order.reduce(UInt64(0)) { $0 + parts[$1.part].chunks[$1.chunk].byteCount }
    let type = try typeBox()
    // The index is as long whatever the places in it are.
    let length = UInt64(type.count + index(places: [:]).count + 8)
    guard length + byteCount <= UInt64(UInt32.max) else {
      throw EditError.writing(reason: "the movie would be longer than 4 GB")
    }
    var places: [Int: [UInt32]] = [:]
    var position = length
    for (part, chunk) in order {
      places[part, default: []].append(UInt32(position))
      position += parts[part].chunks[chunk].byteCount
    }
    let head = type + index(places: places) + Self.bytes(UInt32(byteCount + 8)) + Array("mdat".utf8)
    let file = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw Self.failure(errno, url) }
    do {
      try Self.write(head, to: file, url)
      for (part, chunk) in order {
        if isCancelled() { throw CancellationError() }
        try copy(parts[part].chunks[chunk], of: parts[part].stretch, to: file, url)
      }
    } catch {
      close(file)
      unlink(url.path)
      throw error
    }
    // Some file systems say only now that the disk is full.
    guard close(file) == 0 else {
      let code = errno
      unlink(url.path)
      throw Self.failure(code, url)
    }
  }

  // MARK: Order

  /// All chunks by the times at which they are needed.
  private func interleaved() -> [(part: Int, chunk: Int)] {
    var all: [(time: Double, part: Int, chunk: Int)] = []
    for (number, part) in parts.enumerated() {
      var (time, run, left) = (UInt64(0), 0, part.track.durations.first?.count ?? 0)
      var sample = 0
      for (index, chunk) in part.chunks.enumerated() {
        while sample < chunk.samples.lowerBound, run < part.track.durations.count {
          let step = min(left, chunk.samples.lowerBound - sample)
          time &+= UInt64(step) &* UInt64(part.track.durations[run].duration)
          sample += step
          left -= step
          if left == 0 {
            run += 1
            if run < part.track.durations.count { left = part.track.durations[run].count }
          }
        }
        all.append((Double(time) / Double(part.track.timescale), number, index))
      }
    }
    // Chunks of one track stay in order also where their times don't rise.
    return all.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map { ($0.element.part, $0.element.chunk) }
  }

  // MARK: Index

  private func typeBox() throws -> [UInt8] {
    let head = try primary.stretch.bytes(at: 0, count: Int(min(256, primary.stretch.count)))
    let size = head.count >= 8 ? Int(MovieFile.number(at: 0, in: head)) : 0
    guard (16...head.count).contains(size), Array(head[4..<8]) == Array("ftyp".utf8) else {
      throw EditError.encoding(reason: "the encoded movie does not begin as an MP4")
    }
    return Array(head[..<size])
  }

  /// The `moov` box.
  ///
  /// - Parameter places: Of the chunks, a list for each part; zeros where there is none.
  private func index(places: [Int: [UInt32]]) -> [UInt8] {
    let tracks = parts.enumerated().map { number, part in
      track(part, id: UInt32(number + 1), places: places[number] ?? part.chunks.map { _ in 0 })
    }
    let longest = tracks.map(\.duration).max() ?? 0
    var content: [UInt8] = []
    for box in MovieFile.boxes(in: primary.bytes[primary.box.content]) {
      switch box.type {
      case "mvhd": content += movieHead(Array(primary.bytes[box.range]), duration: longest)
      case "trak": continue
      case "udta", "meta":
        if facts == nil { content += primary.bytes[box.range] }
      default: content += primary.bytes[box.range]
      }
      if box.type == "mvhd" { for track in tracks { content += track.bytes } }
    }
    if let facts {
      for box in MovieFile.boxes(in: facts.bytes[facts.box.content]) where ["udta", "meta"].contains(box.type) {
        content += facts.bytes[box.range]
      }
    }
    return Self.box("moov", content)
  }

  private func movieHead(_ box: [UInt8], duration: UInt64) -> [UInt8] {
    var box = box
    Self.setHead(&box, created: created, duration: duration, durationAt: (16, 24))
    Self.set(UInt32(parts.count + 1), at: box.count - 4, in: &box)
    return box
  }

  private func track(_ part: Part, id: UInt32, places: [UInt32]) -> (bytes: [UInt8], duration: UInt64) {
    let track = part.track
    // In the movie's units.
    let unit = Double(primary.timescale)
    let empty = UInt64((part.emptyTime * unit).rounded())
    let shown = part.shownTime.map { UInt64(($0 * unit).rounded()) }
    var duration: UInt64 = 0
    var content: [UInt8] = []
    for box in MovieFile.boxes(in: track.bytes[track.box.content]) {
      var bytes = Array(track.bytes[box.range])
      switch box.type {
      case "tkhd":
        let isLong = bytes[8] == 1
        duration = shown.map { empty + $0 } ?? Self.duration(ofTrackHead: bytes)
        Self.setHead(&bytes, created: created, duration: duration, durationAt: (20, 28))
        Self.set(id, at: 8 + (isLong ? 20 : 12), in: &bytes)
        content += bytes
        if let shown { content += Self.edits(empty: empty, shown: shown, mediaStart: part.mediaStart) }
      case "edts":
        // That of another movie counts in other units.
        if shown == nil { content += bytes }
      case "mdia": content += media(part, box, places)
      case "tref": continue
      default: content += bytes
      }
    }
    return (Self.box("trak", content), duration)
  }

  private func media(_ part: Part, _ media: MovieFile.Box, _ places: [UInt32]) -> [UInt8] {
    let bytes = part.track.bytes
    var content: [UInt8] = []
    for box in MovieFile.boxes(in: bytes[media.content]) {
      switch box.type {
      case "mdhd":
        var head = Array(bytes[box.range])
        let duration =
          part.track.start(ofSample: part.samples.upperBound) - part.track.start(ofSample: part.samples.lowerBound)
        let isWhole = part.samples.count == part.track.sizes.count
        Self.setHead(&head, created: created, duration: isWhole ? nil : duration, durationAt: (16, 24))
        content += head
      case "minf":
        var inner: [UInt8] = []
        for child in MovieFile.boxes(in: bytes[box.content]) {
          inner += child.type == "stbl" ? table(part, child, places) : Array(bytes[child.range])
        }
        content += Self.box("minf", inner)
      default: content += bytes[box.range]
      }
    }
    return Self.box("mdia", content)
  }

  private func table(_ part: Part, _ table: MovieFile.Box, _ places: [UInt32]) -> [UInt8] {
    let bytes = part.track.bytes
    let isWhole = part.samples.count == part.track.sizes.count
    var content: [UInt8] = []
    for box in MovieFile.boxes(in: bytes[table.content]) {
      switch box.type {
      case "stco", "co64", "stsc": continue
      // Of a sound that is cut; none of these say anything about AAC that a player needs.
      case "stts", "stsz", "stss", "ctts", "sgpd", "sbgp", "sdtp", "subs", "saiz", "saio":
        if isWhole { content += bytes[box.range] }
      default: content += bytes[box.range]
      }
    }
    if !isWhole { content += part.track.timeAndSizeTables(of: part.samples) }
    var rows: [UInt32] = []
    for (number, chunk) in part.chunks.enumerated() {
      let row = [UInt32(chunk.samples.count), chunk.description]
      if rows.suffix(2).elementsEqual(row) { continue }
      rows += [UInt32(number + 1)] + row
    }
    return Self.box(
      "stbl",
      content + Self.fullBox("stsc", Self.bytes(UInt32(rows.count / 3)) + rows.flatMap(Self.bytes))
        + Self.fullBox("stco", Self.bytes(UInt32(places.count)) + places.flatMap(Self.bytes)))
  }

  private static func edits(empty: UInt64, shown: UInt64, mediaStart: UInt64) -> [UInt8] {
    var rows: [UInt8] = []
    if empty > 0 { rows += bytes(UInt32(clamping: empty)) + bytes(.max) + bytes(0x1_0000) }
    rows += bytes(UInt32(clamping: shown)) + bytes(UInt32(clamping: mediaStart)) + bytes(0x1_0000)
    return box("edts", fullBox("elst", bytes(UInt32(rows.count / 12)) + rows))
  }

  // MARK: Boxes

  static func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    bytes(UInt32(content.count + 8)) + Array(type.utf8) + content
  }

  /// A box with version and flags, which are 0.
  static func fullBox(_ type: String, _ content: [UInt8]) -> [UInt8] { box(type, bytes(0) + content) }

  private static func set(_ number: UInt32, at position: Int, in box: inout [UInt8]) {
    guard position >= 0, position + 4 <= box.count else { return }
    for (index, byte) in bytes(number).enumerated() { box[position + index] = byte }
  }

  private static func duration(ofTrackHead box: [UInt8]) -> UInt64 {
    guard box.count >= 48 else { return 0 }
    return box[8] == 1
      ? UInt64(MovieFile.number(at: 36, in: box)) << 32 | UInt64(MovieFile.number(at: 40, in: box))
      : UInt64(MovieFile.number(at: 28, in: box))
  }

  /// Writes times into `mvhd`, `tkhd` or `mdhd`, of version 0 or 1.
  ///
  /// - Parameter durationAt: Where the duration stands in the box's content, in version 0 and 1.
  private static func setHead(
    _ box: inout [UInt8], created: UInt32?, duration: UInt64?, durationAt: (Int, Int)
  ) {
    guard box.count > 8 else { return }
    let isLong = box[8] == 1
    if let created {
      for place in isLong ? [16, 24] : [12, 16] { set(created, at: place, in: &box) }
    }
    guard let duration else { return }
    if isLong {
      set(UInt32(truncatingIfNeeded: duration >> 32), at: 8 + durationAt.1, in: &box)
      set(UInt32(truncatingIfNeeded: duration), at: 8 + durationAt.1 + 4, in: &box)
    } else {
      set(UInt32(clamping: duration), at: 8 + durationAt.0, in: &box)
    }
  }

  // MARK: File

  /// At a time, in bytes.
  private static let step = 1 << 20

  private func copy(_ chunk: MP4Track.Chunk, of stretch: MovieStretch, to file: Int32, _ url: URL) throws(EditError) {
    var done: UInt64 = 0
    while done < chunk.byteCount {
      let count = Int(min(UInt64(Self.step), chunk.byteCount - done))
      try Self.write(try stretch.bytes(at: chunk.offset + done, count: count), to: file, url)
      done += UInt64(count)
    }
  }

  private static func write(_ bytes: [UInt8], to file: Int32, _ url: URL) throws(EditError) {
    if let problem = MovieOutput.write(bytes, to: file) { throw failure(problem, url) }
  }

  private static func failure(_ code: Int32, _ url: URL) -> EditError {
    .writing(reason: MovieOutput.words(code, url.deletingLastPathComponent()))
  }
}

extension MP4Track {
  /// The chunks, cut to a range of samples.
  func chunks(within kept: Range<Int>) -> [Chunk] {
    chunks.compactMap { chunk in
      let samples = chunk.samples.clamped(to: kept)
      guard !samples.isEmpty else { return nil }
      func size(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 + UInt64(sizes[$1]) } }
      return Chunk(
        offset: chunk.offset + size(chunk.samples.lowerBound..<samples.lowerBound), samples: samples,
        byteCount: size(samples), description: chunk.description)
    }
  }

  /// How long the edit list shows it, in seconds; `nil` without one.
  func shownTime(in movie: MP4Index) -> Double? {
    guard let head = MovieFile.child("tkhd", of: box, in: bytes), head.content.count >= 84,
      MovieFile.child("edts", "elst", of: box, in: bytes) != nil
    else { return nil }
    let start = head.content.lowerBound
    let duration =
      bytes[start] == 1
      ? UInt64(MovieFile.number(at: start + 28, in: bytes)) << 32 | UInt64(MovieFile.number(at: start + 32, in: bytes))
      : UInt64(MovieFile.number(at: start + 20, in: bytes))
    let seconds = Double(duration) / Double(movie.timescale) - emptyTime
    return seconds > 0 ? seconds : nil
  }

  /// `stts` and `stsz` of some of the samples.
  fileprivate func timeAndSizeTables(of kept: Range<Int>) -> [UInt8] {
    var runs: [(UInt32, UInt32)] = []
    var first = 0
    for run in durations {
      let common = (first..<first + run.count).clamped(to: kept)
      if !common.isEmpty { runs.append((UInt32(common.count), run.duration)) }
      first += run.count
    }
    let times = runs.flatMap { MP4Assembly.bytes($0.0) + MP4Assembly.bytes($0.1) }
    return MP4Assembly.fullBox("stts", MP4Assembly.bytes(UInt32(runs.count)) + times)
      + MP4Assembly.fullBox(
        "stsz",
        MP4Assembly.bytes(0) + MP4Assembly.bytes(UInt32(kept.count))
          + kept.flatMap { MP4Assembly.bytes(sizes[$0]) })
  }
}
