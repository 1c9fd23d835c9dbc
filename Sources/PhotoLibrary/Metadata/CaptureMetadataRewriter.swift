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
  /// Whether the zone was asked for and is written also where readers assume it already.
  var setsZone = false

  var changesTime: Bool { setsZone || before.milliseconds != after.milliseconds || before.utcOffset != after.utcOffset }
  var changesPlace: Bool { removesPlace || !before.hasPlace(of: after) }
  /// Whether files may say all of it already.
  var mayBeKept: Bool { removesPlace || before.isSame(as: after) }
  /// Whether nothing is known that would have to be changed.
  var isPrecaution: Bool { removesPlace && !changesTime && before.location == nil }
  /// The change of records beside EXIF and XMP; `nil` for none.
  ///
  /// - Parameters:
  ///   - time: That the file's own metadata tell; `nil` for none.
  ///   - isZoneAssumed: Whether they tell no offset from UTC.
  func records(_ time: LocalTime?, isZoneAssumed: Bool) -> RecordChanges? {
    guard changesTime || changesPlace else { return nil }
    return RecordChanges(
      removesPlace: changesPlace, refusesDamage: removesPlace,
      date: changesTime ? date([time], isZoneAssumed: isZoneAssumed, moved(time)) : nil)
  }

  /// The change of texts that say a former time of a file, or that of the asset.
  ///
  /// - Parameter isZoneAssumed: Whether the file's own metadata tell no offset from UTC.
  func date(_ former: [LocalTime?], isZoneAssumed: Bool = false, _ new: LocalTime) -> DateChange {
    let own = former.compactMap(\.self).map {
      CaptureDate(milliseconds: $0.milliseconds, utcOffset: $0.utcOffset, isOffsetAssumed: isZoneAssumed)
    }
    return DateChange(
      former: own + [CaptureDate(milliseconds: before.time.milliseconds, utcOffset: before.time.utcOffset)],
      new: CaptureDate(milliseconds: new.milliseconds, utcOffset: new.utcOffset))
  }
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

  static func movie(
    of file: ReadableFile, _ range: Range<UInt64>, _ change: CaptureMetadataChange, isFirst: Bool, mayGrow: Bool
  ) throws(FormatError) -> [FilePart] {
    var changes = MovieCaptureMetadata.Changes()
    if change.changesTime {
      // The asset's own time may be one in the file's name, and not the movie's.
      let former = try Self.time(of: file, range, change)
      let time = isFirst ? change.after.time : change.moved(former)
      changes.time = .init(
        seconds: Int64((Double(time.milliseconds) / 1000).rounded(.down)), text: time.quickTimeDate,
        date: change.date([former], time))
    }
    if change.changesPlace {
      changes.position =
        change.after.location.map { .set(latitude: $0.latitude, longitude: $0.longitude) } ?? .removed
    }
    let edits = try MovieCaptureMetadata.edits(of: file, range: range, changes, mayGrow: mayGrow)
    return try pieces(of: file, range, edits.map { ($0.range, $0.bytes) })
  }

  /// The time that a movie tells; `nil` for none that makes sense.
  private static func time(
    of file: ReadableFile, _ range: Range<UInt64>, _ change: CaptureMetadataChange
  ) throws(FormatError) -> LocalTime? {
    guard let head = try MP4Head(file as any ByteSource, range: range) else { return nil }
    return head.date.flatMap { LocalTime(iso8601: $0) }
      ?? head.created.map { LocalTime(milliseconds: $0 * 1000, utcOffset: change.before.utcOffset) }
  }

  /// A stretch of a file with other bytes instead of some, in order.
  ///
  /// - Throws: `FormatError.refused` when edits overlap, or lie outside of the stretch.
  static func pieces(
    of file: ReadableFile, _ range: Range<UInt64>, _ edits: [(range: Range<UInt64>, bytes: [UInt8])]
  ) throws(FormatError) -> [FilePart] {
    var parts: [FilePart] = []
    var at = range.lowerBound
    for edit in edits {
      guard edit.range.lowerBound >= at, edit.range.upperBound <= range.upperBound else {
        throw .refused(reason: localized("it can’t hold this date or place"))
      }
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
    if change.setsZone, change.before.isSame(as: change.after), !statesZone(times), isFirst {
      throw .refused(reason: localized("the time zone in a RAW file of this kind can’t be changed"))
    }
    return times.pieces(of: file, texts(change) { times.text($0) })
  }

  private static func statesZone(_ times: RAWTimes) -> Bool { LocalTime.offset(times.text(.offsetOriginal)) != nil }

  /// Whether a changed raw file without an offset from UTC tells the local time that was asked for. Readers take it for
  /// one in their computer's zone, which may not be the one in which the picture was read before.
  ///
  /// - Parameter now: What the changed file tells.
  /// - Throws: `unusableFile` when another zone was asked for; others when the file can't be read.
  static func isSameLocally(
    _ now: CaptureMetadata, _ change: CaptureMetadataChange, in file: ReadableFile, named name: String
  ) throws(PhotoLibraryError) -> Bool {
    guard FileFacts.Kind(name: name) == .picture(.raw) else { return false }
    return try file.parse { file throws(FormatError) in
      guard let times = try RAWTimes(file), !statesZone(times), now.hasPlace(of: change.after) else { return false }
      guard change.before.utcOffset == change.after.utcOffset else {
        throw .refused(reason: localized("the time zone in a RAW file of this kind can’t be changed"))
      }
      let wanted = change.after.milliseconds + Int64(change.after.utcOffset) * 1000
      return abs(now.milliseconds + Int64(now.utcOffset) * 1000 - wanted) < 1000
    }
  }

  /// The time that EXIF tells; `nil` for none. As readers do: a camera's digitized date is the same.
  static func time(_ change: CaptureMetadataChange, _ old: (EXIFBlock.Text) -> String?) -> LocalTime? {
    zonedTime(change, old)?.time
  }

  /// The same, and whether EXIF tells no offset from UTC with it.
  static func zonedTime(
    _ change: CaptureMetadataChange, _ old: (EXIFBlock.Text) -> String?
  ) -> (time: LocalTime, isAssumed: Bool)? {
    let tags: [(EXIFBlock.Text, EXIFBlock.Text, EXIFBlock.Text)] = [
      (.dateTimeOriginal, .subsecondsOriginal, .offsetOriginal),
      (.dateTimeDigitized, .subsecondsDigitized, .offsetDigitized),
    ]
    for (date, digits, offset) in tags {
      // Without an offset, it is in the zone in which the asset was read, which may not be the computer's now.
      let time = old(date).flatMap {
        LocalTime(exif: $0, subseconds: old(digits), offset: old(offset), assumed: change.before.utcOffset)
      }
      if let time { return (time, LocalTime.offset(old(offset)) == nil) }
    }
    return nil
  }

  /// The new texts of dates.
  ///
  /// - Parameter old: The former text of a tag; `nil` for none.
  static func texts(
    _ change: CaptureMetadataChange, _ old: (EXIFBlock.Text) -> String?
  ) -> [EXIFBlock.Text: String] {
    var texts: [EXIFBlock.Text: String] = [:]
    func set(_ time: LocalTime, _ date: EXIFBlock.Text, _ digits: EXIFBlock.Text, _ offset: EXIFBlock.Text) {
      (texts[date], texts[offset]) = (time.exifDate, time.exifOffset)
      let former = old(digits).map { String($0.prefix(3)) }
      let fraction = time.exifSubseconds
      if former.map({ $0 + String(repeating: "0", count: 3 - $0.count) }) ?? "000" != fraction {
        texts[digits] = fraction
      }
    }
    let digitized = old(.dateTimeDigitized).flatMap {
      LocalTime(
        exif: $0, subseconds: old(.subsecondsDigitized), offset: old(.offsetDigitized), assumed: change.before.utcOffset
      )
    }
    set(change.moved(self.time(change, old)), .dateTimeOriginal, .subsecondsOriginal, .offsetOriginal)
    if let digitized { set(change.moved(digitized), .dateTimeDigitized, .subsecondsDigitized, .offsetDigitized) }
    return texts
  }
}
