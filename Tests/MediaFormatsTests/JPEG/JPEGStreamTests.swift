// Motion JPEG frames of webcams: complete, incomplete and damaged.

import CameraCore
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct JPEGStreamTests {
  private func complete(_ bytes: [UInt8]) throws -> CompletedJPEG {
    try bytes.withUnsafeBytes { try JPEGStream.complete($0) }
  }

  @Test func wholeFrameIsCopiedUnchanged() throws {
    let sample = JPEGSample().bytes
    let completed = try complete(sample)
    #expect(completed.block.bytes == sample)
    #expect(completed.size == PixelSize(width: 640, height: 480))
    #expect(completed.repairs == [])
  }

  @Test func missingHuffmanTablesAreInsertedBeforeTheScan() throws {
    let completed = try complete(JPEGSample(huffman: false).bytes)
    #expect(completed.repairs == .huffmanTables)
    #expect(completed.block.bytes == JPEGSample().bytes)
  }

  @Test func camerasOwnTablesTakePrecedence() throws {
    // Only one of the four tables, and not the standard's.
    let own = JPEGSample.segment(0xc4, [0x00, 0, 1] + [UInt8](repeating: 0, count: 14) + [7])
    let sample = JPEGSample(front: [own], huffman: false)
    let completed = try complete(sample.bytes)
    var expected = sample
    expected.front = [JPEGStream.standardHuffmanTables, own]
    #expect(completed.repairs == .huffmanTables)
    #expect(completed.block.bytes == expected.bytes)
  }

  @Test func aviMarkerBecomesJFIF() throws {
    let completed = try complete(JPEGSample(front: [JPEGSample.avi], huffman: false).bytes)
    #expect(completed.repairs == [.aviMarker, .huffmanTables])
    #expect(completed.block.bytes == JPEGSample(front: [JPEGFramePlan.jfifSegment]).bytes)
  }

  @Test func aviMarkerBehindTablesIsReplacedToo() throws {
    let own = JPEGSample.segment(0xc4, [0x00, 0, 1] + [UInt8](repeating: 0, count: 14) + [7])
    let completed = try complete(JPEGSample(front: [own, JPEGSample.avi], huffman: false).bytes)
    let expected = JPEGSample(
      front: [JPEGStream.standardHuffmanTables, own, JPEGFramePlan.jfifSegment], huffman: false)
    #expect(completed.block.bytes == expected.bytes)
  }

  @Test func onlyTheFirstHeaderIsReplaced() throws {
    let twice = try complete(JPEGSample(front: [JPEGSample.avi, JPEGSample.avi]).bytes)
    #expect(twice.block.bytes == JPEGSample(front: [JPEGFramePlan.jfifSegment, JPEGSample.avi]).bytes)
    #expect(try complete(twice.block.bytes).repairs == [])
  }

  @Test func paddingIsCutOff() throws {
    let zeros = [UInt8](repeating: 0, count: 4096)
    for padding in [[0x00], [0xff], [0xff, 0xd9], zeros, [0xff, 0xd8, 0xff, 0xdb]] as [[UInt8]] {
      let completed = try complete(JPEGSample(trailer: padding).bytes)
      #expect(completed.repairs == .padding)
      #expect(completed.block.bytes == JPEGSample().bytes)
    }
  }

  @Test func scanDataAreNeverTouched() throws {
    for huffman in [true, false] {
      for front in [[], [JPEGSample.avi], [JPEGSample.exif]] {
        let sample = JPEGSample(front: front, huffman: huffman, scans: 3, trailer: [1, 2, 3])
        let completed = try complete(sample.bytes).block.bytes
        #expect(Array(completed.suffix(sample.picture.count)) == sample.picture)
        let plan = try sample.bytes.withUnsafeBytes { try JPEGStream.check($0) }
        #expect(Array(sample.bytes[plan.scan]) == sample.picture)
      }
    }
  }

  @Test func fillBytesBeforeMarkersAreAllowed() throws {
    var sample = JPEGSample()
    sample.front = [[0xff, 0xff] + JPEGSample.exif]
    sample.ending = [0xff, 0xff, 0xff, 0xd9]
    #expect(try complete(sample.bytes).block.bytes == sample.bytes)
  }

  @Test func everyTruncationIsRefused() {
    for sample in [JPEGSample(), JPEGSample(front: [JPEGSample.avi], huffman: false, scans: 2)] {
      let bytes = sample.bytes
      for count in 0..<bytes.count {
        let error = #expect(throws: JPEGStreamError.self) { try complete(Array(bytes[..<count])) }
        #expect(error == (count < 2 ? .notJPEG : .cutShort), "\(count) of \(bytes.count) bytes")
      }
    }
  }

  @Test func nextPictureBeforeTheEndIsACut() {
    let bytes = Array(JPEGSample().bytes.dropLast(5)) + JPEGSample().bytes
    #expect(throws: JPEGStreamError.cutShort) { try complete(bytes) }
  }

  @Test func impossibleFramesAreRefused() {
    #expect(throws: JPEGStreamError.notJPEG) { try complete(Array("GIF89a".utf8)) }
    #expect(throws: JPEGStreamError.noQuantizationTable) { try complete(JPEGSample(quantization: false).bytes) }
    #expect(throws: JPEGStreamError.unsupported(marker: 0xc0)) {
      try complete(JPEGSample(size: PixelSize(width: 640, height: 0)).bytes)
    }
    #expect(throws: JPEGStreamError.damaged(offset: 2)) { try complete([0xff, 0xd8, 0xff, 0xd9]) }
    // Segment lengths of 0 and 1 are impossible: the length counts itself.
    for length in [0, 1] as [UInt8] {
      #expect(throws: JPEGStreamError.damaged(offset: 4)) { try complete([0xff, 0xd8, 0xff, 0xe0, 0, length, 0, 0]) }
    }
    var lossless = JPEGSample().bytes
    lossless[2 + JPEGSample().quantizationTables.count + 1] = 0xc3
    #expect(throws: JPEGStreamError.unsupported(marker: 0xc3)) { try complete(lossless) }
  }

  /// Any bytes are accepted or refused without a crash or an endless walk; accepted ones are accepted again, unchanged.
  @Test func damagedFramesNeverBreakAnything() throws {
    var numbers = SeededNumbers(state: 20_261_121)
    let samples = [
      JPEGSample(), JPEGSample(front: [JPEGSample.avi], huffman: false), JPEGSample(front: [JPEGSample.exif], scans: 3),
      JPEGSample(trailer: [UInt8](repeating: 0, count: 60)),
    ].map(\.bytes)
    var accepted = 0
    for round in 0..<20_000 {
      var bytes = samples[round % samples.count]
      for _ in 0..<Int.random(in: 1...6, using: &numbers) where !bytes.isEmpty {
        let at = Int.random(in: 0..<bytes.count, using: &numbers)
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: bytes.removeSubrange(at...)
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...40, using: &numbers)))
        case 2: bytes.insert(0xff, at: at)
        case 3: bytes[at] = 0xff
        default: bytes[at] = UInt8.random(in: 0...255, using: &numbers)
        }
      }
      guard let completed = try? complete(bytes) else { continue }
      accepted += 1
      let again = try complete(completed.block.bytes)
      #expect(again.repairs == [])
      #expect(again.block.bytes == completed.block.bytes)
      #expect(again.size == completed.size)
    }
    #expect(accepted > 500 && accepted < 19_500)
  }
}
