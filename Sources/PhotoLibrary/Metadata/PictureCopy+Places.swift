// The names of a picture's place in all of its blocks, and the texts that a copy without the place loses.

import CameraCore
import Foundation
import MediaFormats

extension PictureCopy {
  /// A text that a copy without the place doesn't have.
  enum LostText: Sendable, Hashable {
    /// It names the place.
    case namesPlace
    /// It was in IPTC's records only, which aren't copied.
    case otherForm
  }

  /// In bytes: of all pieces of an extended packet. A longer one holds more than texts.
  private static let longestExtension = 1 << 20
  /// Packets in one file; one with more is an attack.
  private static let mostPackets = 8
  private static let photoshopMarker: UInt8 = 0xed

  /// The names of the picture's place in all blocks that have fields for it.
  ///
  /// - Parameter known: Those that its movie has.
  static func placeNames(
    _ head: JPEGHead, _ segments: JPEGSegments, known: PlaceNames = PlaceNames()
  ) -> PlaceNames {
    var names = known
    // What can't be parsed is not copied either.
    let packets = packets(head, segments)
    for packet in packets { names.formUnion(packet.placeNames) }
    if let exif = head.exif {
      names.formUnion(PlaceNames(exif: exif))
    }
    names.formUnion(PlaceNames(photoshop: photoshopBlock(segments)))
    if let exif = head.exif {
      for keyword in MetadataToolkit.keywords(exif: exif) { names.noteHierarchy(keyword) }
    }
    for packet in packets { packet.noteHierarchies(in: &names) }
    return names
  }

  /// The same of a HEIC, AVIF or PNG, which has one packet.
  static func placeNames(_ head: PictureHead, known: PlaceNames) -> PlaceNames {
    var names = known
    let packets = packets(head)
    for packet in packets { names.formUnion(packet.placeNames) }
    if let exif = head.exif {
      names.formUnion(PlaceNames(exif: exif))
      for keyword in MetadataToolkit.keywords(exif: exif) { names.noteHierarchy(keyword) }
    }
    for packet in packets { packet.noteHierarchies(in: &names) }
    return names
  }

  private static func packets(_ head: PictureHead) -> [XMPPacket] {
    [head.xmp].compactMap { $0 }.compactMap { try? XMPPacket(anyEncoding: [UInt8]($0)) }
  }

  /// The names of the place of the picture in a file, and the known ones; no others when it can't be parsed.
  ///
  /// - Throws: When the file can't be read.
  static func placeNames(
    _ file: ReadableFile, end: UInt64, known: PlaceNames
  ) throws(PhotoLibraryError) -> PlaceNames {
    guard let any = try PictureHead(file) else { return known }
    if any.format != .jpeg { return placeNames(any, known: known) }
    guard end <= largestPicture, let head = any.jpeg,
      let picture = try? JPEGSegments(parsing: file.data(at: 0, count: Int(end)))
    else { return known }
    return placeNames(head, picture, known: known)
  }

  /// Photoshop's block, which may be longer than a segment.
  private static func photoshopBlock(_ segments: JPEGSegments) -> [UInt8] {
    let pieces = segments.segments.filter { $0.marker == photoshopMarker }.map { [UInt8](segments.bytes($0.payload)) }
      .filter { $0.starts(with: PhotoshopBlock.identifier) }
    return PhotoshopBlock.identifier + pieces.flatMap { $0.dropFirst(PhotoshopBlock.identifier.count) }
  }

  /// All XMP packets of a file: those in segments of their own, the extended one, and the one in the EXIF block.
  private static func packets(_ head: JPEGHead, _ segments: JPEGSegments) -> [XMPPacket] {
    var found = segments.segments.filter { $0.kind == .xmp }
      .map { [UInt8](segments.bytes($0.payload).dropFirst(MetadataRewriter.identifier.count)) }
    if let long = extendedPacket(segments) { found.append(long) }
    if let exif = head.exif, let tiff = TIFFStructure([UInt8](exif)) {
      // 700 is XMP.
      found += tiff.entries(at: tiff.firstDirectory).filter { $0.tag == 700 }.map { Array(tiff.bytes[$0.value]) }
    }
    return found.prefix(mostPackets).compactMap { try? XMPPacket(anyEncoding: $0) }
  }

  /// The pieces of an extended packet in their order: behind the identifier are the packet's digest, its length, and
  /// the piece's offset (XMP specification, part 3, 1.1.3.1).
  private static func extendedPacket(_ segments: JPEGSegments) -> [UInt8]? {
    let head = "http://ns.adobe.com/xmp/extension/\0".utf8.count + 32 + 8
    var pieces: [(offset: UInt64, bytes: ArraySlice<UInt8>)] = []
    var count = 0
    for segment in segments.segments where segment.kind == .extendedXMP && segment.payload.count > head {
      let bytes = [UInt8](segments.bytes(segment.payload))
      count += bytes.count
      guard count <= longestExtension else { return nil }
      pieces.append((bytes[head - 4..<head].reduce(0) { $0 << 8 | UInt64($1) }, bytes.dropFirst(head)))
    }
    return pieces.isEmpty ? nil : pieces.sorted { $0.offset < $1.offset }.flatMap(\.bytes)
  }

  // MARK: Segments without the place

