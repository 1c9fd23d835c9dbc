// Copies of movies with other things said around the same frames: without sound, without a place, or as half of a pair.

import Foundation

/// A movie that is written anew without anything being encoded again: each sample of the tracks that stay is copied byte
/// for byte, its times stay, and only what describes them changes.
///
/// Source: ISO/IEC 14496-12, and Apple's QuickTime File Format.
struct MovieCopy {
  /// What is different in the copy.
  struct Changes: Sendable, Hashable {
    /// The sound track's samples are not in the file any more.
    var dropsSound = false
    /// Nothing that is not known to be free of it is kept: places are written down in many ways.
    var dropsLocation = false
    /// Makes a QuickTime movie that belongs to a still; `nil` leaves the kind of file as it is.
    var pair: ApplePair?
  }

  /// What makes a movie half of an Apple Live Photo.
  struct ApplePair: Sendable, Hashable {
    /// That of the still: a UUID in capital letters.
    var contentIdentifier: String
    /// When the still's frame is shown, in seconds from the movie's start; `nil` for its middle.
    var stillTime: Double?
    /// When it was taken.
    var created: LocalTime
  }

  /// Of a movie's description, in bytes: that of many hours of film is smaller.
  private static let largestDescription: UInt64 = 64 << 20
  /// Boxes at the top; each fragment of a movie is two.
  private static let mostBoxes = 1 << 18
  /// Of all tracks together.
  private static let mostChunks = 1 << 22
  /// In bytes, of boxes that are replaced by as many zeros.
  private static let largestFiller: UInt64 = 16 << 20

  /// The pieces of the copy.
  ///
  /// - Parameters:
  ///   - file: What the movie lies in.
  ///   - range: Where it lies there.
  /// - Throws: `unusableFile` when the movie is damaged, or in a form in which the changes can't be made.
  static func parts(
    of file: ReadableFile, range: Range<UInt64>, _ changes: Changes
  ) throws(PhotoLibraryError) -> [FilePart] {
    if changes == Changes() { return [.file(file, range)] }
    var copy = try Self(file, range)
    return try Self.explaining(file) { () throws(MP4Refusal) in try copy.parts(changes) }
  }

  private static func explaining<R>(
    _ file: ReadableFile, _ body: () throws(MP4Refusal) -> R
  ) throws(PhotoLibraryError) -> R {
    do throws(MP4Refusal) { return try body() } catch {
      throw .unusableFile(path: file.path, reason: error.reason)
    }
  }

  /// A box at the top of the movie.
  private struct TopBox {
    var type: MP4Type
    /// In the file, with its head.
    var range: Range<UInt64>
    var head: UInt64
  }

  private let file: ReadableFile
  private let range: Range<UInt64>
  private let top: [TopBox]
  /// `ftyp`.
  private let kind: MP4Box
  private var movie: MP4Box

  private init(_ file: ReadableFile, _ range: Range<UInt64>) throws(PhotoLibraryError) {
    (self.file, self.range) = (file, range)
    let top = try Self.topBoxes(file, range)
    self.top = top
    kind = MP4Box("ftyp", try Self.content(of: "ftyp", in: top, file))
    let bytes = try Self.content(of: "moov", in: top, file)
    movie = MP4Box(
      "moov", children: try Self.explaining(file) { () throws(MP4Refusal) in try MP4Box.boxes(in: bytes[...]) })
  }

  private static func content(
    of type: MP4Type, in top: [TopBox], _ file: ReadableFile
  ) throws(PhotoLibraryError) -> [UInt8] {
    guard let box = top.first(where: { $0.type == type }) else {
      throw .unusableFile(path: file.path, reason: "its movie is cut short")
    }
    let length = box.range.upperBound - box.range.lowerBound - box.head
    guard length <= largestDescription else {
      throw .unusableFile(path: file.path, reason: "its movie has a description of \(length >> 20) MiB")
    }
    let bytes = [UInt8](try file.data(at: box.range.lowerBound + box.head, count: Int(length)))
    guard bytes.count == Int(length) else {
      throw .unusableFile(path: file.path, reason: "it became shorter while it was being copied")
    }
    return bytes
  }

