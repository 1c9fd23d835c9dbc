// Changes of the time and the place in a picture's or movie's own metadata.

import CameraCore
import Foundation
import Localization
import MediaFormats

/// A change of the time and the place of all files of one asset alike.
struct CaptureMetadataChange: Sendable, Hashable {
  /// The values of the asset, which its first file has.
  var before: CaptureMetadata
  var after: CaptureMetadata
  /// Whether a place is removed wherever it is in the files, also where the asset has none: readers don't look everywhere.
  var removesPlace = false

  var changesTime: Bool { before.milliseconds != after.milliseconds || before.utcOffset != after.utcOffset }
  var changesPlace: Bool { removesPlace || !before.hasPlace(of: after) }
  /// Whether nothing is known that would have to be changed.
  var isPrecaution: Bool { removesPlace && !changesTime && before.location == nil }
  /// The difference of the times, in milliseconds.
  var shift: Int64 { after.milliseconds - before.milliseconds }

  /// The new time of a file that has another one than the asset, as the movie of a live photo has, which began earlier.
  func moved(_ time: LocalTime?) -> LocalTime {
    time.map { LocalTime(milliseconds: $0.milliseconds + shift, utcOffset: after.utcOffset) } ?? after.time
  }
}

/// Writes the time and the place into files of every kind that can hold them, without a change of picture or sound.
enum CaptureMetadataRewriter {
  /// The pieces of a file with the change made. Writes nothing.
  ///
  /// - Parameters:
  ///   - name: Of the file.
  ///   - isFirst: Whether it is the asset's first file, and not a part that may leave the place to that.
  /// - Returns: `nil` when nothing has to change.
  /// - Throws: `unusableFile` when the file can't hold it; others when the file can't be read.
  static func parts(
    of file: ReadableFile, name: String, _ change: CaptureMetadataChange, isFirst: Bool = true
  ) throws(PhotoLibraryError) -> [FilePart]? {
    guard change.changesTime || change.changesPlace else { return nil }
    return try file.parse { file throws(FormatError) -> [FilePart]? in
      switch FileFacts.Kind(name: name) {
      case .movie(let format):
        guard format.structure == .boxes else {
          if change.isPrecaution { return nil }
          throw .refused(
            reason: localized(
              "\(format.fileExtension.uppercased()) videos can’t hold a date and a place that can be changed"))
        }
        return try movie(of: file, 0..<file.size, change, isFirst: isFirst, mayGrow: true)
      case .picture(.raw): return try raw(file, change, isFirst: isFirst)
      case .picture(.gif) where change.isPrecaution: return nil
      case .picture, nil: return try picture(file, change)
      }
    }
  }

  // MARK: Movies

  private static func movie(
    of file: ReadableFile, _ range: Range<UInt64>, _ change: CaptureMetadataChange, isFirst: Bool, mayGrow: Bool
  ) throws(FormatError) -> [FilePart] {
    var changes = MovieCaptureMetadata.Changes()
    if change.changesTime {
      // The asset's own time may be one in the file's name, and not the movie's.
      let time = isFirst ? change.after.time : change.moved(try Self.time(of: file, range, change))
      changes.time = .init(
        seconds: Int64((Double(time.milliseconds) / 1000).rounded(.down)), text: time.quickTimeDate)
    }
    if change.changesPlace {
      changes.position =
        change.after.location.map { .set(latitude: $0.latitude, longitude: $0.longitude) } ?? .removed
    }
    let edits = try MovieCaptureMetadata.edits(of: file, range: range, changes, mayGrow: mayGrow)
    return pieces(of: file, range, edits)
  }

  /// The time that a movie tells; `nil` for none that makes sense.
  private static func time(
    of file: ReadableFile, _ range: Range<UInt64>, _ change: CaptureMetadataChange
  ) throws(FormatError) -> LocalTime? {
    guard let head = try MP4Head(file as any ByteSource, range: range) else { return nil }
    return head.date.flatMap { LocalTime(iso8601: $0) }
      ?? head.created.map { LocalTime(milliseconds: $0 * 1000, utcOffset: change.before.utcOffset) }
  }

  private static func pieces(
    of file: ReadableFile, _ range: Range<UInt64>, _ edits: [MovieCaptureMetadata.Edit]
  ) -> [FilePart] {
    var parts: [FilePart] = []
    var at = range.lowerBound
    for edit in edits {
      if edit.range.lowerBound > at { parts.append(.file(file, at..<edit.range.lowerBound)) }
      parts.append(.bytes(Data(edit.bytes)))
      at = edit.range.upperBound
    }
    if at < range.upperBound { parts.append(.file(file, at..<range.upperBound)) }
    return parts
  }

  // MARK: Raw files

