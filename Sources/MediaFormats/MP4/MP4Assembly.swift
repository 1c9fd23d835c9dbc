// A movie made of the tracks of several MP4s, whose samples stay as they are.

import Foundation
import Localization

/// An MP4 that is put together: one file's index with its picture, and the sound of another.
///
///     var assembly = MP4Assembly(encoded)
///     assembly.addSound(of: source, window: 0.5...2)
///     for piece in try assembly.pieces() { … }
///
/// The index comes first, so that players can start at once; chunks of picture and sound follow in the order of their
/// times.
public struct MP4Assembly {
  /// A track of the result.
  private struct Part {
    var track: MP4Track
    var source: any ByteSource
    /// The samples that are kept.
    var samples: Range<Int>
    /// The chunks of the source, cut to these samples, in order.
    var chunks: [MP4Track.Chunk]
    /// The empty time before the first sample, in seconds.
    var emptyTime: Double
    /// The time in the kept samples at which it begins to be shown, in the track's units.
    var mediaStart: UInt64
    /// The presented duration after that, in seconds; `nil` leaves the source's edit list as it is.
    var shownTime: Double?

    var isWhole: Bool { samples.count == track.sizes.count }
  }

  private let primary: MP4Index
  private var parts: [Part] = []
  /// The movie whose creation time and user data the result takes; `nil` for those of the picture's file.
  public var metadataSource: MP4Index?
  private var created: UInt32? { metadataSource?.created }

  /// - Parameter primary: The movie with the picture.
  public init(_ primary: MP4Index) {
    self.primary = primary
    guard let picture = primary.picture else { return }
    parts.append(
      Part(
        track: picture, source: primary.source, samples: 0..<picture.sizes.count, chunks: picture.chunks,
        emptyTime: picture.emptyTime, mediaStart: picture.mediaStart))
  }

  /// Adds the sound of another movie, or a part of it.
  ///
  /// Packets are kept whole; the edit list states where in the first one the sound begins, and how long it lasts. One more
  /// packet is kept in front, from which an AAC decoder takes the second half of its overlap.
  ///
  /// - Parameters:
  ///   - window: The part that is heard, in seconds of the source; `nil` is all of it.
  public mutating func addSound(of source: MP4Index, window: ClosedRange<Double>?) {
    guard let sound = source.sound, sound.sizes.count > 0 else { return }
    guard let window else {
      // The edit list counts in the other movie's units.
      let played = Double(sound.duration - min(sound.duration, sound.mediaStart)) / Double(sound.timescale)
      parts.append(
        Part(
          track: sound, source: source.source, samples: 0..<sound.sizes.count, chunks: sound.chunks,
          emptyTime: sound.emptyTime, mediaStart: sound.mediaStart,
          shownTime: sound.shownTime(movieTimescale: source.timescale) ?? played))
      return
    }
    // Far from an overflow: a track begins at 2^62 at the latest, and no movie has more than 2^52 units.
    let mediaStart = sound.mediaStart + sound.units(window.lowerBound - sound.emptyTime)
    let mediaEnd = min(sound.duration, sound.mediaStart + sound.units(window.upperBound - sound.emptyTime))
    guard mediaEnd > mediaStart else { return }
    let first = max(0, sound.sample(at: mediaStart) - 1)
    let last = sound.sample(at: mediaEnd - 1)
    let samples = first..<last + 1
    parts.append(
      Part(
        track: sound, source: source.source, samples: samples, chunks: sound.chunks(within: samples),
        emptyTime: max(0, sound.emptyTime - window.lowerBound),
        mediaStart: mediaStart - min(mediaStart, sound.start(ofSample: first)),
        shownTime: Double(mediaEnd - mediaStart) / Double(sound.timescale)))
  }

  public var hasSound: Bool { parts.contains { $0.track.handler == "soun" } }

  /// The pieces of the file, in order.
  ///
  /// - Throws: `FormatError.refused` when the primary movie has no picture or doesn't begin as an MP4, or the result would
  ///   exceed 4 GB.
  public func pieces() throws(FormatError) -> [BytePiece<any ByteSource>] {
    guard primary.picture != nil else { throw .refused(reason: localized("the encoded video has no picture")) }
    guard let fileType = primary.fileType else {
      throw .refused(reason: localized("the encoded video isn’t an MP4 file"))
    }
    let order = interleaved()
    // Chunks may lie upon each other, so that together they are longer than their file.
    let tooLong = FormatError.refused(reason: localized("the video would be larger than 4 GB"))
    var byteCount: UInt64 = 0
    for (part, chunk) in order {
      byteCount += parts[part].chunks[chunk].byteCount
      guard byteCount <= UInt64(UInt32.max) else { throw tooLong }
    }
    // The index has the same length whatever the offsets in it are.
    let start = UInt64(fileType.count + index(offsets: parts.map { $0.chunks.map { _ in 0 } }).count + 8)
    guard start + byteCount <= UInt64(UInt32.max) else { throw tooLong }
    var offsets = parts.map { _ in [UInt64]() }
    var position = start
    for (part, chunk) in order {
      offsets[part].append(position)
      position += parts[part].chunks[chunk].byteCount
    }
    var head: [UInt8] = []
    fileType.write(to: &head)
    index(offsets: offsets).write(to: &head)
    head += BigEndian.words(byteCount + 8) + Array("mdat".utf8)
    return [.bytes(Data(head))]
      + order.map { .file(parts[$0.part].source, parts[$0.part].chunks[$0.chunk].range) }
  }

