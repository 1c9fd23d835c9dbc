// Reads of byte sources: windows, ends, failures.

import Foundation
import Testing

@testable import MediaFormats

@Suite struct ByteSourceTests {
  private let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 * 7) }

  @Test func readsEndWithTheSource() throws {
    let source = MemorySource(bytes)
    #expect(try source.data(at: 9_990, count: 20) == Data(bytes[9_990...]))
    #expect(try source.data(at: 10_000, count: 20).isEmpty && source.data(at: .max, count: 1).isEmpty)
    #expect(try source.bytes(at: 5, count: 3) == Array(bytes[5..<8]))
    #expect(throws: FormatError.refused(reason: "the file is incomplete")) { try source.bytes(at: 9_999, count: 2) }
    // The file became shorter after it was opened.
    let shorter = MemorySource(bytes, count: 20_000)
    #expect(try shorter.data(at: 9_990, count: 20) == Data(bytes[9_990...]))
    #expect(throws: FormatError.self) { try shorter.bytes(at: 9_999, count: 2) }
  }

  @Test func aWindowReadsEachPartOnce() throws {
    let source = MemorySource(bytes)
    var window = ByteWindow(source)
    for offset in 0..<UInt64(4_000) {
      #expect(try window.byte(at: offset) == bytes[Int(offset)])
      #expect(
        try window.number(at: offset, bytes: 2) == UInt64(bytes[Int(offset)]) << 8 | UInt64(bytes[Int(offset) + 1]))
    }
    #expect(source.reads.withLock { $0 } == 1)
    #expect(try window.bytes(at: 9_998, count: 4) == bytes[9_998...])
    #expect(try window.number(at: 9_998, bytes: 4) == nil && window.byte(at: 10_000) == nil)
    #expect(try window.byte(at: 3) == bytes[3])
  }

  @Test func aFailedReadIsThrown() {
    let source = MemorySource(bytes, failure: (5_000, EIO))
    var window = ByteWindow(source)
    let failure = FormatError.read(ReadFailure(code: EIO))
    #expect(throws: Never.self) { try window.byte(at: 0) }
    #expect(throws: failure) { try window.byte(at: 6_000) }
    #expect(throws: failure) { try source.data(at: 4_990, count: 20) }
    #expect(throws: failure) { try source.bytes(at: 4_990, count: 20) }
    #expect(failure.reason == String(cString: strerror(EIO)))
  }
}
