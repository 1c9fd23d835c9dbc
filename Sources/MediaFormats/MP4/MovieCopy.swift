// Copies of movies with other metadata around the same samples.

import Foundation
import Localization

/// Rewrites a movie's metadata without touching its samples: without sound, without location, or as half of an Apple Live
/// Photo.
///
/// Nothing is encoded again: each sample of the remaining tracks is copied byte for byte and keeps its time; only the boxes
/// that describe them change.
///
/// Source: ISO/IEC 14496-12, and Apple's QuickTime File Format.
public struct MovieCopy {
  /// The differences between the movie and its copy.
  public struct Changes: Sendable, Hashable {
    /// Leaves out the sound track and its samples.
    public var dropsSound: Bool
    /// Keeps only metadata that are known to hold no location, because there are many ways to write one.
    public var dropsLocation: Bool
    /// The names of the place that are known from elsewhere; credits with one of them go with the location.
    public var places: PlaceNames
    /// Makes a QuickTime movie that belongs to a still; `nil` keeps the file type.
    public var pair: AppleLivePhotoTrack.Pair?

    public init(
      dropsSound: Bool = false, dropsLocation: Bool = false, places: PlaceNames = PlaceNames(),
      pair: AppleLivePhotoTrack.Pair? = nil
    ) {
      (self.dropsSound, self.dropsLocation, self.places, self.pair) = (dropsSound, dropsLocation, places, pair)
    }
  }

  /// The longest `moov` box, in bytes; that of many hours of film is smaller.
  private static let largestDescription: UInt64 = 64 << 20
  /// Boxes at the top level; each fragment of a movie is two.
  private static let mostBoxes = 1 << 18
  /// Chunks of all tracks together.
  private static let mostChunks = 1 << 22
  /// The longest box that is replaced by zeros, in bytes.
  private static let largestFiller: UInt64 = 16 << 20

  /// A piece of the copy.
  private enum Piece {
    case bytes([UInt8])
    /// Of the source.
    case range(Range<UInt64>)
  }

  /// The pieces of the copy, in order.
  ///
  /// - Parameters:
  ///   - source: The file that holds the movie.
  ///   - range: Of the movie in the file.
  /// - Throws: `FormatError.refused` when the movie is damaged, or in a form in which the changes can't be made; `read`.
  public static func pieces<Source: ByteSource>(
    of source: Source, range: Range<UInt64>, _ changes: Changes
  ) throws(FormatError) -> [BytePiece<Source>] {
    if changes == Changes() { return [.file(source, range)] }
    var copy = try Self(source, range)
    // A track can be taken out of tables, not out of fragments.
    if copy.isFragmented, changes.dropsSound || changes.pair != nil { try copy.completeDescription(source) }
    let unknown = changes.dropsLocation && copy.isFragmented ? try copy.unknownBoxes(source, changes.places) : []
    return try copy.pieces(changes, without: unknown).map { piece in
      switch piece {
      case .bytes(let bytes): .bytes(Data(bytes))
      case .range(let range): .file(source, range)
      }
    }
  }

  /// Whether a copy without the location loses a text that someone may have written: a title, a description, a credit.
  ///
  /// - Throws: As `pieces`.
  public static func losesTexts(
    of source: any ByteSource, range: Range<UInt64>, places: PlaceNames
  ) throws(FormatError) -> Bool {
    var copy = try Self(source, range)
    return MovieLocation.remove(from: &copy.movie, places)
  }

  /// The names of the place in the description of a movie; none when it is damaged.
  ///
  /// - Throws: `FormatError.read`.
  public static func placeNames(
    of source: any ByteSource, range: Range<UInt64>
  ) throws(FormatError) -> PlaceNames {
    do throws(FormatError) { return MovieLocation.names(in: try Self(source, range).movie) } catch {
      if case .read = error { throw error }
      return PlaceNames()
    }
  }

  private let range: Range<UInt64>
  /// The boxes at the top level.
  private let top: [MP4BoxHead]
  /// `ftyp`.
  private let fileType: MP4Box
  private var movie: MP4Box
  /// Whether samples are described in fragments.
  private var isFragmented: Bool

