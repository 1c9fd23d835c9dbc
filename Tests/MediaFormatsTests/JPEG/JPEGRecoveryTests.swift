// Motion JPEG frames with a missing end or something before their beginning, as cheap webcams send them.

import CameraCore
import TestSupport
import Testing

@testable import MediaFormats

@Suite struct JPEGRecoveryTests {
  private func recover(_ bytes: [UInt8]) throws -> CompletedJPEG {
    try bytes.withUnsafeBytes { try JPEGStream.recover($0) }
  }

  /// 640×480 in 4:2:2 has 40 × 60 MCUs; 3 intervals of 800 have 2 restart markers, as the sample's scan has.
  private static let restarts = JPEGSample.segment(0xdd, [0x03, 0x20])

  @Test func aWholeFrameIsCopiedUnchanged() throws {
    for sample in [JPEGSample(), JPEGSample(front: [Self.restarts]), JPEGSample(scans: 2)] {
      let recovered = try recover(sample.bytes)
      #expect(recovered.block.bytes == sample.bytes)
      #expect(recovered.repairs == [])
    }
  }

  @Test func aMissingEndIsAppended() throws {
    for rest in [[], [0xff], [UInt8](repeating: 0, count: 1000)] as [[UInt8]] {
      let recovered = try recover(JPEGSample(ending: [], trailer: rest).bytes)
      #expect(recovered.block.bytes == JPEGSample().bytes, "\(rest.count) bytes")
      #expect(recovered.repairs.contains(.endOfImage))
      #expect(recovered.repairs.contains(.padding) == !rest.isEmpty)
    }
  }

  @Test func aMissingEndAndMissingTablesAreBothRepaired() throws {
    let recovered = try recover(JPEGSample(front: [JPEGSample.avi], huffman: false, ending: []).bytes)
    #expect(recovered.repairs == [.endOfImage, .aviMarker, .huffmanTables])
    #expect(recovered.block.bytes == JPEGSample(front: [JPEGFramePlan.jfifSegment]).bytes)
  }

  @Test func aFewZerosAreData() throws {
    let recovered = try recover(JPEGSample(ending: [], trailer: [0, 0, 0]).bytes)
    #expect(recovered.block.bytes == JPEGSample(ending: [0, 0, 0, 0xff, 0xd9]).bytes)
    // The first zero belongs to the stuffed 0xFF.
    let stuffed = try recover(JPEGSample(ending: [], trailer: [0xff] + [UInt8](repeating: 0, count: 50)).bytes)
    #expect(stuffed.block.bytes == JPEGSample(ending: [0xff, 0x00, 0xff, 0xd9]).bytes)
  }

  @Test func bytesBeforeTheBeginningAreCutOff() throws {
    let leads: [[UInt8]] = [
      [0], [0xff], [0xff, 0xd8, 0x00], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 7, count: 4096),
    ]
    for lead in leads {
      let recovered = try recover(lead + JPEGSample().bytes)
      #expect(recovered.block.bytes == JPEGSample().bytes)
      #expect(recovered.repairs == .lead)
    }
    #expect(throws: JPEGStreamError.notJPEG) { try recover([UInt8](repeating: 7, count: 4097) + JPEGSample().bytes) }
    #expect(throws: JPEGStreamError.notJPEG) { try recover([]) }
    #expect(throws: JPEGStreamError.notJPEG) { try recover([UInt8](repeating: 0, count: 9000)) }
  }

  @Test func restartMarkersTellACut() throws {
    let whole = JPEGSample(front: [Self.restarts])
    // Behind the second of the two markers, and in front of it.
    #expect(try recover(Array(whole.bytes.dropLast(3))).repairs.contains(.endOfImage))
    #expect(throws: JPEGStreamError.cutShort) { try recover(Array(whole.bytes.dropLast(5))) }
    #expect(throws: JPEGStreamError.cutShort) { try recover(Array(whole.bytes.dropLast(5)) + [0xff, 0xd9]) }
  }

  @Test func whatIsCutBeforeTheScansDataIsRefused() {
    let bytes = JPEGSample().bytes
    let headers = bytes.count - 2 - 14
    for count in 0...headers {
      #expect(throws: JPEGStreamError.self, "\(count) bytes") { try recover(Array(bytes[..<count])) }
    }
  }

  @Test func aPictureOfSeveralScansNeedsItsEnd() {
    #expect(throws: JPEGStreamError.cutShort) { try recover(JPEGSample(scans: 2, ending: []).bytes) }
  }

  @Test func aMarkerInTheScanIsDamage() {
    let whole = JPEGSample()
    let middle = whole.bytes.count - 8
    for marker in [[0xff, 0xc0], [0xff, 0xc4], [0xff, 0xd8]] as [[UInt8]] {
      let bytes = Array(whole.bytes[..<middle]) + marker + Array(whole.bytes[middle...])
      #expect(throws: JPEGStreamError.self) { try recover(bytes) }
    }
  }

  @Test func recoveredFramesPassTheStrictCheckUnchanged() throws {
    var numbers = SeededNumbers(state: 20_261_201)
    var accepted = 0
    for round in 0..<20_000 {
      var bytes = (round % 2 == 0 ? JPEGSample() : JPEGSample(front: [Self.restarts], huffman: false)).bytes
      for _ in 0..<Int.random(in: 1...4, using: &numbers) where !bytes.isEmpty {
        let at = Int.random(in: 0..<bytes.count, using: &numbers)
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: bytes.removeSubrange(at...)
        case 1: bytes.insert(0xff, at: at)
        case 2: bytes.insert(contentsOf: [UInt8](repeating: 0, count: 20), at: at)
        default: bytes[at] = UInt8.random(in: 0...255, using: &numbers)
        }
      }
      guard let recovered = try? recover(bytes) else { continue }
      accepted += 1
      let again = try recovered.block.withUnsafeBytes { try JPEGStream.complete($0) }
      #expect(again.repairs == [])
      #expect(again.block.bytes == recovered.block.bytes)
    }
    #expect(accepted > 500 && accepted < 19_500)
  }

  @Test func aCameraThatLeavesTheEndOutIsTrustedAfterThreeWholeFrames() {
    var rule = JPEGEndRule()
    func trusts(_ byteCount: Int) -> Bool { rule.trusts(byteCount: byteCount) }
    for _ in 0..<3 {
      #expect(!trusts(1000))
      rule.decoded(byteCount: 1000, isWhole: true)
    }
    #expect(trusts(900))
    #expect(!trusts(400), "much shorter than the others")
    rule.decoded(byteCount: 400, isWhole: false)
    #expect(!trusts(1000), "a cut one costs the trust")
    for _ in 0..<3 { rule.decoded(byteCount: 1000, isWhole: true) }
    #expect(trusts(1000))
    rule.sawEnd()
    #expect(!trusts(1000), "it does send ends")
  }
}
