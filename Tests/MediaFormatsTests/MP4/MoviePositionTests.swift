// Positions in movies: added step by step, and read.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite(.timeLimit(.minutes(30))) struct MoviePositionTests {
  private static let bern = "+46.948000+007.447400/"

  /// An ordinary movie; its description ends with these boxes.
  private func movie(_ last: MP4Box...) throws -> [UInt8] {
    var file = HandMadeMovie.inFragments(.recorded)
    let plan = try #require(try MP4Defragmentation(MP4Index(MemorySource(file))))
    var boxes = try MP4Box.boxes(in: plan.description[...])
    var children = try #require(boxes[0].children)
    children.removeAll { $0.type == "udta" }
    boxes[0].children = children + last
    boxes[0].write(to: &file)
    let place = Int(plan.headOffset)
    file.replaceSubrange(place..<place + plan.head.count, with: plan.head)
    return file
  }

  private func position(_ file: [UInt8]) throws -> String? {
    try MP4Head(MemorySource(file), range: 0..<UInt64(file.count))?.position
  }

  private func data(_ boxes: MP4Box...) -> MP4Box { MP4Box("udta", children: boxes) }

  @Test func aPositionIsAddedAndEveryStepLeavesAWholeMovie() throws {
    let name = MP4Box("©nam", [0, 1, 0, 0, 65])
    for (file, isThere) in [(try movie(), false), (try movie(data(name)), true)] {
      #expect(try position(file) == nil)
      let plan = try #require(try MoviePosition(Self.bern, in: MemorySource(file)))
      var now = file + plan.tail
      for patch in plan.patches {
        // A kill before this one.
        let index = try MP4Index(MemorySource(now))
        #expect(index.picture?.frameCount(within: nil) == 12)
        let place = Int(patch.offset)
        now.replaceSubrange(place..<place + patch.bytes.count, with: patch.bytes)
      }
      #expect(try position(now) == Self.bern)
      let boxes = try MP4Box.boxes(in: now[...])
      #expect(boxes.map(\.type) == ["ftyp", "mdat", "moov"])
      let data = try #require(boxes.last?.children?.filter { $0.type == "udta" })
      #expect(data.count == 1 && data[0].children?.map(\.type) == (isThere ? ["©nam", "©xyz"] : ["©xyz"]))
      #expect(try MoviePosition(Self.bern, in: MemorySource(now)) == nil, "it tells one")
      // Sharing without a place takes it out.
      var movie = try #require(boxes.last)
      MovieLocation.remove(from: &movie)
      #expect(
        movie.children?.contains { $0.type == "udta" && $0.children?.contains { $0.type == "©xyz" } == true } == false)
    }
  }

  @Test func whatCantBeExtendedIsLeftAlone() throws {
    let zeros = MP4Box("udta", [0, 0, 0, 0])
    for file in [
      try movie() + [0, 0, 0, 8] + Array("free".utf8), try movie(data(), MP4Box("iods", [1, 2, 3, 4])),
      try movie(zeros),
      HandMadeMovie.inFragments(.recorded), [], Array("not a movie".utf8),
    ] {
      #expect(try MoviePosition(Self.bern, in: MemorySource(file)) == nil)
    }
    #expect(try MoviePosition("", in: MemorySource(movie())) == nil)
    #expect(try MoviePosition(String(repeating: "1", count: 300), in: MemorySource(movie())) == nil)
  }

  @Test func phonesPositionsAreRead() throws {
    var metadata = QuickTimeMetadata()
    metadata.set("com.apple.quicktime.make", "Apple")
    metadata.set(QuickTimeMetadata.position, "+47.3770+008.5420+408.000/")
    #expect(try position(movie(metadata.box)) == "+47.3770+008.5420+408.000/")
    let android = MP4Box("©xyz", [0, 18, 0x15, 0xc7] + Array("+47.3770+008.5420/".utf8))
    #expect(try position(movie(data(android))) == "+47.3770+008.5420/")
    for content: [UInt8] in [[], [0, 18], [0, 18, 0, 0, 65], [0, 0, 0, 0, 65], [255, 255, 0, 0, 65]] {
      #expect(try position(movie(data(MP4Box("©xyz", content)))) == nil)
    }
  }
}
