// Places that stay in a movie when those in its description are removed.

import Foundation
import Localization

/// Finds what may still tell a place: tracks beside the picture and the sound, data of makers, and unused space.
///
/// Samples stay where they are, so tracks aren't cleaned: a movie in which one of them may tell a place is refused as a
/// whole. A copy without such tracks is what `MovieCopy` makes.
extension MovieLocation {
  /// Media types of tracks whose samples are no metadata.
  private static let ofMediaData: Set<MP4Type> = ["vide", "soun", "auxv", "pict", "tmcd", "hint", "odsm", "sdsm"]
  /// Media types of tracks of texts: subtitles and chapters.
  private static let ofTextTracks: Set<MP4Type> = ["text", "sbtl", "subt", "subp", "clcp"]
  /// At the top level: the description, samples, and indexes.
  private static let ofFile: Set<MP4Type> = [
    "ftyp", "moov", "mdat", "imda", "wide", "sidx", "ssix", "styp", "pdin", "prft",
  ]
  /// Data of makers that have positions in a form of their own: GoPro's, Android's, Nikon's.
  private static let ofMakers: Set<MP4Type> = ["GPMF", "gpmd", "camm", "gps0", "GPS ", "NCDT"]
  private static let words = ["gps", "latitude", "longitude"]
  /// In bytes: as much of a track of texts, or of a box at the top level, is looked at.
  private static let mostBytes: UInt64 = 16 << 20
  /// In bytes, at once.
  private static let pieceLength: UInt64 = 1 << 20
  /// In bytes: as much unused space can be brought back by undo.
  private static let mostFree = 32 << 10
  private static let mostBoxes = 1 << 18
  /// In bytes: the longest position as a text, and the mark of an EXIF block.
  private static let overlap: UInt64 = 512
  /// In bytes: as much of an EXIF block is looked at, as is in one of a JPEG.
  private static let longestEXIF = 64 << 10
  /// No camera puts as many EXIF blocks into one box.
  private static let mostEXIFs = 256
  /// Blocks of a dashcam's index that are looked at.
  private static let mostBlocks = 64

  private static var trackMayTell: FormatError {
    .refused(reason: localized("a track of the video that can’t be changed may tell the place"))
  }
  private static var dataMayTell: FormatError {
    .refused(reason: localized("data of the camera in the video that can’t be changed may tell the place"))
  }

  /// Looks for places that stay, and overwrites those in unused space.
  ///
  /// - Parameters:
  ///   - movie: The description without its places.
  ///   - old: The former one.
  ///   - range: Of the movie in the source.
  /// - Returns: The changes in unused space.
  /// - Throws: `FormatError.refused` when a place may stay elsewhere; `read`.
  static func cleanRemains(
    of movie: MP4Box, instead old: MP4Box, in source: any ByteSource, _ range: Range<UInt64>
  ) throws(FormatError) -> [MovieCaptureMetadata.Edit] {
    for track in movie.tracks {
      guard try !mayTell(track, isFragmented: movie["mvex"] != nil, in: source, range) else { throw trackMayTell }
    }
    for box in movie.children ?? [] where box.type != "trak" {
      guard !mayTell(inDescription: box, besides: ofMovie) else { throw dataMayTell }
      guard box.type != "mvex" || !mayTell(inBoxesOf: box, besides: ofExtension) else { throw dataMayTell }
    }
    for index in old.children?.filter({ $0.type == "gps " }) ?? [] {
      guard try !hasBlocks(index, in: source, range) else { throw trackMayTell }
    }
    return try cleanTop(of: source, range)
  }

  // MARK: The description

  /// Whether a box in another one may tell a place.
  private static func mayTell(inBoxesOf box: MP4Box?, besides known: Set<MP4Type>) -> Bool {
    box?.children?.contains { mayTell(inDescription: $0, besides: known) } ?? false
  }

  /// Whether a box of the movie or a track may tell a place.
  private static func mayTell(inDescription box: MP4Box, besides known: Set<MP4Type>) -> Bool {
    switch box.type {
    case "meta": return mayTell(list: box)
    case "udta":
      guard let parts = box.children else { return mayTell(box.bytes) }
      return parts.contains { part in
        if part.type == "meta" { return mayTell(list: part) }
        // Texts of people stay, as captions do in pictures, and XMP is read.
        if harmless.contains(part.type) || texts.contains(part.type) || part.type == "XMP_" { return false }
        return ofMakers.contains(part.type) || mayTell(part.bytes)
      }
    default: return !known.contains(box.type) && (ofMakers.contains(box.type) || mayTell(box.bytes))
    }
  }

