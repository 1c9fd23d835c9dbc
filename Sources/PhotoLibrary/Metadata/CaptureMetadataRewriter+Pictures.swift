// Changes of the time and the place in a picture's own metadata.

import CameraCore
import Foundation
import Localization
import MediaFormats

extension CaptureMetadataRewriter {
  static func picture(
    _ file: ReadableFile, _ change: CaptureMetadataChange
  ) throws(FormatError) -> [FilePart] {
    guard let head = try PictureHead(file as any ByteSource) else {
      throw .refused(reason: localized("it isn’t a picture"))
    }
    guard head.format != .gif else { throw .refused(reason: localized("GIF pictures can’t hold a date or a place")) }
    let exif = try exif(head.exif, change)
    let former = head.exif.flatMap { try? EXIFBlock($0) }.flatMap { block in zonedTime(change) { block.text($0) } }
    let records = change.records(former?.time, isZoneAssumed: former?.isAssumed ?? false)
    let movie = try MotionPhoto(file as any ByteSource, head: head)?.movieRange
    guard head.format == .jpeg, let jpeg = head.jpeg else {
      var metadata = PictureMetadata()
      metadata.records = records
      if let exif { metadata.exif = .replaced(exif) }
      if let xmp = head.xmp, let packet = try XMPPacket.parsed([UInt8](xmp), isRequired: change.removesPlace) {
        let new = try changed(packet, change)
        if new.bytes != packet.bytes { metadata.xmp = .replaced(Data(new.bytes)) }
      }
      let end = head.end.map { min($0, file.size) } ?? file.size
      let parts = try PictureCopy.pieces(of: file, head.format, metadata)
      // What is behind the picture is no part of these pieces.
      return head.end == nil ? parts : parts + (try tail(of: file, from: end, movie, [], change))
    }
    guard jpeg.scanOffset <= MetadataRewriter.largestHead else {
      throw .refused(reason: localized("it contains too much data before its picture"))
    }
    var bytes = try (file as any ByteSource).bytes(at: 0, count: Int(jpeg.scanOffset))
    try checkBlocks(of: bytes, isChanged: exif != nil, change)
    if let exif {
      let payload = exifIdentifier + exif
      bytes = try MetadataRewriter.replacing(.exif, in: bytes, try MetadataRewriter.segments(of: bytes), with: payload)
    }
    bytes = try withPackets(bytes, change, records?.date)
    if let records { bytes = try withRecords(bytes, records) }
    let further = try furtherPictures(
      of: file, from: jpeg.scanOffset, upTo: movie?.lowerBound ?? file.size, change)
    return [.bytes(Data(bytes))] + (try tail(of: file, from: jpeg.scanOffset, movie, further, change))
  }

  /// Refuses a change when a second EXIF block would still tell what was before.
  ///
  /// - Parameter isChanged: Whether the first block changes.
  private static func checkBlocks(
    of head: [UInt8], isChanged: Bool, _ change: CaptureMetadataChange
  ) throws(FormatError) {
    let further = try MetadataRewriter.segments(of: head).filter { $0.kind == .exif }.dropFirst()
    let mayStay =
      !isChanged
      && further.allSatisfy { segment in
        // One that can't be read may tell anything.
        guard change.removesPlace else { return true }
        let old = Array(head[segment.payload].dropFirst(exifIdentifier.count))
        guard var block = try? EXIFBlock(Data(old)), (try? block.removePosition()) != nil else { return false }
        return block.bytes == old
      }
    guard further.isEmpty || mayStay else { throw .refused(reason: localized("it has more than one EXIF block")) }
  }

  /// The head of a JPEG with changed XMP packets, those in further segments among them.
  ///
  /// - Parameter date: For those in further segments, which keep their lengths.
  private static func withPackets(
    _ head: [UInt8], _ change: CaptureMetadataChange, _ date: DateChange?
  ) throws(FormatError) -> [UInt8] {
    var bytes = head
    let further = try MetadataRewriter.segments(of: bytes).filter { $0.kind == .extendedXMP }
    var extended = ExtendedXMP(further.map { Array(bytes[$0.payload]) })
    try extended.change(isRequired: change.removesPlace) { packet throws(FormatError) in
      var new = packet
      if change.changesPlace { try new.blankPosition() }
      if let date { try new.moveTimes(date) }
      return new
    }
    for (segment, payload) in zip(further, extended.payloads) { bytes.replaceSubrange(segment.payload, with: payload) }
    let segments = try MetadataRewriter.segments(of: bytes)
    let packets = segments.filter { $0.kind == .xmp }
    for segment in packets {
      let old = Array(bytes[segment.payload].dropFirst(MetadataRewriter.identifier.count))
      guard let packet = try XMPPacket.parsed(old, isRequired: change.removesPlace) else { continue }
      var new = try changed(packet, change)
      try new.setExtension(extended.digests)
      if new.bytes == packet.bytes { continue }
      guard packets.count == 1 else { throw .refused(reason: localized("it has more than one XMP packet")) }
      return try MetadataRewriter.replacing(.xmp, in: bytes, segments, with: MetadataRewriter.identifier + new.bytes)
    }
    return bytes
  }

  static let exifIdentifier = Array("Exif\0\0".utf8)
  /// APP13.
  static let photoshopMarker: UInt8 = 0xed
  /// In bytes: the payload of a segment.
  private static let longestPayload = 0xffff - 2