  private static func raw(
    _ file: ReadableFile, _ change: CaptureMetadataChange, isFirst: Bool
  ) throws(FormatError) -> [FilePart]? {
    if change.changesPlace, isFirst, !change.isPrecaution {
      throw .refused(reason: localized("the place in a RAW file can’t be changed"))
    }
    guard change.changesTime else { return nil }
    guard let times = try RAWTimes(file) else {
      throw .refused(reason: localized("the date in a RAW file of this kind can’t be changed"))
    }
    return times.pieces(of: file, texts(change) { times.text($0) })
  }

  /// The new texts of dates.
  ///
  /// - Parameter old: The former text of a tag; `nil` for none.
  private static func texts(
    _ change: CaptureMetadataChange, _ old: (EXIFBlock.Text) -> String?
  ) -> [EXIFBlock.Text: String] {
    var texts: [EXIFBlock.Text: String] = [:]
    func time(_ date: EXIFBlock.Text, _ digits: EXIFBlock.Text, _ offset: EXIFBlock.Text) -> LocalTime? {
      old(date).flatMap { LocalTime(exif: $0, subseconds: old(digits), offset: old(offset)) }
    }
    func set(_ time: LocalTime, _ date: EXIFBlock.Text, _ digits: EXIFBlock.Text, _ offset: EXIFBlock.Text) {
      (texts[date], texts[offset]) = (time.exifDate, time.exifOffset)
      let former = old(digits).map { String($0.prefix(3)) }
      let fraction = time.exifSubseconds
      if former.map({ $0 + String(repeating: "0", count: 3 - $0.count) }) ?? "000" != fraction {
        texts[digits] = fraction
      }
    }
    let digitized = time(.dateTimeDigitized, .subsecondsDigitized, .offsetDigitized)
    // As readers do: a camera's digitized date is the same.
    let original = time(.dateTimeOriginal, .subsecondsOriginal, .offsetOriginal) ?? digitized
    set(change.moved(original), .dateTimeOriginal, .subsecondsOriginal, .offsetOriginal)
    if let digitized { set(change.moved(digitized), .dateTimeDigitized, .subsecondsDigitized, .offsetDigitized) }
    return texts
  }

  // MARK: Pictures

  private static func picture(
    _ file: ReadableFile, _ change: CaptureMetadataChange
  ) throws(FormatError) -> [FilePart] {
    guard let head = try PictureHead(file as any ByteSource) else {
      throw .refused(reason: localized("it isn’t a picture"))
    }
    guard head.format != .gif else { throw .refused(reason: localized("GIF pictures can’t hold a date or a place")) }
    let exif = try exif(head.exif, change)
    let movie = try MotionPhoto(file as any ByteSource, head: head)?.movieRange
    guard head.format == .jpeg, let jpeg = head.jpeg else {
      let packet = try PictureCopy.packet(head.xmp)
      let xmp = try changed(packet, change)
      var metadata = PictureMetadata()
      if let exif { metadata.exif = .replaced(exif) }
      if xmp.bytes != packet.bytes { metadata.xmp = .replaced(Data(xmp.bytes)) }
      let end = head.end.map { min($0, file.size) } ?? file.size
      let parts = try PictureCopy.pieces(of: file, head.format, metadata)
      // What is behind the picture is no part of these pieces.
      return head.end == nil ? parts : parts + (try tail(of: file, from: end, movie, change))
    }
    guard jpeg.scanOffset <= MetadataRewriter.largestHead else {
      throw .refused(reason: localized("it contains too much data before its picture"))
    }
    var bytes = try (file as any ByteSource).bytes(at: 0, count: Int(jpeg.scanOffset))
    if let exif {
      let payload = Array("Exif\0\0".utf8) + exif
      bytes = try MetadataRewriter.replacing(.exif, in: bytes, try MetadataRewriter.segments(of: bytes), with: payload)
    }
    if let xmp = head.xmp {
      let packet = try PictureCopy.packet(xmp)
      let new = try changed(packet, change)
      if new.bytes != packet.bytes {
        let segments = try MetadataRewriter.segments(of: bytes)
        try MetadataRewriter.check(segments, packet)
        bytes = try MetadataRewriter.replacing(.xmp, in: bytes, segments, with: MetadataRewriter.identifier + new.bytes)
      }
    }
    return [.bytes(Data(bytes))] + (try tail(of: file, from: jpeg.scanOffset, movie, change))
  }

  /// What follows the picture, with the movie of a live photo changed in place.
  private static func tail(
    of file: ReadableFile, from start: UInt64, _ movie: Range<UInt64>?, _ change: CaptureMetadataChange
  ) throws(FormatError) -> [FilePart] {
    guard start < file.size else { return [] }
    guard let movie, movie.lowerBound >= start else { return [.file(file, start..<file.size)] }
    var parts: [FilePart] = movie.lowerBound > start ? [.file(file, start..<movie.lowerBound)] : []
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
