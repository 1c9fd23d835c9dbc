// Frames made of a driver's buffers: strides, cut frames, samples kept and not.

import CameraCore
import Testing

@testable import MediaEngine

@Suite struct NodeFrameMakerTests {
  private static func maker(
    _ name: String, _ size: PixelSize, stride: Int, byteCount: Int, keeps: Bool = false, color: NodeColor = NodeColor(),
    budget: FrameBudget = FrameBudget(limit: .max)
  ) throws -> NodeFrameMaker {
    let mode = try #require(NodeMode.of(NodeMode.code(name)))
    let format = NodeFormat(
      pixelFormat: mode.pixelFormat, size: size, stride: stride, byteCount: byteCount, color: color)
    return NodeFrameMaker(mode, format, keepsSamples: keeps, budget: budget)
  }

  private static func littleEndian(_ samples: [UInt16]) -> [UInt8] {
    samples.flatMap { sample -> [UInt8] in [UInt8(sample & 255), UInt8(sample >> 8)] }
  }

  private static func frame(_ maker: NodeFrameMaker, _ bytes: [UInt8]) -> NodeFrameMaker.Frame? {
    bytes.withUnsafeBytes { maker.copy($0) }.map(maker.finish)
  }

  @Test("Of padded rows of ten bits, the picture has the upper eight and the file all", arguments: [false, true])
  func bayer(keeps: Bool) throws {
    let size = PixelSize(width: 6, height: 4)
    let samples: [UInt16] = (0..<24).map { UInt16($0 * 43) }
    let words = Self.littleEndian(samples)
    let padding: [UInt8] = [0xee, 0xee, 0xee, 0xee]
    let bytes = (0..<4).flatMap { row -> [UInt8] in Array(words[row * 12..<row * 12 + 12]) + padding }
    let maker = try Self.maker(
      "RG10", size, stride: 16, byteCount: 64, keeps: keeps, color: NodeColor(space: 8))
    #expect(maker.byteCount == 60)
    // The last row's padding may be missing, its last sample not.
    #expect(Self.frame(maker, Array(bytes.prefix(59))) == nil)
    let frame = try #require(Self.frame(maker, Array(bytes.prefix(60))))
    #expect(frame.block.count == 32)
    let picture = frame.block.bytes
    let upper = samples.map { UInt8($0 >> 2) }
    for row in 0..<4 { #expect(picture[row * 8..<row * 8 + 6] == upper[row * 6..<row * 6 + 6]) }
    guard keeps else {
      #expect(frame.samples == nil)
      return
    }
    let kept = try #require(frame.samples)
    #expect((kept.layout, kept.transfer) == (BayerLayout(pattern: .rggb, bits: 10), .sRGB))
    #expect(kept.samples == words)
  }

  @Test("All that is made counts as long as it lives", arguments: [false, true])
  func budget(keeps: Bool) throws {
    let budget = FrameBudget(limit: .max)
    let size = PixelSize(width: 8, height: 2)
    let maker = try Self.maker("RG10", size, stride: 16, byteCount: 32, keeps: keeps, budget: budget)
    let frame = try #require(Self.frame(maker, [UInt8](repeating: 0, count: 32)))
    #expect(budget.byteCount == (keeps ? 3 : 1) * size.area)
    withExtendedLifetime(frame) {}
  }

  @Test("Packed samples make the same frames as others")
  func packed() throws {
    let size = PixelSize(width: 4, height: 2)
    let bytes: [UInt8] = [0x80, 0x01, 0xff, 0x00, 0b11_01_10_00, 0xee, 1, 2, 3, 4, 0, 0xee]
    let kept = try #require(
      Self.frame(try Self.maker("pGAA", size, stride: 6, byteCount: 12, keeps: true), bytes)?.samples)
    #expect(kept.layout == BayerLayout(pattern: .gbrg, bits: 10) && kept.transfer == .linear)
    #expect(kept.samples == [0x00, 2, 0x06, 0, 0xfd, 3, 0x03, 0, 4, 0, 8, 0, 12, 0, 16, 0])
    for keeps in [false, true] {
      let maker = try Self.maker("pGAA", size, stride: 6, byteCount: 12, keeps: keeps)
      #expect(Self.frame(maker, bytes)?.block.bytes == [0x80, 0x01, 0xff, 0x00, 1, 2, 3, 4])
    }
  }

