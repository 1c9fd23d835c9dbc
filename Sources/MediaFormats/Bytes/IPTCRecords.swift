// Changes of IPTC's records, which are older than XMP and say the same.

import Localization

/// Changes of the records beside EXIF and XMP that tell place or time.
public struct RecordChanges: Sendable, Hashable {
  /// Whether the place goes, with all former blocks that told it.
  public var removesPlace: Bool
  /// Whether the change is refused where a place may be in what can't be read. Else that stays as it is.
  public var refusesDamage: Bool
  /// The new date for those that say the former one; `nil` for none.
  public var date: DateChange?

  public init(removesPlace: Bool = false, refusesDamage: Bool = false, date: DateChange? = nil) {
    (self.removesPlace, self.refusesDamage, self.date) = (removesPlace, refusesDamage, date)
  }
}

/// The datasets of a picture, one behind the other. Untrusted input: every length is checked.
///
/// Source: IPTC Information Interchange Model 4.1 and 4.2, 3 (datasets) and 6 (record 2).
enum IPTCRecords {
  /// The code and the name of the content's location, city, part of the city, region, and the code and the name of the
  /// country.
  private static let places: Set<UInt8> = [26, 27, 90, 92, 95, 100, 101]
  /// The record of texts about the picture.
  private static let application: UInt8 = 2

  /// One dataset.
  private struct DataSet {
    var record: UInt8
    var number: UInt8
    /// With its head.
    var range: Range<Int>
    var content: Range<Int>
  }

  /// The records with a change made; all other datasets byte for byte.
  ///
  /// - Throws: `FormatError.refused` when a place may be in what can't be read.
  static func changed(_ bytes: [UInt8], _ change: RecordChanges) throws(FormatError) -> [UInt8] {
    let sets = readable(bytes)
    let at = sets.last?.range.upperBound ?? 0
    // Some programs fill up with zeros.
    guard !change.refusesDamage || bytes[at...].allSatisfy({ $0 == 0 }) else {
      throw .refused(reason: localized("its IPTC metadata is damaged and may name the place"))
    }
    let texts = change.date.map { dates(sets, bytes, $0) } ?? [:]
    var result: [UInt8] = []
    for (index, set) in sets.enumerated() {
      if change.removesPlace, set.record == application, places.contains(set.number) { continue }
      result += bytes[set.range.lowerBound..<set.content.lowerBound] + (texts[index] ?? Array(bytes[set.content]))
    }
    return result + bytes[at...]
  }

  /// The day and the time at which the picture was taken, and at which it became a file.
  private static let times: [(day: UInt8, clock: UInt8)] = [(55, 60), (62, 63)]

  /// A dataset by its index, and its text.
  private typealias Found = (index: Int, text: String)

  private static func times(_ sets: [DataSet], _ bytes: [UInt8]) -> [(day: Found, clock: Found?)] {
    func text(_ number: UInt8) -> Found? {
      guard let index = sets.firstIndex(where: { $0.record == application && $0.number == number }) else { return nil }
      return (index, String(decoding: bytes[sets[index].content], as: UTF8.self))
    }
    return times.compactMap { numbers in text(numbers.day).map { ($0, text(numbers.clock)) } }
  }

  /// The dates with a time of day: `20261121T073106+0100`.
  static func timeTexts(_ bytes: [UInt8]) -> [String] {
    times(readable(bytes), bytes).compactMap { day, clock in clock.map { "\(day.text)T\($0.text)" } }
  }

  /// The datasets up to the first damage.
  private static func readable(_ bytes: [UInt8]) -> [DataSet] {
    var sets: [DataSet] = []
    while let set = dataSet(sets.last?.range.upperBound ?? 0, bytes) { sets.append(set) }
    return sets
  }

  /// The new texts of dates, by the index of their dataset: `20261121` and `073106+0100`, as long as the old ones.
  private static func dates(_ sets: [DataSet], _ bytes: [UInt8], _ change: DateChange) -> [Int: [UInt8]] {
    var texts: [Int: [UInt8]] = [:]
    for (day, clock) in times(sets, bytes) {
      guard let new = change.text(instead: day.text + (clock.map { "T\($0.text)" } ?? "")) else { continue }
      texts[day.index] = Array(new.utf8.prefix(day.text.utf8.count))
      if let clock { texts[clock.index] = Array(new.utf8.suffix(clock.text.utf8.count)) }
    }
    return texts
  }

  /// The records of a TIFF, which some programs write as numbers of four bytes in the file's byte order.
  ///
  /// - Parameter isOfWords: Whether the tag has numbers of four bytes.
  /// - Returns: As many bytes as numbers need.
  /// - Throws: `FormatError.refused` as `changed(_:_:)`.
  static func changed(
    _ bytes: [UInt8], isOfWords: Bool, _ change: RecordChanges
  ) throws(FormatError) -> [UInt8] {
    guard isOfWords else { return try changed(bytes, change) }
    func swapped(_ bytes: [UInt8]) -> [UInt8] {
      stride(from: 0, to: bytes.count, by: 4).flatMap { bytes[$0..<min(bytes.count, $0 + 4)].reversed() }
    }
    let isSwapped = bytes.count > 3 && bytes[0] != mark && bytes[3] == mark
    let old = isSwapped ? swapped(bytes) : bytes
    var new = try changed(old, change)
    if new == old { return bytes }
    new += BigEndian.zeros((4 - new.count % 4) % 4)
    return isSwapped ? swapped(new) : new
  }

  /// The first byte of every dataset.
  private static let mark: UInt8 = 0x1c

  /// Mark, record, number, and a length of two bytes; of longer ones the length of the length, and that.
  private static func dataSet(_ start: Int, _ bytes: [UInt8]) -> DataSet? {
    guard start + 5 <= bytes.count, bytes[start] == mark else { return nil }
    var length = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
    var content = start + 5
    if length >= 0x8000 {
      let digits = length & 0x7fff
      guard (1...4).contains(digits), content + digits <= bytes.count else { return nil }
      length = bytes[content..<content + digits].reduce(0) { $0 << 8 | Int($1) }
      content += digits
    }
    guard length <= bytes.count - content else { return nil }
    return DataSet(
      record: bytes[start + 1], number: bytes[start + 2], range: start..<content + length,
      content: content..<content + length)
  }
}