  private static func topBoxes(
    _ file: ReadableFile, _ range: Range<UInt64>
  ) throws(PhotoLibraryError) -> [TopBox] {
    let damaged = PhotoLibraryError.unusableFile(path: file.path, reason: MP4Refusal.damaged.reason)
    var window = FileWindow(file)
    var boxes: [TopBox] = []
    var at = range.lowerBound
    // Some recorders leave a few zeros at the end.
    while range.upperBound - at >= 8 {
      guard boxes.count < mostBoxes, var length = try window.number(at: at, bytes: 4),
        let code = try window.number(at: at + 4, bytes: 4)
      else { throw damaged }
      var head: UInt64 = 8
      if length == 1 {
        guard let long = try window.number(at: at + 8, bytes: 8) else { throw damaged }
        (length, head) = (long, 16)
      } else if length == 0 {
        if code == 0 { break }
        length = range.upperBound - at
      }
      guard length >= head, length <= range.upperBound - at else {
        throw .unusableFile(path: file.path, reason: "its movie is cut short")
      }
      boxes.append(TopBox(type: MP4Type(code: UInt32(truncatingIfNeeded: code)), range: at..<at + length, head: head))
      at += length
    }
    return boxes
  }

  private var isFragmented: Bool { movie["mvex"] != nil || top.contains { $0.type == "moof" } }

  // MARK: Changing

  private mutating func parts(_ changes: Changes) throws(MP4Refusal) -> [FilePart] {
    guard try hasPicture() else { throw MP4Refusal(reason: "its movie has no picture") }
    let hadTracks = tracks.count
    // That of another still.
    if changes.pair != nil { movie.keep { !AppleLivePhotoTrack.isStillTime($0) } }
    if changes.dropsSound { movie.keep { Self.handler(of: $0) != "soun" } }
    if changes.dropsLocation { MovieLocation.remove(from: &movie) }
    let hasFewerTracks = tracks.count < hadTracks
    if hasFewerTracks { try forgetMissingTracks() }
    if isFragmented {
      guard !hasFewerTracks, changes.pair == nil else {
        throw MP4Refusal(
          reason: "its movie was written in fragments, as a recording that was broken off is, and those can't be taken "
            + "apart; convert it to an ordinary MP4 first")
      }
      return changes.dropsLocation ? try inPlace() : [.file(file, range)]
    }
    // No sound to be removed.
    if !hasFewerTracks, !changes.dropsLocation, changes.pair == nil { return [.file(file, range)] }
    return try anew(changes)
  }

  private var tracks: [MP4Box] { movie.children?.filter { $0.type == "trak" } ?? [] }

  private func hasPicture() throws(MP4Refusal) -> Bool {
    guard movie["mvhd"] != nil else { throw .damaged }
    return tracks.contains { Self.handler(of: $0) == "vide" }
  }

  /// What a track is made of: `vide`, `soun`, `meta`, …
  static func handler(of track: MP4Box) -> MP4Type? {
    guard track.type == "trak", let box = track.child("mdia", "hdlr"), let code = try? box.number(at: 8, 4)
    else { return nil }
    return MP4Type(code: UInt32(code))
  }

  static func id(of track: MP4Box) throws(MP4Refusal) -> UInt64 {
    guard let head = track["tkhd"] else { throw .damaged }
    return try head.number(at: head.isLong ? 20 : 12, 4)
  }

  /// What pointed to a track that is gone points to nothing, and the movie ends with the longest that is left.
  private mutating func forgetMissingTracks() throws(MP4Refusal) {
    var ids: Set<UInt64> = []
    var longest: UInt64 = 0
    for track in tracks {
      guard let head = track["tkhd"] else { throw .damaged }
      ids.insert(try Self.id(of: track))
      longest = max(longest, try head.number(at: head.isLong ? 28 : 20, head.isLong ? 8 : 4))
    }
    movie.changeAll("trak") { track in
      track.changeAll("tref") { references in
        for index in (references.children ?? []).indices.reversed() {
          guard let box = references.children?[index] else { continue }
          let targets = stride(from: 0, to: box.bytes.count / 4 * 4, by: 4)
            .map { MP4Bytes.number(box.bytes[...], at: $0, count: 4) }.filter(ids.contains)
          var bytes: [UInt8] = []
          for target in targets { MP4Bytes.append(target, 4, to: &bytes) }
          references.children?[index].bytes = bytes
        }
        references.keep { !$0.bytes.isEmpty }
      }
      if track["tref"]?.children?.isEmpty == true { track["tref"] = nil }
    }
    movie.changeAll("mvhd") { head in
      let (offset, width) = head.isLong ? (24, 8) : (16, 4)
      if let duration = try? head.number(at: offset, width), longest < duration {
        head.setNumber(longest, at: offset, width)
      }
    }
  }

