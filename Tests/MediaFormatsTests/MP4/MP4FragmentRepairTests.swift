// Fragments whose muxer has left out sizes and durations.

import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct MP4FragmentRepairTests {
  /// The `moof` boxes of a file.
  private func fragments(of file: [UInt8]) -> [Range<Int>] {
    var walker = MP4BoxWalker(MemoryReader(file[...]), in: 0..<UInt64(file.count), limit: 1_000)
    var found: [Range<Int>] = []
    while let box = walker.next() {
      if box.type == "moof" { found.append(Int(box.range.lowerBound)..<Int(box.range.upperBound)) }
    }
    return found
  }

  /// The file with each of its fragments repaired, and how many of them were.
  private func repaired(_ file: [UInt8]) -> (file: [UInt8], count: Int) {
    var (result, count) = (file, 0)
    for range in fragments(of: file) {
      var bytes = Array(file[range])
      if MP4FragmentRepair.repair(&bytes, at: UInt64(range.lowerBound)) { count += 1 }
      result.replaceSubrange(range, with: bytes)
    }
    return (result, count)
  }

  @Test func whatWasLeftOutIsThereAndNothingElseChanges() throws {
    let file = HandMadeMovie.inFragments(.recorded)
    let (result, count) = repaired(file)
    let places = fragments(of: file)
    #expect(places.count == 4 && count == 4 && result.count == file.count)
    for range in places {
      #expect(!MovieFragment(file[range]).isComplete)
      #expect(MovieFragment(result[range]).isComplete)
    }
    let (before, after) = (try MP4Index(MemorySource(file)), try MP4Index(MemorySource(result)))
    #expect(after.picture?.sizes == before.picture?.sizes && after.picture?.chunks == before.picture?.chunks)
    #expect(after.sound?.sizes == before.sound?.sizes && after.sound?.chunks == before.sound?.chunks)
    #expect(
      after.sound?.startTimes == before.sound?.startTimes && after.picture?.startTimes == before.picture?.startTimes)
    // Once is enough.
    #expect(repaired(result).count == 0)
  }

  /// A track's header with the fields of these flags, as GStreamer writes it for sound, for pictures, and others.
  @Test(arguments: [0x21, 0x29, 0x31, 0x39, 0x1, 0x9, 0x11, 0x23, 0x2b] as [UInt64]) func headersOfAllKinds(
    flags: UInt64
  ) throws {
    var header = BigEndian.words(flags, 1)
    BigEndian.append(5_000_000_000, 8, to: &header)
    for (flag, value) in [(0x2, 3), (0x8, 1024), (0x10, 70), (0x20, 0xc0)] as [(UInt64, UInt64)]
    where flags & flag != 0 { header += BigEndian.words(value) }
    let runs = [
      MP4Box("trun", BigEndian.words(0x305, 2, 16, 0xc0, 1024, 70, 1024, 60)),
      MP4Box("trun", BigEndian.words(0x201, 1, 5_000, 90)), MP4Box("trun", BigEndian.words(0x1, 1, 9_000)),
    ]
    var track: [UInt8] = []
    for box in [MP4Box("tfhd", header), MP4Box("tfdt", BigEndian.words(0, 0))] + runs { box.write(to: &track) }
    var content: [UInt8] = []
    for box in [MP4Box("mfhd", BigEndian.words(0, 1)), MP4Box("traf", track)] { box.write(to: &content) }
    var fragment: [UInt8] = []
    MP4Box("moof", content).write(to: &fragment)
    let original = fragment

    let isRepaired = MP4FragmentRepair.repair(&fragment, at: 5_000_010_000)
    #expect(fragment.count == original.count)
    guard isRepaired else {
      // A header with a description and without a size or a duration has no room for both.
      #expect(fragment == original && (flags & 0x10 != 0 || flags & 0x2 != 0))
      return
    }
    #expect(MovieFragment(fragment[...]).isComplete)
    let repaired = try #require(MovieFragment(fragment[...]).tracks.first)
    #expect(repaired.flags & 0x2_0000 != 0 && repaired.flags & 0x1 == 0 && repaired.flags & 0x18 == 0x18)
    // The samples are where they were: before their description.
    let offsets: [Int32] = [-9_984, -5_000, -1_000]
    #expect(repaired.runs.map(\.offset) == offsets)
  }

  @Test func fragmentsThatCountFromThemselvesStayAsTheyAre() {
    let file = HandMadeMovie.inFragments(.streamed)
    #expect(fragments(of: file).count == 6 && repaired(file).count == 0 && repaired(file).file == file)
  }

  @Test func damagedFragmentsKeepTheirLength() throws {
    let file = HandMadeMovie.inFragments(.recorded)
    let range = try #require(fragments(of: file).first)
    let fragment = Array(file[range])
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var bytes = Array(fragment.prefix(Int.random(in: 0...fragment.count, using: &random)))
      for _ in 0..<4 where !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let count = bytes.count
      MP4FragmentRepair.repair(&bytes, at: UInt64(range.lowerBound))
      #expect(bytes.count == count)
    }
  }
}