  /// Adobe's segment, which decoders need: identifier, version, flags and color transform. Version and flags have zeros
  /// where they are none that programs write, as they may be a text; decoders ignore them.
  ///
  /// Source: Adobe Technical Note 5116, 18.
  static func decoderSettings(_ picture: JPEGSegments) throws(JPEGStreamError) -> [Data] {
    guard let adobe = picture.payload(of: .adobe).map({ [UInt8]($0.prefix(12)) }), adobe.count == 12 else { return [] }
    let isKnown =
      adobe[5] == 0 && [0, 100, 101].contains(adobe[6]) && adobe[7] & 0x3f == 0 && adobe[8...10] == [0, 0, 0]
    let settings = isKnown ? Array(adobe[5...10]) : [UInt8](repeating: 0, count: 6)
    return [
      try JPEGSegments.segment(marker: JPEGMarker.app14, payload: Data(adobe[..<5] + settings + adobe[11...]))
    ]
  }

  /// The segments of the color profile, without texts that tell the place.
  ///
  /// - Parameter places: `nil` when the texts stay.
  static func profile(_ picture: JPEGSegments, without places: PlaceNames?) throws(JPEGStreamError) -> [Data] {
    let pieces = picture.segments.filter { $0.kind == .colorProfile }.map { picture.bytes($0.range) }
    guard let places, let profile = profile(picture) else { return pieces }
    guard let cleaned = places.cleaned(colorProfile: [UInt8](profile)) else { return [] }
    if profile.elementsEqual(cleaned) { return pieces }
    return try segments(profile: Data(cleaned))
  }

  /// A color profile in as many segments as it needs (ICC.1, B.4).
  static func segments(profile cleaned: Data) throws(JPEGStreamError) -> [Data] {
    let cleaned = [UInt8](cleaned)
    let longest = 0xffff - 2 - profileHead
    let count = (cleaned.count + longest - 1) / longest
    var segments: [Data] = []
    for number in 0..<count {
      let head = Data("ICC_PROFILE\0".utf8) + [UInt8(clamping: number + 1), UInt8(clamping: count)]
      let payload = head + cleaned[(number * longest)...].prefix(longest)
      segments.append(try JPEGSegments.segment(marker: JPEGMarker.app2, payload: payload))
    }
    return segments
  }

  /// “ICC_PROFILE”, the number of the piece, and that of all pieces; in bytes.
  private static let profileHead = 14

  /// The color profile, from its pieces; `nil` for none.
  static func profile(_ picture: JPEGSegments) -> Data? {
    let pieces = picture.segments.filter { $0.kind == .colorProfile && $0.payload.count > profileHead }
      .map { [UInt8](picture.bytes($0.payload)) }.sorted { $0[12] < $1[12] }
    return pieces.isEmpty ? nil : pieces.reduce(Data()) { $0 + $1.dropFirst(profileHead) }
  }

  // MARK: Lost texts

  /// The text of a caption, title or comment that a copy without the location loses; `nil` when all stay.
  ///
  /// - Parameter known: The names of the place that its movie has.
  /// - Throws: When the file can't be read.
  static func lostText(
    _ file: ReadableFile, end: UInt64, known: PlaceNames
  ) throws(PhotoLibraryError) -> LostText? {
    guard let any = try PictureHead(file) else { return nil }
    if any.format != .jpeg { return lostText(any, known: known) }
    guard end <= largestPicture, let head = any.jpeg,
      let picture = try? JPEGSegments(parsing: file.data(at: 0, count: Int(end)))
    else { return nil }
    let names = placeNames(head, picture, known: known)
    var changes = Changes()
    changes.dropsLocation = true
    var isNamed = false
    var kept: Set<String> = []
    if var packet = try? packet(head.xmp) {
      isNamed = (try? packet.removeLocation(naming: names)) ?? true
      kept.formUnion(packet.captions)
    }
    if let exif = head.exif {
      let copy = try? MetadataToolkit.exif(
        copying: exif, MetadataToolkit.CopyChanges(dropsLocation: true, places: names))
      if let copy { kept.formUnion(MetadataToolkit.captions(exif: copy)) }
    }
    if isNamed { return .namesPlace }
    var written: Set<String> = []
    for packet in packets(head, picture) { written.formUnion(packet.captions) }
    if let exif = head.exif { written.formUnion(MetadataToolkit.captions(exif: exif)) }
    let elsewhere = PhotoshopBlock.captions(photoshopBlock(picture))
    // IPTC's fields may have only the beginning.
    let lost = written.union(elsewhere).filter { text in !kept.contains { $0.hasPrefix(text) } }
    // Programs and cameras leave comments as well.
    let comments = picture.segments.filter { $0.kind == .comment }.map {
      String(decoding: picture.bytes($0.payload), as: UTF8.self)
    }
    if (lost + comments).contains(where: names.isTold) { return .namesPlace }
    return lost.isEmpty ? nil : .otherForm
  }

  /// The same of a HEIC, AVIF or PNG, of whose texts only those in EXIF and XMP are read.
  private static func lostText(_ head: PictureHead, known: PlaceNames) -> LostText? {
    let names = placeNames(head, known: known)
    if var packet = try? packet(head.xmp), (try? packet.removeLocation(naming: names)) ?? true { return .namesPlace }
    guard let exif = head.exif else { return nil }
    let copy = try? MetadataToolkit.exif(
      copying: exif, MetadataToolkit.CopyChanges(dropsLocation: true, places: names))
    let kept = copy.map { MetadataToolkit.captions(exif: $0) } ?? []
    return MetadataToolkit.captions(exif: exif).isSubset(of: kept) ? nil : .namesPlace
  }
}
