// The ordinary index of a movie in fragments.

import Localization

extension MP4Fragments {
  /// Makes the `moov` box of a movie in fragments that of an ordinary movie, with all samples in its tables.
  ///
  /// - Parameters:
  ///   - timescale: Of the movie, in units a second.
  ///   - refusals: The reasons why tracks are left out, by media type.
  func complete(_ movie: inout MP4Box, timescale: UInt32, refusals: inout [MP4Type: FormatError]) {
    // A broadcast that was joined late begins at no track's zero; what counts is which track begins later, and by how much.
    let start = movie.tracks.compactMap { self.start(of: $0) }.min() ?? 0
    var children: [MP4Box] = []
    var longest: UInt64 = 0
    for var box in movie.children ?? [] where box.type != "mvex" {
      if box.type == "trak" {
        do throws(FormatError) {
          try complete(&box, timescale: timescale, movieStart: start)
        } catch {
          if let handler = box.handler { refusals[handler] = error }
          continue
        }
        longest = max(longest, box.shownDuration)
      }
      children.append(box)
    }
    movie.children = children
    movie.changeAll("mvhd") { $0.setDuration(longest, at: (16, 24)) }
  }

  /// When the first sample of a track is decoded, in seconds; `nil` for one without samples.
  private func start(of track: MP4Box) -> Double? {
    guard let id = try? track.trackID(), let samples = tracks[id]?.samples, samples.count > 0,
      let head = track.child("mdia", "mdhd"), let units = try? head.number(at: head.isLong ? 20 : 12, 4), units > 0
    else { return nil }
    return Double(samples.start) / Double(units)
  }

  private func complete(_ track: inout MP4Box, timescale: UInt32, movieStart: Double) throws(FormatError) {
    // A damaged one is refused by whoever reads its tables.
    guard let id = try? track.trackID(), let fragments = tracks[id], let head = track.child("mdia", "mdhd")
    else { return }
    guard !fragments.isEncrypted else { throw .refused(reason: localized("the video is copy-protected")) }
    let mediaTimescale = try head.number(at: head.isLong ? 20 : 12, 4)
    guard mediaTimescale > 0 else { throw .refused(reason: localized("the video has no time scale")) }
    try fragments.samples.write(into: &track)
    let media = fragments.samples.duration
    track.changeAll("mdia") { box in box.changeAll("mdhd") { $0.setDuration(media, at: (16, 24)) } }

    func units(_ time: UInt64) -> UInt64 {
      MP4Track.units(Double(time) / Double(mediaTimescale), timescale: timescale)
    }
    let wait = MP4Track.units(
      Double(fragments.samples.start) / Double(mediaTimescale) - movieStart, timescale: timescale)
    var edits = track.child("edts", "elst").map { MP4EditList($0) } ?? MP4EditList()
    if let last = edits.rows.indices.last, edits.rows.dropLast().allSatisfy(\.isEmpty), !edits.rows[last].isEmpty {
      // It lasted as long as the samples that were there when it was written.
      edits.rows[last].duration = units(media - min(media, edits.rows[last].media))
    }
    if wait > 0 {
      if edits.rows.isEmpty { edits.rows = [MP4EditList.Row(duration: units(media), media: 0)] }
      edits.rows.insert(MP4EditList.Row(duration: wait, media: MP4EditList.nothing), at: 0)
    }
    if !edits.rows.isEmpty {
      track["edts"] = nil
      let place = (track.children?.firstIndex { $0.type == "tkhd" } ?? -1) + 1
      track.children?.insert(MP4Box("edts", children: [edits.box]), at: place)
    }
    let shown = edits.rows.isEmpty ? units(media) : edits.rows.reduce(0) { $0 &+ min($1.duration, .max / 4) }
    track.changeAll("tkhd") { $0.setDuration(shown, at: (20, 28)) }
  }
}

/// The edit list of a track (`elst`, ISO/IEC 14496-12, 8.6.6).
struct MP4EditList {
  struct Row {
    /// In the movie's units.
    var duration: UInt64
    /// Where in the media it begins, in the track's units; `nothing` for an empty edit.
    var media: UInt64
    /// 16.16.
    var rate: UInt64 = 0x1_0000

    var isEmpty: Bool { media == MP4EditList.nothing }
  }

  /// Shows nothing.
  static let nothing = UInt64.max

  var rows: [Row] = []

  init() {}

  /// Reads a box, as far as it has rows.
  init(_ box: MP4Box) {
    let (number, row) = box.isLong ? (8, 20) : (4, 12)
    let count = (try? box.number(at: 4, 4)).map { Int($0) } ?? 0
    for start in stride(from: 8, to: 8 + row * min(count, max(0, (box.bytes.count - 8) / row)), by: row) {
      let media = BigEndian.number(box.bytes[...], at: start + number, count: number)
      rows.append(
        Row(
          duration: BigEndian.number(box.bytes[...], at: start, count: number),
          media: media == (box.isLong ? .max : UInt64(UInt32.max)) ? Self.nothing : media,
          rate: BigEndian.number(box.bytes[...], at: start + 2 * number, count: 4)))
    }
  }

  /// The box, with numbers of 64 bits where they need them.
  var box: MP4Box {
    let isLong = rows.contains { $0.duration > UInt64(UInt32.max) || !$0.isEmpty && $0.media >= UInt64(UInt32.max) }
    var bytes = BigEndian.words(isLong ? 0x0100_0000 : 0, UInt64(rows.count))
    for row in rows {
      BigEndian.append(row.duration, isLong ? 8 : 4, to: &bytes)
      BigEndian.append(row.media, isLong ? 8 : 4, to: &bytes)
      BigEndian.append(row.rate, 4, to: &bytes)
    }
    return MP4Box("elst", bytes)
  }
}

extension MP4Box {
  /// Writes the duration of `mvhd`, `tkhd` or `mdhd`.
  ///
  /// - Parameter offsets: Of the duration in version 0 and 1.
  fileprivate mutating func setDuration(_ duration: UInt64, at offsets: (Int, Int)) {
    if isLong {
      setNumber(duration, at: offsets.1, 8)
    } else {
      setNumber(min(duration, UInt64(UInt32.max)), at: offsets.0, 4)
    }
  }
}