  /// Whether an item of a list, which no person has written, may tell a place.
  private static func mayTell(list box: MP4Box) -> Bool {
    if let list = QuickTimeMetadata(box) {
      return list.items.contains { isPart(of: $0.name, words) || !isPart(of: $0.name, ofTexts) && mayTell($0.value) }
        || list.otherItems.contains { mayTell($0.key.bytes) || mayTell($0.value) }
        || list.otherBoxes.contains { mayTell($0.bytes) }
    }
    guard box.bytes.count > 4, let parts = try? MP4Box.boxes(in: box.bytes[4...]),
      let list = parts.first(where: { $0.type == "ilst" }), let items = try? MP4Box.boxes(in: list.bytes[...])
    else { return mayTell(box.bytes) }
    return items.contains { item in
      // A cover is a picture.
      if item.type == "covr" { return hasPlacedPicture(item.bytes) }
      return !harmless.contains(item.type) && !texts.contains(item.type) && mayTell(item.bytes)
    }
  }

  /// Whether bytes in an unknown form tell a place, as far as can be seen.
  private static func mayTell(_ bytes: [UInt8]) -> Bool {
    guard bytes.contains(where: { $0 != 0 }) else { return false }
    return hasPlacedPicture(bytes)
      || PlaceNames.texts(in: bytes).contains { text in
        text.utf8.count > CoordinateText.longest || isPart(of: text, words) || CoordinateText.isFound(in: text)
      }
  }

  /// Whether there is an EXIF block with a position among the bytes, or one that can't be read.
  private static func hasPlacedPicture(_ bytes: [UInt8]) -> Bool {
    let mark = Array("Exif\0\0".utf8)
    var at = 0
    var count = 0
    while let found = bytes[at...].firstRange(of: mark) {
      at = found.upperBound
      count += 1
      guard count <= mostEXIFs, let block = try? EXIFBlock(Data(bytes[at...].prefix(longestEXIF))), !block.hasPosition
      else { return true }
    }
    return false
  }

  // MARK: Tracks

  private static func mayTell(
    _ track: MP4Box, isFragmented: Bool, in source: any ByteSource, _ range: Range<UInt64>
  ) throws(FormatError) -> Bool {
    let (media, information) = (track["mdia"], track["mdia"]?["minf"])
    if mayTell(inBoxesOf: track, besides: ofTrack) || mayTell(inBoxesOf: track["edts"], besides: ["elst"])
      || mayTell(inBoxesOf: media, besides: ofMedia) || mayTell(inBoxesOf: information, besides: ofInformation)
      || mayTell(inBoxesOf: information?["stbl"], besides: ofSamples)
    {
      return true
    }
    switch track.handler {
    case .some(let kind) where ofMediaData.contains(kind): return false
    case "meta": return !isHarmless(metadataTrack: track, without: ofLocations)
    case .some(let kind) where ofTextTracks.contains(kind):
      // Samples of fragments aren't in the tables.
      if isFragmented { return true }
      return try mayTell(textsOf: track, in: source, range)
    default: return true
    }
  }

  /// Whether a subtitle or the title of a chapter tells a place, as drones write them; also when they can't be read.
  private static func mayTell(
    textsOf track: MP4Box, in source: any ByteSource, _ range: Range<UInt64>
  ) throws(FormatError) -> Bool {
    guard let table = try? MP4SampleTable(of: track, end: UInt64(range.count)) else { return true }
    var left = mostBytes
    for chunk in table.chunks {
      var at = range.lowerBound + chunk.offset
      for sample in chunk.samples {
        let count = table.sizes.byteCount(of: sample..<sample + 1)
        guard count <= left else { return true }
        left -= count
        if mayTell([UInt8](try source.prefix(at: at, count: Int(count)))) { return true }
        at += count
      }
    }
    return false
  }

