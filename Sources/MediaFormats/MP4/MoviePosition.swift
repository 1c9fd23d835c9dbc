// The position at which a movie was recorded, in the movie's user data.

import Foundation

/// Reads and adds the box `©xyz` in `moov/udta`, which phones write and photo services read: the length and the language of
/// a text, and the text, a position in the form of ISO 6709, annex H, as `+46.948000+007.447400/`.
///
/// Source: QuickTime File Format, “User data atoms”.
public struct MoviePosition: Sendable, Hashable {
  /// Bytes to be overwritten.
  public struct Patch: Hashable, Sendable {
    public var offset: UInt64
    public var bytes: [UInt8]
  }

  /// To be written behind the file's end.
  public private(set) var tail: [UInt8] = []
  /// What is to be overwritten when the tail is on the disk, in this order. Between any two of these steps the file is a
  /// whole movie, without a position until the last one.
  public private(set) var patches: [Patch] = []

  /// The longest text that is read, in bytes.
  static let longestText = 256
  /// Undetermined, in the packed form of ISO 639-2/T that ISO/IEC 14496-12 uses.
  private static let undetermined: UInt64 = 0x55c4
  private static let largestBoxCount = 100_000

  /// Plans how a finished movie, whose index is its last box, gets a position.
  ///
  /// - Parameter text: A position in the form of ISO 6709.
  /// - Returns: `nil` for another file, and for a movie that tells a position.
  /// - Throws: `FormatError.read`.
  public init?(_ text: String, in source: any ByteSource) throws(FormatError) {
    let count = UInt64(text.utf8.count)
    guard (1...UInt64(Self.longestText)).contains(count),
      let movie = try Self.lastBox(of: source, in: 0..<source.count),
      movie.type == "moov", movie.content.lowerBound - movie.range.lowerBound == 8, !movie.isOpenEnded
    else { return nil }
    var walker = MP4BoxWalker(ByteWindow(source), in: movie.content, limit: Self.largestBoxCount)
    var data: MP4BoxHead?
    while data == nil, let box = try walker.next() {
      if box.type == "udta" { data = box }
    }
    var box: [UInt8] = []
    BigEndian.append(count, 2, to: &box)
    BigEndian.append(Self.undetermined, 2, to: &box)
    MP4Box("©xyz", box + Array(text.utf8)).write(to: &tail)
    guard let data else {
      let position = tail
      tail = BigEndian.words(UInt64(position.count) + 8) + Array("udta".utf8) + position
      guard let patch = Self.longer(movie, by: tail.count) else { return nil }
      patches = [patch]
      return
    }
    // Behind the user data nothing can be added to them without moving it.
    guard data.range.upperBound == movie.range.upperBound, !data.isOpenEnded,
      data.content.lowerBound - data.range.lowerBound == 8
    else { return nil }
    var inside = MP4BoxWalker(ByteWindow(source), in: data.content, limit: Self.largestBoxCount)
    var end = data.content.lowerBound
    while let box = try inside.next() {
      if box.type == "©xyz" || box.isOpenEnded { return nil }
      end = box.range.upperBound
    }
    // QuickTime's zeros at the end would end the list before the position.
    guard inside.damage == nil, end == data.content.upperBound, let first = Self.longer(movie, by: tail.count),
      let second = Self.longer(data, by: tail.count)
    else { return nil }
    // The movie first: for a moment it has a box that nobody knows, and never one that reaches past its end.
    patches = [first, second]
  }

  /// A box's new length.
  private static func longer(_ box: MP4BoxHead, by count: Int) -> Patch? {
    let length = UInt64(box.range.count) + UInt64(count)
    guard length <= UInt64(UInt32.max) else { return nil }
    return Patch(offset: box.range.lowerBound, bytes: BigEndian.words(length))
  }

  private static func lastBox(of source: any ByteSource, in range: Range<UInt64>) throws(FormatError) -> MP4BoxHead? {
    var walker = MP4BoxWalker(ByteWindow(source), in: range, limit: largestBoxCount)
    var last: MP4BoxHead?
    while let box = try walker.next() { last = box }
    return walker.damage == nil && last?.range.upperBound == range.upperBound ? last : nil
  }

  /// A position in the form of ISO 6709, `+46.948000+007.447400/`.
  ///
  /// - Parameter decimals: Of the degrees.
  static func text(_ latitude: Double, _ longitude: Double, decimals: Int) -> String {
    func text(_ degrees: Double, digits: Int) -> String {
      let width = digits + (decimals == 0 ? 0 : decimals + 1)
      let number = String(format: "%.\(decimals)f", abs(degrees))
      return (degrees < 0 ? "-" : "+") + String(repeating: "0", count: max(0, width - number.count)) + number
    }
    return text(latitude, digits: 2) + text(longitude, digits: 3) + "/"
  }

  /// The text in the content of `©xyz`; `nil` when it is cut short.
  static func text(_ content: [UInt8]) -> String? {
    guard content.count > 4 else { return nil }
    let count = Int(BigEndian.number(content, at: 0, count: 2))
    guard (1...longestText).contains(count), count <= content.count - 4 else { return nil }
    return String(decoding: content[4..<4 + count], as: UTF8.self)
  }
}