  /// The segments of Photoshop's block.
  private static func recordSegments(of head: [UInt8]) throws(FormatError) -> [JPEGSegments.Segment] {
    try MetadataRewriter.segments(of: head).filter {
      $0.marker == photoshopMarker && head[$0.payload].starts(with: PhotoshopBlock.identifier)
    }
  }

  /// The offset from UTC that XMP, IPTC's records or EXIF's second date state for the local time of a picture whose EXIF
  /// block has it without an offset.
  ///
  /// IPTC's records can't leave the offset out, so an offset of 0 is none there: many programs write it for times of which
  /// they don't know the zone.
  ///
  /// - Parameter before: What readers take it for.
  /// - Returns: In seconds; `nil` where EXIF states an offset itself, or nothing does.
  /// - Throws: When the file can't be read.
  static func statedOffset(
    of file: ReadableFile, name: String, _ before: CaptureMetadata
  ) throws(PhotoLibraryError) -> Int? {
    guard case .picture(let format)? = FileFacts.Kind(name: name), format != .raw else { return nil }
    return try file.parse { file throws(FormatError) in
      let change = CaptureMetadataChange(before: before, after: before)
      guard let head = try PictureHead(file as any ByteSource), let block = head.exif.flatMap({ try? EXIFBlock($0) }),
        let (time, isAssumed) = zonedTime(change, { block.text($0) }), isAssumed
      else { return nil }
      let date = CaptureDate(milliseconds: time.milliseconds, utcOffset: time.utcOffset, isOffsetAssumed: true)
      func offsets(_ texts: [String]) -> [Int] { texts.compactMap { date.statedOffset(in: $0) } }
      var stated = offsets(head.xmp.flatMap { try? XMPPacket(anyEncoding: [UInt8]($0)) }?.timeTexts ?? [])
      if let jpeg = head.jpeg, jpeg.scanOffset <= MetadataRewriter.largestHead {
        let bytes = try (file as any ByteSource).bytes(at: 0, count: Int(jpeg.scanOffset))
        let pieces = (try? recordSegments(of: bytes)) ?? []
        let block = pieces.flatMap { bytes[$0.payload].dropFirst(PhotoshopBlock.identifier.count) }
        stated += offsets(PhotoshopBlock.timeTexts(block)).filter { $0 != 0 }
      }
      if let second = block.text(.dateTimeDigitized), let offset = block.text(.offsetDigitized) {
        stated += offsets([second + offset])
      }
      return stated.first { abs($0) <= 14 * 3600 }
    }
  }

  /// The head of a JPEG with changed records in Photoshop's block, which may have several segments.
  private static func withRecords(_ head: [UInt8], _ change: RecordChanges) throws(FormatError) -> [UInt8] {
    let identifier = PhotoshopBlock.identifier
    let pieces = try recordSegments(of: head)
    let old = pieces.flatMap { head[$0.payload].dropFirst(identifier.count) }
    let new = try PhotoshopBlock.changed(old, change)
    guard new != old, let first = pieces.first else { return head }
    var segments: [UInt8] = []
    for start in stride(from: 0, to: new.count, by: longestPayload - identifier.count) {
      let payload = identifier + new[start...].prefix(longestPayload - identifier.count)
      let length = payload.count + 2
      segments += [0xff, photoshopMarker, UInt8(length >> 8), UInt8(length & 0xff)] + payload
    }
    var bytes = head
    for piece in pieces.dropFirst().reversed() {
      bytes = try MetadataRewriter.replacing(piece.range, in: bytes, MetadataRewriter.segments(of: bytes), with: [])
    }
    return try MetadataRewriter.replacing(
      first.range, in: bytes, MetadataRewriter.segments(of: bytes), with: segments)
  }

  /// What follows the picture, with the movie of a live photo changed in place.
  ///
  /// - Parameter edits: Before the movie.
  private static func tail(
    of file: ReadableFile, from start: UInt64, _ movie: Range<UInt64>?,
    _ edits: [(range: Range<UInt64>, bytes: [UInt8])], _ change: CaptureMetadataChange
  ) throws(FormatError) -> [FilePart] {
    guard start < file.size else { return [] }
    guard let movie, movie.lowerBound >= start else { return try pieces(of: file, start..<file.size, edits) }
    var parts = try pieces(of: file, start..<movie.lowerBound, edits)
    // Picture and trailer tell its length.
    parts += try self.movie(of: file, movie, change, isFirst: false, mayGrow: false)
    if movie.upperBound < file.size { parts.append(.file(file, movie.upperBound..<file.size)) }
    return parts
  }

  /// - Returns: `nil` when nothing changes.
  private static func exif(_ old: Data?, _ change: CaptureMetadataChange) throws(FormatError) -> Data? {
    if old == nil, !change.changesTime, change.after.location == nil { return nil }
    var block = try EXIFBlock(old)
    if change.changesTime {
      let former = block
      try block.set(texts(change) { former.text($0) })
    }
    if change.changesPlace {
      if let place = change.after.location {
        try block.setPosition(latitude: place.latitude, longitude: place.longitude)
      } else {
        try block.removePosition()
      }
    }
    let new = Data(block.bytes)
    return new == old ? nil : new
  }

  private static func changed(
    _ packet: XMPPacket, _ change: CaptureMetadataChange
  ) throws(FormatError) -> XMPPacket {
    var new = packet
    if change.changesTime { try new.setTime(change.after.time.xmpDate) }
    if change.changesPlace { try new.removePosition() }
    return new
  }
}