  /// Whether a dashcam's index tells where its positions are among the samples.
  ///
  /// Source: ExifTool, QuickTime.pm, `ProcessGPS`: version, number, and for each block its offset and its length.
  private static func hasBlocks(
    _ index: MP4Box, in source: any ByteSource, _ range: Range<UInt64>
  ) throws(FormatError) -> Bool {
    for at in stride(from: 8, to: index.bytes.count - 7, by: 8).prefix(mostBlocks) {
      guard let offset = try? index.number(at: at, 4), offset > 0, offset < UInt64(range.count) else { continue }
      if mayTell([UInt8](try source.prefix(at: range.lowerBound + offset, count: 512))) { return true }
    }
    return false
  }

  // MARK: Boxes at the top level

  private static func cleanTop(
    of source: any ByteSource, _ range: Range<UInt64>
  ) throws(FormatError) -> [MovieCaptureMetadata.Edit] {
    var edits: [MovieCaptureMetadata.Edit] = []
    var walker = MP4BoxWalker(ByteWindow(source), in: range, limit: mostBoxes)
    while let box = try walker.next(), !box.isPadding {
      guard !ofFile.contains(box.type) else { continue }
      if ofFragments[box.type] != nil {
        guard try !mayTell(fragment: box, in: source) else { throw dataMayTell }
        continue
      }
      if box.type == "uuid", try source.prefix(at: box.content.lowerBound, count: 16) == MoviePackets.userType {
        continue
      }
      guard !ofMakers.contains(box.type), box.content.upperBound - box.content.lowerBound <= mostBytes else {
        throw dataMayTell
      }
      guard try mayTell(in: source, box.content) else { continue }
      guard box.type == "free", let edit = try clean(box, in: source) else { throw dataMayTell }
      edits += edit
    }
    return edits
  }

  /// Whether a box of a fragment, or of an index of fragments, may tell a place.
  private static func mayTell(fragment outer: MP4BoxHead, in source: any ByteSource) throws(FormatError) -> Bool {
    var walker = MP4BoxWalker(ByteWindow(source), in: outer.content, limit: mostBoxes)
    while let box = try walker.next() {
      if walker.depth == 0, outer.type == "moof", box.type == "traf" {
        walker.enter(box)
        continue
      }
      let known = ofFragments[walker.depth == 0 ? outer.type : "traf", default: []]
      // Descriptions of groups have room for anything.
      if known.contains(box.type), box.type != "sgpd" { continue }
      let count = box.range.upperBound - box.range.lowerBound
      guard count <= mostBytes,
        let boxes = try? MP4Box.boxes(in: [UInt8](try source.prefix(at: box.range.lowerBound, count: Int(count)))[...])
      else { return true }
      if boxes.contains(where: { mayTell(inDescription: $0, besides: []) }) { return true }
    }
    return walker.damage != nil
  }

  /// Whether bytes tell a place, which are looked at in pieces that overlap.
  private static func mayTell(in source: any ByteSource, _ range: Range<UInt64>) throws(FormatError) -> Bool {
    var at = range.lowerBound
    while at < range.upperBound {
      let count = min(pieceLength, range.upperBound - at)
      if mayTell([UInt8](try source.prefix(at: at, count: Int(count)))) { return true }
      at += at + count < range.upperBound ? count - overlap : count
    }
    return false
  }

  /// Overwrites places in unused space, where there may be a former description.
  ///
  /// - Returns: `nil` when too much would have to be overwritten.
  private static func clean(
    _ box: MP4BoxHead, in source: any ByteSource
  ) throws(FormatError) -> [MovieCaptureMetadata.Edit]? {
    let bytes = try source.bytes(at: box.content.lowerBound, count: Int(box.content.count))
    if let children = try? MP4Box.boxes(in: bytes[...]), children.contains(where: { $0.type == "mvhd" }) {
      var movie = MP4Box("free", children: children)
      movie.padding = MP4Box.padding(in: bytes[...])
      let before = movie.written
      MovieCaptureMetadata.blankPositions(in: &movie, andIndex: true)
      let after = movie.written
      if before.count == bytes.count + 8, !mayTell(Array(after.dropFirst(8))) {
        return MovieCaptureMetadata.differences(before, after, at: box.content.lowerBound - 8)
      }
    }
    guard bytes.count <= mostFree else { return nil }
    return [.init(range: box.content, bytes: BigEndian.zeros(bytes.count))]
  }
}
