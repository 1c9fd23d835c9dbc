// The end of a picture in its file, and of the pictures that belong to it.

import Foundation
import Testing

@testable import MediaFormats

@Suite struct JPEGExtentTests {
  /// A file of some pictures with an index of them, with bytes between them and behind them.
  private func file(pictures: Int, gap: [UInt8] = [], behind: [UInt8] = [], cut: Int = 0) -> (
    bytes: [UInt8], first: Int
  ) {
    let other = Array(JPEGSample().bytes.dropLast(cut))
    func index(_ size: Int, _ start: Int) -> [UInt8] {
      // Big endian, and a directory of one entry behind the head: the list of pictures.
      var block = Array("MM".utf8) + BigEndian.halves(42) + BigEndian.words(8) + BigEndian.halves(1, 0xb002, 7)
      block += BigEndian.words(UInt64(16 * (pictures + 1)), 26, 0)
      block += BigEndian.words(0x2003_0000, UInt64(size), 0, 0)
      for number in 0..<pictures {
        let offset = start + number * (other.count + gap.count)
        block += BigEndian.words(0, UInt64(other.count), UInt64(offset), 0)
      }
      return JPEGSample.segment(0xe2, Array("MPF\0".utf8) + block)
    }
    let length = JPEGSample(front: [index(0, 0)]).bytes.count
    // Offsets count from the byte order mark, behind SOI, marker, length and name.
    let first = JPEGSample(front: [index(length, length + gap.count - 10)]).bytes
    var bytes = first
    for _ in 0..<pictures { bytes += gap + other }
    return (bytes + behind, first.count)
  }

  private func extent(_ bytes: [UInt8], upTo limit: Int? = nil) throws -> JPEGExtent? {
    try JPEGExtent(MemorySource(bytes), upTo: UInt64(limit ?? bytes.count))
  }

  @Test func aTrailerIsNoPicture() throws {
    let picture = JPEGSample().bytes
    for trailer in [[], Array("SEFT".utf8), JPEGSample().bytes, [UInt8](repeating: 0, count: 9)] {
      let found = try #require(try extent(picture + trailer))
      #expect(Int(found.end) == picture.count && found.endOfPictures == found.end && !found.namesPictures)
    }
    #expect(try extent(Array(picture.dropLast(2))) == nil && extent([1, 2, 3]) == nil && extent([]) == nil)
    #expect(try extent(picture, upTo: picture.count - 1) == nil)
  }

  @Test(arguments: [0, 7]) func picturesOfTheIndexBelongToIt(gap: Int) throws {
    let trailer = Array("anything else".utf8)
    let (bytes, first) = file(pictures: 2, gap: [UInt8](repeating: 0, count: gap), behind: trailer)
    let found = try #require(try extent(bytes))
    #expect(Int(found.end) == first && found.namesPictures && !found.losesPictures)
    #expect(Int(found.endOfPictures) == bytes.count - trailer.count)
  }

  /// What isn't a whole picture right behind the first, or hides something, is none.
  @Test func otherBytesOfTheIndexAreLeftOut() throws {
    for (bytes, first) in [
      file(pictures: 1, gap: Array("sound".utf8)), file(pictures: 1, cut: 2), file(pictures: 100),
    ] {
      let found = try #require(try extent(bytes))
      #expect(Int(found.end) == first && found.endOfPictures == found.end && found.losesPictures)
    }
    let (bytes, first) = file(pictures: 1)
    let found = try #require(try extent(bytes, upTo: bytes.count - 1))
    #expect(Int(found.end) == first && found.losesPictures)
  }

  @Test func aFailedReadIsAnError() {
    let bytes = JPEGSample().bytes
    #expect(throws: FormatError.read(ReadFailure(code: EIO))) {
      try JPEGExtent(MemorySource(bytes, failure: (20, EIO)), upTo: UInt64(bytes.count))
    }
  }

  @Test(
    arguments: [
      ([0x12, 0xff, 0x00, 0xff, 0xd3, 0xff, 0xff, 0xd9, 0x77], 8),
      // A table between two scans that has EOI's bytes in it.
      ([0x12, 0xff, 0xc4, 0x00, 0x04, 0xff, 0xd9, 0x34, 0xff, 0xd9], 10),
      // The bytes begin with the scan's own header.
      ([0xff, 0xda, 0x00, 0x03, 0x01, 0x55, 0xff, 0xd9, 0xff, 0xd9], 8),
      ([0x12, 0xff, 0x00, 0xff], nil), ([0xff, 0xc4, 0xff, 0xff, 0xff, 0xd9], nil), ([], nil), ([0xff, 0xd9], 2),
    ] as [([UInt8], Int?)])
  func theEndOfScansIsBehindTheFirstEOI(bytes: [UInt8], end: Int?) {
    #expect(JPEGExtent.end(ofScans: Data(bytes)) == end)
  }
}