  @Test("P010 loses its padding, and keeps its order where the driver's stride can't be true")
  func tenBitColors() throws {
    let size = PixelSize(width: 4, height: 2)
    let plain: [UInt8] = (0..<24).map { UInt8($0) }
    let padded = (0..<3).flatMap { row -> [UInt8] in Array(plain[row * 8..<row * 8 + 8]) + [0xee, 0xee] }
    let maker = try Self.maker("P010", size, stride: 10, byteCount: 30)
    #expect(Self.frame(maker, padded)?.block.bytes == plain)
    // uvcvideo counts three bytes a pixel, and two are in a row.
    let counted = try Self.maker("P010", size, stride: 12, byteCount: 24)
    #expect(Self.frame(counted, plain)?.block.bytes == plain)
    let packed = try Self.maker("Y210", size, stride: 0, byteCount: 32)
    let pixels: [UInt8] = (0..<32).map { UInt8($0) }
    #expect(Self.frame(packed, pixels)?.block.bytes == pixels)
  }

  @Test("Planes have the first one's padding, divided as the width is")
  func planes() throws {
    let size = PixelSize(width: 6, height: 4)
    // Of each further plane: the bytes of a row, the number of rows, the padded stride, and GStreamer's.
    let table: [(String, [(row: Int, rows: Int, stride: Int, wanted: Int)])] = [
      ("NV12", [(6, 2, 10, 8)]), ("YU12", [(3, 2, 5, 4), (3, 2, 5, 4)]), ("422P", [(3, 4, 5, 4), (3, 4, 5, 4)]),
      ("NV24", [(12, 4, 20, 12)]),
    ]
    for (name, chroma) in table {
      let padded = Self.rows(6, 10, 4, from: 0) + chroma.flatMap { Self.rows($0.row, $0.stride, $0.rows, from: 100) }
      let wanted = Self.rows(6, 8, 4, from: 0) + chroma.flatMap { Self.rows($0.row, $0.wanted, $0.rows, from: 100) }
      let maker = try Self.maker(name, size, stride: 10, byteCount: padded.count)
      let frame = try #require(Self.frame(maker, padded)).block.bytes
      #expect(frame.count == wanted.count, "\(name)")
      #expect(frame == wanted.map { $0 == 0xee ? 0 : $0 }, "\(name)")
      #expect(Self.frame(maker, Array(padded.prefix(maker.byteCount - 1))) == nil)
      #expect(Self.frame(maker, Array(padded.prefix(maker.byteCount))) != nil)
    }
  }

  /// Rows of ascending numbers, padded to a stride.
  private static func rows(_ row: Int, _ stride: Int, _ count: Int, from first: UInt8) -> [UInt8] {
    (0..<count).flatMap { at in
      (0..<stride).map { $0 < row ? first + UInt8(at * row + $0) : 0xee }
    }
  }

  @Test("What is compressed stays as it is, of whatever length; nothing is no picture")
  func compressed() throws {
    let budget = FrameBudget(limit: .max)
    let maker = try Self.maker("MJPG", PixelSize(width: 64, height: 48), stride: 0, byteCount: 6144, budget: budget)
    let frame = try #require(Self.frame(maker, [1, 2, 3]))
    #expect(frame.block.bytes == [1, 2, 3] && budget.byteCount == 3)
    #expect(Self.frame(maker, []) == nil)
  }

  @Test("A sensor's eight bits are picture and file at once, in one block")
  func eightBits() throws {
    let size = PixelSize(width: 6, height: 2)
    let maker = try Self.maker("RGGB", size, stride: 6, byteCount: 12, keeps: true)
    let frame = try #require(Self.frame(maker, (0..<12).map { UInt8($0) }))
    #expect(frame.samples?.block === frame.block && frame.block.count == 16)
    #expect(frame.samples?.samples == (0..<12).map { UInt8($0) })
  }

  @Test("Gray samples fill sixteen bits")
  func gray() throws {
    let size = PixelSize(width: 2, height: 2)
    let maker = try Self.maker("Y12 ", size, stride: 4, byteCount: 8)
    #expect(
      Self.frame(maker, [0xff, 0x0f, 0x34, 0x02, 0, 0, 1, 0])?.block.bytes == [0xf0, 0xff, 0x40, 0x23, 0, 0, 0x10, 0])
    let packed = try Self.maker("Y12P", size, stride: 3, byteCount: 6)
    #expect(
      Self.frame(packed, [0xff, 0x23, 0x4f, 0, 0, 0x10])?.block.bytes == [0xf0, 0xff, 0x40, 0x23, 0, 0, 0x10, 0])
  }
}