  private init(_ source: any ByteSource, _ range: Range<UInt64>) throws(FormatError) {
    self.range = range
    let top = try Self.topBoxes(source, range)
    self.top = top
    fileType = MP4Box("ftyp", try Self.content(of: "ftyp", in: top, source))
    let bytes = try Self.content(of: "moov", in: top, source)
    movie = MP4Box("moov", children: try MP4Box.boxes(in: bytes[...]))
    isFragmented = movie["mvex"] != nil || top.contains { $0.type == "moof" }
  }

  /// Makes the description that of an ordinary movie, with the samples of all fragments.
  private mutating func completeDescription(_ source: any ByteSource) throws(FormatError) {
    guard let head = movie["mvhd"] else { throw .damagedMovie }
    let timescale = UInt32(try head.number(at: head.isLong ? 20 : 12, 4))
    let start = range.lowerBound
    var fragments = MP4Fragments(of: movie, end: range.upperBound - start)
    for box in top where box.type == "moof" {
      try fragments.add(box.range.lowerBound - start..<box.range.upperBound - start, of: source, from: start)
    }
    var refusals: [MP4Type: FormatError] = [:]
    fragments.complete(&movie, timescale: timescale, refusals: &refusals)
    if let refusal = refusals.values.first { throw refusal }
    isFragmented = false
  }

  private static func content(
    of type: MP4Type, in top: [MP4BoxHead], _ source: any ByteSource
  ) throws(FormatError) -> [UInt8] {
    guard let box = top.first(where: { $0.type == type }) else { throw .truncatedMovie }
    let length = UInt64(box.content.count)
    guard length <= largestDescription else {
      let size = ByteCountFormatStyle(style: .file, locale: .forNumbers).format(Int64(clamping: length))
      throw .refused(reason: localized("the video’s index is too large (\(size))"))
    }
    let bytes = try source.prefix(at: box.content.lowerBound, count: Int(length))
    guard bytes.count == Int(length) else {
      throw .refused(reason: localized("the file became shorter while it was copied"))
    }
    return bytes
  }

  private static func topBoxes(
    _ source: any ByteSource, _ range: Range<UInt64>
  ) throws(FormatError) -> [MP4BoxHead] {
    var walker = MP4BoxWalker(ByteWindow(source), in: range, limit: mostBoxes)
    var boxes: [MP4BoxHead] = []
    while let box = try walker.next(), !box.isPadding { boxes.append(box) }
    switch walker.damage {
    case nil: return boxes
    case .cutShort: throw .truncatedMovie
    case .impossible, .tooMany: throw .damagedMovie
    }
  }

  // MARK: Changing

  /// - Parameter unknown: Boxes of fragments that may hold the location.
  private mutating func pieces(
    _ changes: Changes, without unknown: [Range<UInt64>]
  ) throws(FormatError) -> [Piece] {
    guard try hasPicture() else { throw .refused(reason: localized("the video has no picture")) }
    let hadTracks = movie.tracks.count
    // The track of another still.
    if changes.pair != nil { movie.keep { !AppleLivePhotoTrack.isStillTime($0) } }
    if changes.dropsSound { movie.keep { $0.handler != "soun" } }
    if changes.dropsLocation { MovieLocation.remove(from: &movie, changes.places) }
    let hasFewerTracks = movie.tracks.count < hadTracks
    if hasFewerTracks { try forgetMissingTracks() }
    if isFragmented { return changes.dropsLocation ? try inPlace(without: unknown) : [.range(range)] }
    // There was no sound.
    if !hasFewerTracks, !changes.dropsLocation, changes.pair == nil { return [.range(range)] }
    return try anew(changes)
  }

  private func hasPicture() throws(FormatError) -> Bool {
    guard movie["mvhd"] != nil else { throw .damagedMovie }
    return movie.tracks.contains { $0.handler == "vide" }
  }

