// Dates and positions in EXIF blocks, changed in place.

import Foundation
import Testing

@testable import MediaFormats

@Suite struct EXIFBlockTests {
  private static let date = "2026:11:21 07:31:06"

  /// A block with a date, a note of the camera's maker and a further directory, as `TIFFWriter` makes it.
  private static func block(isBigEndian: Bool) -> Data {
    let camera = [
      TIFFField(0x9003, bytes: Array("2020:05:06 07:08:09\0".utf8), type: 2),
      TIFFField(0x927c, bytes: Array("Nobody's note".utf8), type: 7),
    ]
    let fields = [
      TIFFField(271, bytes: Array("Nobody\0".utf8), type: 2), TIFFField(TIFFTag.exif, directory: camera),
    ]
    return TIFFHead.block(fields, isBigEndian: isBigEndian)
  }

  @Test(arguments: [false, true]) func aDateIsOverwrittenWhereItIs(isBigEndian: Bool) throws {
    let old = Self.block(isBigEndian: isBigEndian)
    var block = try EXIFBlock(old)
    #expect(block.text(.dateTimeOriginal) == "2020:05:06 07:08:09" && block.text(.offsetOriginal) == nil)
    try block.set([.dateTimeOriginal: Self.date])
    #expect(block.bytes.count == old.count && block.text(.dateTimeOriginal) == Self.date)
    #expect(zip(block.bytes, old).count { $0 != $1 } < 19)
    try block.set([.dateTimeOriginal: "2020:05:06 07:08:09"])
    #expect(Data(block.bytes) == old)
  }

  @Test(arguments: [false, true]) func whatIsNewIsAppendedAndNothingMoves(isBigEndian: Bool) throws {
    let old = Self.block(isBigEndian: isBigEndian)
    var block = try EXIFBlock(old)
    try block.set([.dateTimeOriginal: Self.date, .offsetOriginal: "+01:00", .subsecondsOriginal: "123"])
    try block.setPosition(latitude: -46.948, longitude: 7.4474)
    #expect(block.text(.dateTimeOriginal) == Self.date && block.text(.offsetOriginal) == "+01:00")
    #expect(block.text(.subsecondsOriginal) == "123" && block.hasPosition)
    let note = Data("Nobody's note".utf8)
    #expect(Data(block.bytes).firstRange(of: note) == old.firstRange(of: note))
    // A second position takes the place of the first.
    let count = block.bytes.count
    try block.setPosition(latitude: 10, longitude: -20)
    #expect(block.bytes.count == count)
    try block.removePosition()
    #expect(!block.hasPosition && block.bytes.count == count && block.text(.offsetOriginal) == "+01:00")
    #expect(Data(block.bytes).firstRange(of: Data("WGS-84".utf8)) == nil)
  }

  @Test func aNewBlockHoldsWhatIsSet() throws {
    var block = try EXIFBlock(nil)
    try block.set([.dateTimeOriginal: Self.date])
    try block.setPosition(latitude: 0, longitude: 180)
    #expect(try EXIFBlock(Data(block.bytes)).text(.dateTimeOriginal) == Self.date)
  }

