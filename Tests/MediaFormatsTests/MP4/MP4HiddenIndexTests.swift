// A description that a muxer had hidden is found again, whatever of its steps had reached the disk.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct MP4HiddenIndexTests {
  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    HandMadeMovie.bytes(UInt64(8 + content.count), 4) + Array(type.utf8) + content
  }

  /// Samples with the names of boxes in them, which are none.
  private static let samples =
    [UInt8](repeating: 5, count: 100) + Array("hoov".utf8) + [0, 0, 0, 40] + Array("moov".utf8)
    + [UInt8](repeating: 6, count: 60)
  private static let front = box("ftyp", Array("mp42".utf8) + [0, 0, 0, 0]) + box("free", [])
  private static let description = box("moov", box("mvhd", [UInt8](repeating: 0, count: 100)))
  private static let fragments =
    box("free", []) + box("mdat", [1, 2, 3]) + box("moof", [UInt8](repeating: 0, count: 30)) + box("free", [])
    + [0, 0, 0, 0] + Array("mdat".utf8) + [7, 7, 7]
  /// While it is recorded.
  private static let movie = front + box("mdat", samples) + description + fragments

  /// The same, while its end is being written.
  private func ending(isNamed: Bool, isLengthened: Bool, isLong: Bool = false, tail: [UInt8] = []) -> [UInt8] {
    var movie = Self.movie
    let media = Self.front.count
    if isLong {
      // The box in front makes room for the longer head.
      let length = HandMadeMovie.bytes(UInt64(movie.count - media + 8), 8)
      movie.replaceSubrange(media - 8..<media + 8, with: [0, 0, 0, 1] + Array("mdat".utf8) + length)
    } else if isLengthened {
      movie.replaceSubrange(media..<media + 4, with: HandMadeMovie.bytes(UInt64(movie.count - media), 4))
    }
    if !isNamed { movie[media + 8 + Self.samples.count + 4] = UInt8(ascii: "h") }
    return movie + tail
  }

  private func mended(_ bytes: [UInt8]) throws -> [UInt8]? {
    guard let hidden = try MP4HiddenIndex(MemorySource(Data(bytes))) else { return nil }
    return hidden.patches.reduce(into: bytes) { bytes, patch in
      bytes.replaceSubrange(Int(patch.offset)..<Int(patch.offset) + patch.bytes.count, with: patch.bytes)
    }
  }

  @Test func everyStepIsUndone() throws {
    #expect(try mended(ending(isNamed: false, isLengthened: false)) == Self.movie)
    #expect(try mended(ending(isNamed: false, isLengthened: true)) == Self.movie)
    #expect(try mended(ending(isNamed: true, isLengthened: true)) == Self.movie)
    let torn = HandMadeMovie.bytes(5000, 4) + Array("moov".utf8) + [0, 0, 0, 108] + Array("mvhd".utf8)
    #expect(try mended(ending(isNamed: false, isLengthened: true, tail: torn)) == Self.movie + torn)
    // Less than a box's head.
    #expect(try mended(ending(isNamed: false, isLengthened: true, tail: [0, 0, 9])) == Self.movie + [0, 0, 9])
  }

  @Test func aLongMovieKeepsItsLongHead() throws {
    let bytes = try #require(try mended(ending(isNamed: false, isLengthened: true, isLong: true)))
    let boxes = try boxes(bytes)
    #expect(boxes == ["ftyp", "mdat", "moov", "free", "mdat", "moof", "free", "mdat"])
  }

  @Test func halfOfTheMendingIsMendedAgain() throws {
    let bytes = ending(isNamed: false, isLengthened: true)
    let hidden = try #require(try MP4HiddenIndex(MemorySource(Data(bytes))))
    for patch in hidden.patches {
      var half = bytes
      half.replaceSubrange(Int(patch.offset)..<Int(patch.offset) + patch.bytes.count, with: patch.bytes)
      #expect(try mended(half) == Self.movie)
    }
  }

  @Test func whatHasAnIndexOrNoneAtAllIsLeftAlone() throws {
    #expect(try mended(Self.movie) == nil)
    #expect(try mended(ending(isNamed: false, isLengthened: true, tail: Self.description)) == nil)
    #expect(try mended([UInt8](HandMadeMovie().data)) == nil)
    #expect(try mended(Self.front + Self.box("mdat", Self.samples)) == nil)
    #expect(try mended([]) == nil)
    #expect(try mended(Array("no movie at all".utf8)) == nil)
  }

  @Test func anyDamageIsSurvived() throws {
    var numbers = SeededNumbers.fresh()
    let whole = ending(isNamed: false, isLengthened: true)
    for _ in 0..<500 {
      var bytes = Array(whole.prefix(Int(numbers.next() % UInt64(whole.count))))
      guard !bytes.isEmpty else { continue }
      for _ in 0..<3 { bytes[Int(numbers.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: numbers.next()) }
      let result = try mended(bytes)
      #expect(result == nil || result?.count == bytes.count)
    }
  }

  private func boxes(_ bytes: [UInt8]) throws -> [String] {
    var walker = MP4BoxWalker(ByteWindow(MemorySource(Data(bytes))), in: 0..<UInt64(bytes.count), limit: 100)
    var types: [String] = []
    while let box = try walker.next() { types.append("\(box.type)") }
    return types
  }
}