  /// Removes references to missing tracks, and ends the movie with the longest remaining track.
  private mutating func forgetMissingTracks() throws(FormatError) {
    var ids: Set<UInt64> = []
    var longest: UInt64 = 0
    for track in movie.tracks {
      guard let head = track["tkhd"] else { throw .damagedMovie }
      ids.insert(try track.trackID())
      longest = max(longest, try head.number(at: head.isLong ? 28 : 20, head.isLong ? 8 : 4))
    }
    movie.changeAll("trak") { track in
      track.changeAll("tref") { references in
        for index in (references.children ?? []).indices.reversed() {
          guard let box = references.children?[index] else { continue }
          let targets = stride(from: 0, to: box.bytes.count / 4 * 4, by: 4)
            .map { BigEndian.number(box.bytes[...], at: $0, count: 4) }.filter(ids.contains)
          var bytes: [UInt8] = []
          for target in targets { BigEndian.append(target, 4, to: &bytes) }
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

  /// The same file with a description of the same length, because fragments refer to offsets in the file.
  private func inPlace(without unknown: [Range<UInt64>]) throws(FormatError) -> [Piece] {
    let kept: Set<MP4Type> = ["ftyp", "moof", "mdat", "mfra", "sidx", "free", "skip", "wide"]
    // Free space may hold what was there before.
    let emptied: Set<MP4Type> = ["free", "skip", "wide"]
    var parts: [Piece] = []
    var unknown = unknown[...]
    for box in top {
      let length = box.range.upperBound - box.range.lowerBound
      if box.type == "moov" {
        var bytes: [UInt8] = []
        movie.write(to: &bytes)
        guard UInt64(bytes.count) <= length, length < 1 << 32 else { throw .damagedMovie }
        let rest = Int(length) - bytes.count
        guard rest == 0 || rest >= 8 else { throw .damagedMovie }
        if rest > 0 {
          MP4Box("free", BigEndian.zeros(rest - 8)).write(to: &bytes)
          bytes.replaceSubrange(0..<4, with: BigEndian.words(length))
        }
        parts.append(.bytes(bytes))
      } else if kept.contains(box.type), !emptied.contains(box.type) {
        var at = box.range.lowerBound
        while let hole = unknown.first, hole.lowerBound < box.range.upperBound {
          unknown.removeFirst()
          // Those of a box that is emptied as a whole.
          guard hole.lowerBound >= box.range.lowerBound else { continue }
          guard hole.lowerBound >= at, hole.upperBound <= box.range.upperBound else { throw .damagedMovie }
          parts += [.range(at..<hole.lowerBound), .bytes(try Self.filler(hole.upperBound - hole.lowerBound))]
          at = hole.upperBound
        }
        parts.append(.range(at..<box.range.upperBound))
      } else {
        parts.append(.bytes(try Self.filler(length)))
      }
    }
    return parts
  }

  private static func filler(_ length: UInt64) throws(FormatError) -> [UInt8] {
    guard length >= 8 else { throw .damagedMovie }
    guard length <= largestFiller else {
      throw .refused(reason: localized("the video has unknown parts that may contain its location"))
    }
    var bytes: [UInt8] = []
    MP4Box("free", BigEndian.zeros(Int(length) - 8)).write(to: &bytes)
    return bytes
  }

  /// The boxes in the fragments, and in their index, that aren't known to hold no location, in their order.
  private func unknownBoxes(
    _ source: any ByteSource, _ places: PlaceNames
  ) throws(FormatError) -> [Range<UInt64>] {
    var places = places
    places.formUnion(MovieLocation.names(in: movie))
    var found: [Range<UInt64>] = []
    for outer in top {
      if outer.type == "sidx", try !Self.isIndex(outer, source) { found.append(outer.range) }
      guard let known = MovieLocation.ofFragments[outer.type] else { continue }
      var walker = MP4BoxWalker(ByteWindow(source), in: outer.content, limit: Self.mostBoxes)
      while let box = try walker.next() {
        if walker.depth == 0, outer.type == "moof", box.type == "traf" {
          walker.enter(box)
        } else if !(walker.depth == 0 ? known : MovieLocation.ofFragments["traf", default: []]).contains(box.type) {
          found.append(box.range)
        } else if box.type == "sgpd" {
          let count = min(box.content.upperBound - box.content.lowerBound, Self.longestGroups + 1)
          let bytes = [UInt8](try source.prefix(at: box.content.lowerBound, count: Int(count)))
          if count > Self.longestGroups || places.isTold(inBytes: bytes) { found.append(box.range) }
        }
      }
      guard walker.damage == nil else { throw .damagedMovie }
    }
    return found
  }

  /// Of descriptions of groups in a fragment, in bytes.
  private static let longestGroups: UInt64 = 64 << 10

  /// Whether an index of fragments ends with its entries (ISO/IEC 14496-12, 8.16.3).
  private static func isIndex(_ box: MP4BoxHead, _ source: any ByteSource) throws(FormatError) -> Bool {
    let head = [UInt8](try source.prefix(at: box.content.lowerBound, count: 32))
    let countAt = head.first == 0 ? 22 : 30
    guard head.count > countAt + 1 else { return false }
    let count = BigEndian.number(head, at: countAt, count: 2)
    return box.content.upperBound - box.content.lowerBound == UInt64(countAt) + 2 + 12 * count
  }

  /// File type, description, and the samples that it describes, in their old order; nothing else.
  private mutating func anew(_ changes: Changes) throws(FormatError) -> [Piece] {
    let length = range.upperBound - range.lowerBound
    var chunks: [(track: Int, chunk: Int, range: Range<UInt64>)] = []
    for (track, box) in movie.tracks.enumerated() {
      for (chunk, range) in try MP4SampleTable(of: box, end: length).chunks.map(\.range).enumerated() {
        chunks.append((track, chunk, range))
      }
      guard chunks.count <= Self.mostChunks else {
        throw .refused(reason: localized("the video is in too many pieces"))
      }
    }
    chunks.sort { $0.range.lowerBound < $1.range.lowerBound }
    var mediaLength: UInt64 = 0
    for chunk in chunks {
      mediaLength += chunk.range.upperBound - chunk.range.lowerBound
      // No byte may belong to two samples.
      guard mediaLength <= length else { throw .damagedMovie }
    }

    var kind = fileType
    var extra: [UInt8] = []
    if let pair = changes.pair {
      kind = MP4Box("ftyp", Array("qt  ".utf8) + BigEndian.words(0) + Array("qt  ".utf8))
      try QuickTimeMovie.convert(&movie)
      extra = AppleLivePhotoTrack.sample
      try AppleLivePhotoTrack.add(to: &movie, pair)
    }
    let isLong = mediaLength + UInt64(movie.count) * 2 + 4096 > UInt64(UInt32.max)
    var offsets = movie.tracks.map { _ in [UInt64]() }
    for chunk in chunks { offsets[chunk.track].append(0) }
    // The offset of the extra sample.
    if !extra.isEmpty { offsets[offsets.count - 1] = [0] }
    // Once for the length of the description, and again with the offsets that follow from it.
    setOffsets(offsets, isLong: isLong)
    let head: UInt64 = mediaLength + UInt64(extra.count) + 16 > UInt64(UInt32.max) ? 16 : 8
    let mediaStart = UInt64(kind.count) + UInt64(movie.count) + head
    var position = mediaStart
    var media: [Range<UInt64>] = []
    for chunk in chunks {
      offsets[chunk.track][chunk.chunk] = position
      position += chunk.range.upperBound - chunk.range.lowerBound
      if let last = media.last, last.upperBound == chunk.range.lowerBound {
        media[media.count - 1] = last.lowerBound..<chunk.range.upperBound
      } else if !chunk.range.isEmpty {
        media.append(chunk.range)
      }
    }
    if !extra.isEmpty { offsets[offsets.count - 1] = [position] }
    setOffsets(offsets, isLong: isLong)

    var front: [UInt8] = []
    kind.write(to: &front)
    movie.write(to: &front)
    let whole = mediaLength + UInt64(extra.count) + head
    front += BigEndian.words(head == 16 ? 1 : whole) + Array("mdat".utf8)
    if head == 16 { BigEndian.append(whole, 8, to: &front) }
    let start = range.lowerBound
    return [.bytes(front)]
      + media.map { .range(start + $0.lowerBound..<start + $0.upperBound) }
      + (extra.isEmpty ? [] : [.bytes(extra)])
  }

  private mutating func setOffsets(_ offsets: [[UInt64]], isLong: Bool) {
    var number = 0
    movie.changeAll("trak") { track in
      MP4SampleTable.setOffsets(offsets[number], isLong: isLong, in: &track)
      number += 1
    }
  }
}