  /// The same file with a description of the same length: fragments point into it from everywhere.
  private func inPlace() throws(MP4Refusal) -> [FilePart] {
    let kept: Set<MP4Type> = [
      "ftyp", "styp", "moof", "mdat", "mfra", "sidx", "ssix", "prft", "free", "skip", "wide",
    ]
    // What is free may hold what was there before.
    let emptied: Set<MP4Type> = ["free", "skip", "wide"]
    var parts: [FilePart] = []
    for box in top {
      let length = box.range.upperBound - box.range.lowerBound
      if box.type == "moov" {
        var bytes: [UInt8] = []
        movie.write(to: &bytes)
        guard UInt64(bytes.count) <= length, length < 1 << 32 else { throw .damaged }
        let rest = Int(length) - bytes.count
        guard rest == 0 || rest >= 8 else { throw .damaged }
        if rest > 0 {
          MP4Box("free", MP4Bytes.zeros(rest - 8)).write(to: &bytes)
          bytes.replaceSubrange(0..<4, with: MP4Bytes.words(length))
        }
        parts.append(.bytes(Data(bytes)))
      } else if kept.contains(box.type), !emptied.contains(box.type) {
        parts.append(.file(file, box.range))
      } else {
        guard length <= Self.largestFiller else {
          throw MP4Refusal(reason: "its movie has parts that PhotoMe doesn't know, and a place may stand in them")
        }
        var bytes: [UInt8] = []
        MP4Box("free", MP4Bytes.zeros(Int(length) - 8)).write(to: &bytes)
        parts.append(.bytes(Data(bytes)))
      }
    }
    return parts
  }

  /// Kind of file, description, and the samples that it describes, in their old order; nothing else.
  private mutating func anew(_ changes: Changes) throws(MP4Refusal) -> [FilePart] {
    let length = range.upperBound - range.lowerBound
    var chunks: [(track: Int, chunk: Int, range: Range<UInt64>)] = []
    for (track, box) in tracks.enumerated() {
      for (chunk, range) in try MP4Chunks(of: box, end: length).ranges.enumerated() {
        chunks.append((track, chunk, range))
      }
      guard chunks.count <= Self.mostChunks else {
        throw MP4Refusal(reason: "its movie is cut into too many pieces")
      }
    }
    chunks.sort { $0.range.lowerBound < $1.range.lowerBound }
    var mediaLength: UInt64 = 0
    for chunk in chunks { mediaLength += chunk.range.upperBound - chunk.range.lowerBound }
    // No byte belongs to two samples.
    guard mediaLength <= length else { throw .damaged }

    var kind = kind
    var extra: [UInt8] = []
    if let pair = changes.pair {
      kind = MP4Box("ftyp", Array("qt  ".utf8) + MP4Bytes.words(0) + Array("qt  ".utf8))
      try QuickTimeMovie.convert(&movie)
      extra = AppleLivePhotoTrack.sample
      try AppleLivePhotoTrack.add(to: &movie, pair)
    }
    let isLong = mediaLength + UInt64(movie.count) * 2 + 4096 > UInt64(UInt32.max)
    var offsets = tracks.map { _ in [UInt64]() }
    for chunk in chunks { offsets[chunk.track].append(0) }
    // The place of the extra sample.
    if !extra.isEmpty { offsets[offsets.count - 1] = [0] }
    // Once for the length of it all, and once more with the places that follow from that.
    setOffsets(offsets, isLong: isLong)
    let head: UInt64 = mediaLength + UInt64(extra.count) + 16 > UInt64(UInt32.max) ? 16 : 8
    let mediaStart = UInt64(kind.count) + UInt64(movie.count) + head
    var place = mediaStart
    var media: [Range<UInt64>] = []
    for chunk in chunks {
      offsets[chunk.track][chunk.chunk] = place
      place += chunk.range.upperBound - chunk.range.lowerBound
      if let last = media.last, last.upperBound == chunk.range.lowerBound {
        media[media.count - 1] = last.lowerBound..<chunk.range.upperBound
      } else if !chunk.range.isEmpty {
        media.append(chunk.range)
      }
    }
    if !extra.isEmpty { offsets[offsets.count - 1] = [place] }
    setOffsets(offsets, isLong: isLong)

    var front: [UInt8] = []
    kind.write(to: &front)
    movie.write(to: &front)
    let whole = mediaLength + UInt64(extra.count) + head
    front += MP4Bytes.words(head == 16 ? 1 : whole) + Array("mdat".utf8)
    if head == 16 { MP4Bytes.append(whole, 8, to: &front) }
    let start = range.lowerBound
    return [.bytes(Data(front))]
      + media.map { .file(file, start + $0.lowerBound..<start + $0.upperBound) }
      + (extra.isEmpty ? [] : [.bytes(Data(extra))])
  }

  private mutating func setOffsets(_ offsets: [[UInt64]], isLong: Bool) {
    var number = 0
    movie.changeAll("trak") { track in
      MP4Chunks.setOffsets(offsets[number], isLong: isLong, in: &track)
      number += 1
    }
  }
}
