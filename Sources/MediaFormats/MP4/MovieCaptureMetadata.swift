// When and where a movie was taken: changes of its description without a move of its samples.

import Foundation
import Localization

/// Changes the dates and the position of an MP4 or QuickTime movie.
///
/// The samples stay where they are, so that no table of offsets changes: a description that doesn't fit into its place is
/// written behind the movie, and free space is left where it was. Undoing that is a matter of few bytes.
///
/// Source: ISO/IEC 14496-12; Apple's QuickTime File Format, “User data atoms” and “Metadata atoms and types”.
public struct MovieCaptureMetadata: Sendable {
  /// The changes.
  public struct Changes: Sendable, Hashable {
    /// The change of a position.
    public enum Position: Sendable, Hashable {
      case kept
      case removed
      /// In degrees.
      case set(latitude: Double, longitude: Double)
    }

    /// The new time; `nil` keeps the old one.
    public var time: Time?
    public var position = Position.kept

    public init(time: Time? = nil, position: Position = .kept) { (self.time, self.position) = (time, position) }
  }

  /// A new time.
  public struct Time: Sendable, Hashable {
    /// Seconds since 1970. Tracks keep their differences to the movie.
    public var seconds: Int64
    /// With the offset from UTC, as Apple's devices write it: `2026-11-21T07:31:06+0100`.
    public var text: String
    /// For other texts, which are changed where they say the former date; `nil` leaves them.
    public var date: DateChange?

    public init(seconds: Int64, text: String, date: DateChange? = nil) {
      (self.seconds, self.text, self.date) = (seconds, text, date)
    }
  }

  /// Bytes that replace others.
  public struct Edit: Sendable, Hashable {
    /// Of the source. An empty range is an insertion.
    public var range: Range<UInt64>
    public var bytes: [UInt8]
  }

  /// The longest `moov` box, in bytes.
  private static let largestDescription: UInt64 = 64 << 20
  private static let mostBoxes = 1 << 18

  var movie: MP4Box
  private let head: MP4BoxHead
  private let range: Range<UInt64>
  private let isQuickTime: Bool
  private let isFragmented: Bool
  private let isLast: Bool
  private let canGrow: Bool

