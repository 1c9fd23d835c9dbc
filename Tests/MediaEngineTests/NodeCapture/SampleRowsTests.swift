// The unpacking and the reduction of samples.

import CameraCore
import TestSupport
import Testing

@testable import MediaEngine

@Suite struct SampleRowsTests {
  /// Samples packed as the kernel's “Raw Bayer Formats” draw them, bit by bit.
  private static func packed(_ samples: [UInt16], _ bits: Int) -> [UInt8] {
    let pixels = bits == 12 ? 2 : 4
    return stride(from: 0, to: samples.count, by: pixels).flatMap { start -> [UInt8] in
      let group = samples[start..<start + pixels]
      let lower = group.flatMap { sample in (0..<bits - 8).map { sample >> $0 & 1 } }
      let bytes = stride(from: 0, to: lower.count, by: 8).map { at in
        (0..<8).reduce(UInt8(0)) { $0 | UInt8(lower[at + $1]) << $1 }
      }
      return group.map { UInt8($0 >> (bits - 8)) } + bytes
    }
  }

  private static func words(
    _ source: [UInt8], count: Int, _ body: (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
  ) -> [UInt16] {
    var target = [UInt16](repeating: 0xffff, count: count)
    source.withUnsafeBytes { source in
      target.withUnsafeMutableBytes { target in
        if let source = source.baseAddress, let target = target.baseAddress { body(source, target) }
      }
    }
    return target.map { UInt16(littleEndian: $0) }
  }

  private static func bytes(
    _ source: [UInt8], count: Int, _ body: (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
  ) -> [UInt8] {
    var target = [UInt8](repeating: 0xee, count: count)
    source.withUnsafeBytes { source in
      target.withUnsafeMutableBytes { target in
        if let source = source.baseAddress, let target = target.baseAddress { body(source, target) }
      }
    }
    return target
  }

  private static func littleEndian(_ samples: [UInt16]) -> [UInt8] {
    samples.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
  }

  @Test("Bytes of the kernel's drawings")
  func table() {
    // SRGGB10P: the lower bits of the first pixel are the lowest of the fifth byte.
    let ten: [UInt8] = [0x80, 0x01, 0xff, 0x00, 0b11_01_10_00]
    #expect(
      Self.words(ten, count: 4) { SampleRows.unpack($0, 10, count: 4, into: $1) } == [0x200, 0x006, 0x3fd, 0x003])
    // SRGGB12P: of the third byte, the first pixel has the lower half.
    #expect(
      Self.words([0xab, 0x12, 0x3c], count: 2) { SampleRows.unpack($0, 12, count: 2, into: $1) } == [0xabc, 0x123])
    // SRGGB14P: 24 bits, six for each.
    let fourteen: [UInt8] = [1, 2, 3, 4, 0b01_000001, 0b0010_0000, 0b111111_00]
    let unpacked = Self.words(fourteen, count: 4) { SampleRows.unpack($0, 14, count: 4, into: $1) }
    let wanted: [UInt16] = [0x41, 0x81, 0xc2, 0x13f]
    #expect(unpacked == wanted)
  }

  @Test("Whatever is packed is unpacked; the reductions and the shift agree", arguments: [10, 12, 14])
  func unpacking(_ bits: Int) {
    var numbers = SeededNumbers(state: UInt64(bits))
    for _ in 0..<50 {
      let count = 4 * Int.random(in: 1...40, using: &numbers)
      let samples = (0..<count).map { _ in UInt16.random(in: 0...UInt16((1 << bits) - 1), using: &numbers) }
      let packed = Self.packed(samples, bits)
      #expect(packed.count == count * bits / 8)
      #expect(Self.words(packed, count: count) { SampleRows.unpack($0, bits, count: count, into: $1) } == samples)
      let upper = samples.map { UInt8($0 >> (bits - 8)) }
      #expect(
        Self.bytes(packed, count: count) { SampleRows.reduce(packed: $0, bits, count: count, into: $1) } == upper)
      #expect(
        Self.bytes(Self.littleEndian(samples), count: count) { SampleRows.reduce($0, bits, count: count, into: $1) }
          == upper)
      let wide = samples.map { $0 << (16 - bits) }
      #expect(
        Self.words(packed, count: count) {
          SampleRows.unpack($0, bits, count: count, shiftedLeft: 16 - bits, into: $1)
        } == wide)
      #expect(
        Self.words(Self.littleEndian(samples), count: count) { SampleRows.widen($0, bits, count: count, into: $1) }
          == wide)
    }
  }

  @Test("Sixteen bits keep their upper byte, and values above white stay white")
  func edges() {
    let sixteen = Self.littleEndian([0, 255, 256, 0x8000, 0xffff])
    #expect(
      Self.bytes(sixteen, count: 5) { SampleRows.reduce($0, 16, count: 5, into: $1) } == [0, 0, 1, 128, 255])
    let over = Self.littleEndian([1023, 1024, 0xffff])
    #expect(Self.bytes(over, count: 3) { SampleRows.reduce($0, 10, count: 3, into: $1) } == [255, 255, 255])
    #expect(
      Self.words(over, count: 3) { SampleRows.widen($0, 10, count: 3, into: $1) } == [1023 << 6, 1023 << 6, 1023 << 6])
  }
}
