// The memory that decoding a JPEG takes, from its headers.

import CameraCore
import Testing

@testable import MediaFormats

@Suite struct JPEGFrameTests {
  /// SOI, a frame header and a scan header.
  private func jpeg(
    _ marker: UInt8, side: Int = 160, sampling: [UInt8] = [0x11], inScan: UInt8 = 1, between: [UInt8] = []
  ) -> [UInt8] {
    let (high, low) = (UInt8(side >> 8), UInt8(side & 0xff))
    var frame: [UInt8] = [8, high, low, high, low, UInt8(sampling.count)]
    for (number, factors) in sampling.enumerated() { frame += [UInt8(number), factors, 0] }
    var scan: [UInt8] = [inScan]
    scan += [UInt8](repeating: 0, count: 2 * Int(inScan))
    scan += [0, 63, 0]
    var bytes: [UInt8] = [0xff, 0xd8, 0xff, marker, 0, UInt8(frame.count + 2)]
    bytes += frame
    bytes += between
    bytes += [0xff, 0xda, 0, UInt8(scan.count + 2)]
    return bytes + scan
  }

  private func frame(_ bytes: [UInt8]) throws(JPEGStreamError) -> JPEGFrame {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(JPEGStreamError) in try JPEGFrame(bytes) }
    }
    return try result.get()
  }

  @Test func oneBaselineScanIsDecodedRowByRow() throws {
    for bytes in [jpeg(0xc0), jpeg(0xc1), jpeg(0xc0, sampling: [0x22, 0x11, 0x11], inScan: 3)] {
      let frame = try frame(bytes)
      #expect(frame.size == PixelSize(width: 160, height: 160))
      #expect(!frame.keepsCoefficients && frame.coefficientBytes == 0 && frame.refusal == nil)
    }
  }

  @Test func severalScansAreHeldWhole() throws {
    // 20 × 20 blocks of 64 coefficients of 2 bytes.
    #expect(try frame(jpeg(0xc2)).coefficientBytes == 51_200)
    #expect(try frame(jpeg(0xca)).coefficientBytes == 51_200)
    #expect(try frame(jpeg(0xc0, sampling: [0x11, 0x11, 0x11])).coefficientBytes == 3 * 51_200)
    // 4:2:0.
    #expect(try frame(jpeg(0xc2, sampling: [0x22, 0x11, 0x11], inScan: 3)).coefficientBytes == 51_200 * 3 / 2)
    // Partly filled groups count as full ones.
    #expect(try frame(jpeg(0xc2, side: 161, sampling: [0x22, 0x11, 0x11])).coefficientBytes == 11 * 11 * 6 * 128)
  }

  @Test func tooManyAreRefused() throws {
    let most = try frame(jpeg(0xc2, side: 7400, sampling: [0x22, 0x11, 0x11]))
    #expect(most.refusal == nil && most.coefficientBytes > 150 << 20)
    let bomb = try frame(jpeg(0xc2, side: 20_000, sampling: [0x11, 0x11, 0x11]))
    #expect(bomb.coefficientBytes == 2_400_000_000)
    #expect(bomb.refusal?.contains("20000 × 20000") == true && bomb.refusal?.contains("2.24 GB") == true)
    #expect(try frame(jpeg(0xc0, side: 20_000, sampling: [0x11, 0x11, 0x11], inScan: 3)).refusal == nil)
  }

  @Test func whatIsNoPictureIsThrown() {
    for bytes in [
      [], [0xff, 0xd8], jpeg(0xc3), jpeg(0xc0, side: 0), jpeg(0xc0, sampling: [0x00]), jpeg(0xc0, sampling: [0x51]),
      jpeg(0xc0, sampling: []), Array(jpeg(0xc0).prefix(20)), jpeg(0xc0, between: [0]),
      jpeg(0xc0, between: [0xff, 0xd9]), jpeg(0xc0, between: Array(jpeg(0xc2).dropFirst(2).prefix(13))),
      [0xff, 0xd8, 0xff, 0xda, 0, 8, 1, 0, 0, 0, 63, 0],
    ] as [[UInt8]] {
      #expect(throws: JPEGStreamError.self) { try frame(bytes) }
    }
  }
}