  /// Every four bytes of a block that has all of it point to every place in it once.
  @Test(arguments: [false, true]) func whatIsUsedTwiceIsNotOverwritten(isBigEndian: Bool) throws {
    var whole = try EXIFBlock(Self.block(isBigEndian: isBigEndian))
    try whole.setPosition(latitude: 10, longitude: -20)
    let texts: [EXIFBlock.Text: String] = [.dateTimeOriginal: Self.date, .offsetOriginal: "+01:00"]
    var refusals = 0
    for place in stride(from: 4, to: whole.bytes.count - 4, by: 2) {
      for offset in stride(from: 0, to: whole.bytes.count, by: 5) {
        var bytes = whole.bytes
        bytes.replaceSubrange(place..<place + 4, with: TIFFWriter.number(UInt32(offset), 4, isBigEndian))
        do {
          var block = try EXIFBlock(Data(bytes))
          try block.set(texts)
          for (tag, text) in texts { #expect(block.text(tag) == text, "\(offset) at \(place)") }
          try block.setPosition(latitude: -33.5, longitude: 179.999)
          #expect(block.hasPosition, "\(offset) at \(place)")
          for (tag, text) in texts { #expect(block.text(tag) == text, "\(offset) at \(place)") }
          try block.removePosition()
          #expect(!block.hasPosition, "\(offset) at \(place)")
          for (tag, text) in texts { #expect(block.text(tag) == text, "\(offset) at \(place)") }
        } catch { refusals += 1 }
      }
    }
    #expect(refusals > 0)
  }

  /// A block whose maker's note states a length that reaches over the position, which a program has appended.
  ///
  /// - Parameter length: Of the note, in bytes.
  private static func covered(isBigEndian: Bool, by length: Int? = nil) throws -> [UInt8] {
    var block = try EXIFBlock(Self.block(isBigEndian: isBigEndian))
    try block.setPosition(latitude: -46.948, longitude: 7.4474)
    var bytes = block.bytes
    let entry = TIFFWriter.number(0x927c, 2, isBigEndian) + TIFFWriter.number(7, 2, isBigEndian)
    let at = try #require(bytes.firstRange(of: entry)).upperBound
    let start = try #require(bytes.firstRange(of: Array("Nobody's note".utf8))).lowerBound
    bytes.replaceSubrange(
      at..<at + 4, with: TIFFWriter.number(UInt32(length ?? bytes.count - start), 4, isBigEndian))
    return bytes
  }

  @Test(arguments: [false, true]) func aNoteThatReachesTooFarLosesThePosition(isBigEndian: Bool) throws {
    let whole = try Self.covered(isBigEndian: isBigEndian)
    let note = Array("Nobody's note".utf8)
    let start = try #require(whole.firstRange(of: note)).lowerBound
    // To the end, and up to some byte of the position.
    for length in [nil] + stride(from: 13, to: whole.count - start, by: 7).map({ $0 }) {
      let bytes = try Self.covered(isBigEndian: isBigEndian, by: length)
      var block = try EXIFBlock(Data(bytes))
      try block.removePosition()
      #expect(!block.hasPosition && block.bytes.count == bytes.count)
      #expect(block.bytes.firstRange(of: Array("WGS-84".utf8)) == nil && block.bytes.firstRange(of: note) != nil)
      #expect(block.text(.dateTimeOriginal) == "2020:05:06 07:08:09")
      block = try EXIFBlock(Data(bytes))
      try block.setPosition(latitude: 1, longitude: 2)
      #expect(block.hasPosition && block.bytes.firstRange(of: note) != nil)
    }
  }

  /// A directory of the thumbnail, or of interoperability, at the same bytes as the position's.
  @Test func otherDirectoriesAreNotOverwritten() throws {
    var block = try EXIFBlock(Self.block(isBigEndian: true))
    try block.setPosition(latitude: 1, longitude: 2)
    let whole = block.bytes
    let pointer = try #require(whole.firstRange(of: [0x88, 0x25, 0, 4, 0, 0, 0, 1])).upperBound
    let position = Array(whole[pointer..<pointer + 4])
    // Behind the entries of the first directory.
    let first = Int(BigEndian.number(whole, at: 4, count: 4))
    let next = first + 2 + 12 * Int(BigEndian.number(whole, at: first, count: 2))
    var bytes = whole
    bytes.replaceSubrange(next..<next + 4, with: position)
    block = try EXIFBlock(Data(bytes))
    #expect(throws: FormatError.self) { try block.removePosition() }
    // The note's entry becomes that of a pointer.
    bytes = whole
    let entry = try #require(whole.firstRange(of: [0x92, 0x7c, 0, 7])).lowerBound
    bytes.replaceSubrange(entry..<entry + 12, with: [0xa0, 0x05, 0, 4, 0, 0, 0, 1] + position)
    block = try EXIFBlock(Data(bytes))
    #expect(throws: FormatError.self) { try block.removePosition() }
  }

  @Test func everyDamageIsRefusedOrSurvived() throws {
    let whole = Self.block(isBigEndian: true)
    for count in 0..<whole.count { Self.change(whole.prefix(count)) }
    for index in whole.indices {
      for byte in [UInt8(0), 1, 0x7f, 0xff] {
        var damaged = whole
        damaged[index] = byte
        Self.change(damaged)
      }
    }
  }

  private static func change(_ exif: Data) {
    guard var block = try? EXIFBlock(exif) else { return }
    _ = block.text(.dateTimeOriginal)
    try? block.set([.dateTimeOriginal: date, .offsetOriginal: "+01:00"])
    try? block.setPosition(latitude: 1, longitude: 2)
    try? block.removePosition()
  }
}