  /// The replacements for a change, in order; none when nothing has to change.
  ///
  /// - Parameters:
  ///   - range: Of the movie in the source.
  ///   - mayGrow: Whether the movie may become longer. Where it may not, what needs more room is left out.
  /// - Throws: `FormatError.refused` when the change can't be made; `read`.
  public static func edits(
    of source: any ByteSource, range: Range<UInt64>, _ changes: Changes, mayGrow: Bool
  ) throws(FormatError) -> [Edit] {
    if changes == Changes() { return [] }
    let old = try Self(source, range, mayGrow: mayGrow)
    var new = old
    try new.change(changes, adds: true)
    if !new.fits(old), !old.canGrow {
      new = old
      try new.change(changes, adds: false)
    }
    var edits: [Edit] = []
    if changes.position == .removed {
      edits = try MovieLocation.cleanRemains(of: new.movie, instead: old.movie, in: source, range)
    }
    edits += try new.edits(instead: old, changes.position)
    edits += try packetEdits(source, range, changes)
    return edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  private init(_ source: any ByteSource, _ range: Range<UInt64>, mayGrow: Bool) throws(FormatError) {
    var walker = MP4BoxWalker(ByteWindow(source), in: range, limit: Self.mostBoxes)
    var top: [MP4BoxHead] = []
    while let box = try walker.next(), !box.isPadding { top.append(box) }
    guard walker.damage == nil else { throw .damagedMovie }
    guard let head = top.first(where: { $0.type == "moov" }), let kind = top.first(where: { $0.type == "ftyp" }) else {
      throw .truncatedMovie
    }
    guard head.range.count <= Self.largestDescription, head.content.lowerBound - head.range.lowerBound == 8,
      !head.isOpenEnded
    else { throw .damagedMovie }
    let bytes = try source.bytes(at: head.content.lowerBound, count: Int(head.content.count))
    movie = MP4Box("moov", children: try MP4Box.boxes(in: bytes[...]))
    movie.padding = MP4Box.padding(in: bytes[...])
    (self.head, self.range) = (head, range)
    isQuickTime = try source.prefix(at: kind.content.lowerBound, count: 4) == Array("qt  ".utf8)
    isFragmented = movie["mvex"] != nil || top.contains { $0.type == "moof" }
    isLast = head.range.upperBound == range.upperBound
    // A box that reaches to the end would swallow what is written behind it.
    let isClosed = top.last?.isOpenEnded == false && top.last?.range.upperBound == range.upperBound
    canGrow = mayGrow && (isLast || isClosed && !isFragmented)
  }

  private var written: [UInt8] { movie.written }

  /// Whether it can take the place of another description.
  private func fits(_ old: Self) -> Bool {
    let (new, room) = (movie.count, Int(head.range.count))
    return new == room || new + 8 <= room
  }

  private func edits(instead old: Self, _ position: Changes.Position) throws(FormatError) -> [Edit] {
    let (bytes, before) = (written, old.written)
    guard bytes != before else { return [] }
    guard UInt64(before.count) == UInt64(head.range.count) else { throw .damagedMovie }
    if bytes.count == before.count || isLast && canGrow { return [Edit(range: head.range, bytes: bytes)] }
    if fits(old) {
      var filled = self
      filled.movie.children?.append(MP4Box("free", BigEndian.zeros(before.count - bytes.count - 8)))
      return [Edit(range: head.range, bytes: filled.written)]
    }
    guard canGrow else {
      throw .refused(reason: localized("the video’s description has no room for it"))
    }
    let start = head.range.lowerBound
    let free = Edit(range: start + 4..<start + 8, bytes: Array("free".utf8))
    // What becomes free space must not tell the former place.
    var blanked = old
    switch position {
    case .kept: break
    case .removed: Self.blankPositions(in: &blanked.movie, andIndex: true)
    case .set: Self.blankPositions(in: &blanked.movie, andIndex: false)
    }
    return [free] + Self.differences(before, blanked.written, at: start)
      + [Edit(range: range.upperBound..<range.upperBound, bytes: bytes)]
  }

  /// The replacements in the content of a box, for bytes of the same length.
  static func differences(_ old: [UInt8], _ new: [UInt8], at start: UInt64) -> [Edit] {
    guard old != new, old.count == new.count else { return [] }
    var edits: [Edit] = []
    var at = 8
    while at < old.count {
      guard old[at] != new[at] else {
        at += 1
        continue
      }
      // Behind the last difference; those with few bytes between them are one.
      var (end, next) = (at + 1, at + 1)
      while next < old.count, next - end < 64 {
        if old[next] != new[next] { end = next + 1 }
        next += 1
      }
      edits.append(Edit(range: start + UInt64(at)..<start + UInt64(end), bytes: Array(new[at..<end])))
      at = next
    }
    return edits
  }

  /// Overwrites all that `changePosition` replaces or removes with zeros, at its place.
  ///
  /// - Parameter index: Whether the index of a dashcam's track is overwritten as well.
  static func blankPositions(in movie: inout MP4Box, andIndex index: Bool) {
    func blank(_ box: inout MP4Box) { box.bytes = BigEndian.zeros(box.bytes.count) }
    func clean(_ data: inout MP4Box) {
      data.changeAll("loci", blank)
      data.changeAll("©xyz", blank)
      data.changeAll("XMP_", blank)
      data.changeAll("meta", blankList)
    }
    if index { movie.changeAll("gps ", blank) }
    movie.changeAll("udta", clean)
    movie.changeAll("trak") { track in track.changeAll("udta", clean) }
    movie.changeAll("meta", blankList)
  }

  /// Overwrites the positions in a list, in QuickTime's or iTunes' form, with zeros.
  private static func blankList(_ box: inout MP4Box) {
    let bytes = box.bytes
    guard bytes.count > 8 else { return }
    func boxes(in range: Range<UInt64>) -> [MP4BoxHead] {
      var walker = MP4BoxWalker(MemoryReader(bytes[...]), in: range, limit: mostBoxes)
      var heads: [MP4BoxHead] = []
      while let head = walker.next() { heads.append(head) }
      return heads
    }
    let start: UInt64 = bytes[4..<8].elementsEqual("hdlr".utf8) ? 0 : 4
    let parts = boxes(in: start..<UInt64(bytes.count))
    let keys = parts.first { $0.type == "keys" && $0.content.count >= 8 }
    let names = (keys.map { boxes(in: $0.content.lowerBound + 8..<$0.content.upperBound) } ?? []).map { name in
      String(decoding: bytes[Int(name.content.lowerBound)..<Int(name.content.upperBound)], as: UTF8.self)
    }
    for item in parts.first(where: { $0.type == "ilst" }).map({ boxes(in: $0.content) }) ?? [] {
      let key = Int(item.type.code) - 1
      guard item.type == "©xyz" || names.indices.contains(key) && QuickTimeMetadata.isPosition(names[key]) else {
        continue
      }
      box.bytes.replaceSubrange(
        Int(item.content.lowerBound)..<Int(item.content.upperBound), with: BigEndian.zeros(item.content.count))
    }
  }

  // MARK: Changing

  private mutating func change(_ changes: Changes, adds: Bool) throws(FormatError) {
    if let time = changes.time { try change(time, adds: adds) }
    switch changes.position {
    case .kept: break
    case .removed: try changePosition(nil, adds: false)
    case .set(let latitude, let longitude): try changePosition((latitude, longitude), adds: adds)
    }
  }

  private mutating func change(_ time: Time, adds: Bool) throws(FormatError) {
    // Of the movie; `nil` where it told no plausible time.
    var shift: Int64?
    try movie.changeAll("mvhd") { head throws(FormatError) in
      shift = MP4Head.time(try head.number(at: 4, head.isLong ? 8 : 4)).map { time.seconds - $0 }
      guard Self.set(&head, time.seconds) else {
        throw .refused(reason: localized("its format only has dates from 1904 to 2040"))
      }
    }
    try movie.changeAll("trak") { track throws(FormatError) in
      try track.changeAll("tkhd") { head throws(FormatError) in try Self.move(&head, time, shift) }
      try track.changeAll("mdia") { media throws(FormatError) in
        try media.changeAll("mdhd") { head throws(FormatError) in try Self.move(&head, time, shift) }
      }
    }
    if let date = time.date { try changeDates(date) }
    var isKept = false
    changeLists { list in
      guard let old = list.text(QuickTimeMetadata.creationDate),
        adds || old.utf8.count == time.text.utf8.count
      else { return }
      list.replace(QuickTimeMetadata.creationDate, time.text)
      isKept = true
    }
    if !isKept, adds, movie["meta"] == nil || metadata != nil {
      setMetadata(metadata ?? QuickTimeMetadata(), QuickTimeMetadata.creationDate, time.text)
    }
  }

  /// Changes all lists of keys and values in QuickTime's form: in the movie itself, as they should be, and in its user data,
  /// where some programs write them.
  private mutating func changeLists(_ change: (inout QuickTimeMetadata) -> Void) {
    func changed(_ box: inout MP4Box) {
      guard let old = QuickTimeMetadata(box) else { return }
      var list = old
      change(&list)
      if list != old { box = list.box }
    }
    movie.changeAll("meta", changed)
    movie.changeAll("udta") { data in data.changeAll("meta", changed) }
  }

  /// The keys and values of the movie, in QuickTime's form; `nil` for none, and for another form.
  private var metadata: QuickTimeMetadata? { movie["meta"].flatMap { QuickTimeMetadata($0) } }

  private mutating func setMetadata(_ list: QuickTimeMetadata, _ name: String, _ text: String) {
    var list = list
    // In QuickTime's form also in an MP4, as phones write it and other programs read it.
    if movie["meta"] == nil { list.hasVersion = false }
    list.set(name, text)
    movie["meta"] = list.box
  }

  /// Moves the time of a track along with the movie's, or sets it where one of them made no sense. One that its header has
  /// no room for stays, as no reader takes it for the movie's.
  private static func move(_ head: inout MP4Box, _ time: Time, _ shift: Int64?) throws(FormatError) {
    let old = try head.number(at: 4, head.isLong ? 8 : 4)
    guard old > 0 else { return }
    if let former = MP4Head.time(old), let shift {
      set(&head, former + shift)
    } else {
      set(&head, time.seconds)
    }
  }

  /// Sets the creation time of a header.
  ///
  /// - Parameter seconds: Since 1970.
  /// - Returns: Whether the header can hold it.
  @discardableResult
  private static func set(_ head: inout MP4Box, _ seconds: Int64) -> Bool {
    let count = seconds + MP4Head.secondsFrom1904To1970
    guard count > 0, head.isLong || count <= Int64(UInt32.max) else { return false }
    head.setNumber(UInt64(count), at: 4, head.isLong ? 8 : 4)
    return true
  }

  /// The content of a box of a text in the user data.
  static func text(_ text: String, language: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    BigEndian.append(UInt64(text.utf8.count), 2, to: &bytes)
    return bytes + language + Array(text.utf8)
  }

  private mutating func changePosition(
    _ place: (latitude: Double, longitude: Double)?, adds: Bool
  ) throws(FormatError) {
    let isRemoval = place == nil
    /// - Parameter count: The length that the text has to have; `nil` for any.
    func text(_ count: Int?) -> String? {
      guard let place else { return nil }
      let forms = (0...8).reversed().map { MoviePosition.text(place.latitude, place.longitude, decimals: $0) }
      return adds || count == nil
        ? MoviePosition.text(place.latitude, place.longitude, decimals: 6)
        : forms.first { $0.utf8.count == count }
    }
    var isKept = false
    func clean(_ data: inout MP4Box) throws(FormatError) {
      data.keep { $0.type != "loci" }
      try data.changeAll("XMP_") { box throws(FormatError) in
        if let packet = try XMPPacket.withoutPosition(box.bytes, isRequired: isRemoval) { box.bytes = packet.bytes }
      }
      data.changeAll("meta") { Self.cleanList(&$0) }
      for index in (data.children ?? []).indices.reversed() where data.children?[index].type == "©xyz" {
        let old = data.children?[index].bytes ?? []
        if let new = text(max(0, old.count - 4)) {
          isKept = true
          data.children?[index].bytes = Self.text(new, language: old.count >= 4 ? old[2..<4] : [0x55, 0xc4])
        } else {
          data.children?.remove(at: index)
        }
      }
    }
    // A dashcam's index of its track, which another place of the movie doesn't make wrong.
    if place == nil { movie.keep { $0.type != "gps " } }
    try movie.changeAll("udta", clean)
    try movie.changeAll("trak") { track throws(FormatError) in try track.changeAll("udta", clean) }
    changeLists { list in
      list.otherItems.removeAll { item in
        QuickTimeMetadata.isPosition(String(decoding: item.key.bytes + item.key.padding, as: UTF8.self))
      }
      let new = list.text(QuickTimeMetadata.position).flatMap { text($0.utf8.count) }
      list.items.removeAll { item in
        QuickTimeMetadata.isPosition(item.name) && !(item.name == QuickTimeMetadata.position && new != nil)
      }
      if let new {
        isKept = true
        list.replace(QuickTimeMetadata.position, new)
      }
    }
    if let metadata, metadata.items.isEmpty, metadata.otherItems.isEmpty, metadata.otherBoxes.isEmpty {
      movie["meta"] = nil
    }
    if !isKept, adds, isQuickTime, let list = metadata, let new = text(nil) {
      setMetadata(list, QuickTimeMetadata.position, new)
      isKept = true
    }
    if !isKept, adds, let new = text(nil) { add(new) }
  }

  /// Removes positions from a list in iTunes' form.
  private static func cleanList(_ box: inout MP4Box) {
    guard box.bytes.count > 4, QuickTimeMetadata(box) == nil, var parts = try? MP4Box.boxes(in: box.bytes[4...]),
      let index = parts.firstIndex(where: { $0.type == "ilst" }),
      let items = try? MP4Box.boxes(in: parts[index].bytes[...]), items.contains(where: { $0.type == "©xyz" })
    else { return }
    parts[index].bytes = []
    for item in items where item.type != "©xyz" { item.write(to: &parts[index].bytes) }
    box.bytes = Array(box.bytes[..<4])
    for part in parts { part.write(to: &box.bytes) }
  }

  /// Adds a position to a movie that told none.
  private mutating func add(_ position: String) {
    if isQuickTime, movie["meta"] == nil {
      return setMetadata(QuickTimeMetadata(), QuickTimeMetadata.position, position)
    }
    let box = MP4Box("©xyz", Self.text(position, language: [0x55, 0xc4]))
    if movie["udta"]?.children != nil {
      movie["udta"]?.children?.append(box)
    } else if movie["udta"] == nil {
      movie["udta"] = MP4Box("udta", children: [box])
    } else if movie["meta"] == nil {
      setMetadata(QuickTimeMetadata(), QuickTimeMetadata.position, position)
    }
  }
}