  /// All chunks in the order of the times at which they are needed.
  private func interleaved() -> [(part: Int, chunk: Int)] {
    var all: [(time: Double, part: Int, chunk: Int)] = []
    for (number, part) in parts.enumerated() {
      var (time, run, left) = (UInt64(0), 0, part.track.durations.first?.count ?? 0)
      var sample = 0
      for (index, chunk) in part.chunks.enumerated() {
        while sample < chunk.samples.lowerBound, run < part.track.durations.count {
          let step = min(left, chunk.samples.lowerBound - sample)
          time = MP4Track.end(of: step, lasting: part.track.durations[run].duration, from: time)
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

  /// The `moov` box.
  ///
  /// - Parameter offsets: Of the chunks of each part.
  private func index(offsets: [[UInt64]]) -> MP4Box {
    let tracks = parts.enumerated().map { number, part in
      track(part, id: UInt64(number + 1), offsets: offsets[number])
    }
    var movie = MP4Box("moov", children: [])
    for var box in primary.movie.children ?? [] {
      switch box.type {
      case "mvhd":
        box.setTimes(created: created, duration: tracks.map(\.shownDuration).max() ?? 0, durationAt: (16, 24))
        // The next track's id comes last.
        box.setNumber(UInt64(parts.count + 1), at: box.bytes.count - 4, 4)
        movie.children? += [box] + tracks
      case "trak": continue
      case "udta", "meta":
        if metadataSource == nil { movie.children?.append(box) }
      default: movie.children?.append(box)
      }
    }
    if let metadataSource {
      movie.children? += metadataSource.movie.children?.filter { ["udta", "meta"].contains($0.type) } ?? []
    }
    return movie
  }

  private func track(_ part: Part, id: UInt64, offsets: [UInt64]) -> MP4Box {
    /// In the movie's units, in which the edit list counts. A source may claim any length.
    func units(_ seconds: Double) -> UInt64 { MP4Track.units(seconds, timescale: primary.timescale) }
    let empty = units(part.emptyTime)
    let shown = part.shownTime.map { units($0) }
    var track = part.track.box
    // References to tracks of another movie mean nothing here.
    track.keep { $0.type != "tref" && ($0.type != "edts" || shown == nil) }
    guard let index = track.children?.firstIndex(where: { $0.type == "tkhd" }), var head = track.children?[index]
    else { return track }
    head.setTimes(created: created, duration: shown.map { empty + $0 } ?? track.shownDuration, durationAt: (20, 28))
    head.setNumber(id, at: head.isLong ? 20 : 12, 4)
    track.children?[index] = head
    if let shown {
      track.children?.insert(Self.edits(empty: empty, shown: shown, mediaStart: part.mediaStart), at: index + 1)
    }
    // Times never fall, so this is no less than 0.
    let media =
      part.track.start(ofSample: part.samples.upperBound) - part.track.start(ofSample: part.samples.lowerBound)
    track.changeAll("mdia") { box in
      box.changeAll("mdhd") {
        $0.setTimes(created: created, duration: part.isWhole ? nil : media, durationAt: (16, 24))
      }
    }
    track.changeSampleTable { Self.cut(&$0, to: part, offsets) }
    return track
  }

  /// Makes a sample table that of a part.
  private static func cut(_ table: inout MP4Box, to part: Part, _ offsets: [UInt64]) {
    // Of a sound that is cut; none of these hold anything of AAC that a player needs.
    let perSample: Set<MP4Type> = [
      "stts", "stsz", "stss", "ctts", "sgpd", "sbgp", "sdtp", "subs", "saiz", "saio",
    ]
    table.keep { !["stco", "co64", "stsc"].contains($0.type) && (part.isWhole || !perSample.contains($0.type)) }
    if !part.isWhole { table.children? += part.track.timeAndSizeTables(of: part.samples) }
    var runs: [UInt8] = []
    var last: (samples: Int, description: UInt32)?
    for (number, chunk) in part.chunks.enumerated() {
      if let last, last == (chunk.samples.count, chunk.description) { continue }
      runs += BigEndian.words(UInt64(number + 1), UInt64(chunk.samples.count), UInt64(chunk.description))
      last = (chunk.samples.count, chunk.description)
    }
    table.children? += [
      MP4Box("stsc", BigEndian.words(0, UInt64(runs.count / 12)) + runs),
      MP4SampleTable.offsetBox(offsets, isLong: false),
    ]
  }

  private static func edits(empty: UInt64, shown: UInt64, mediaStart: UInt64) -> MP4Box {
    let most = UInt64(UInt32.max)
    var rows: [UInt8] = []
    if empty > 0 { rows += BigEndian.words(min(empty, most), most, 0x1_0000) }
    rows += BigEndian.words(min(shown, most), min(mediaStart, most), 0x1_0000)
    return MP4Box("edts", children: [MP4Box("elst", BigEndian.words(0, UInt64(rows.count / 12)) + rows)])
  }
}

extension MP4Box {
  /// Writes times into `mvhd`, `tkhd` or `mdhd`.
  ///
  /// - Parameters:
  ///   - created: In seconds since 1904; `nil` leaves it.
  ///   - duration: `nil` leaves it.
  ///   - durationAt: The offset of the duration in version 0 and 1.
  fileprivate mutating func setTimes(created: UInt32?, duration: UInt64?, durationAt: (Int, Int)) {
    if let created {
      // Creation and modification.
      for offset in isLong ? [4, 12] : [4, 8] { setNumber(UInt64(created), at: offset, isLong ? 8 : 4) }
    }
    guard let duration else { return }
    if isLong {
      setNumber(duration, at: durationAt.1, 8)
    } else {
      setNumber(min(duration, UInt64(UInt32.max)), at: durationAt.0, 4)
    }
  }
}
