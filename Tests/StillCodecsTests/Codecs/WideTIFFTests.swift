// TIFF pictures with wide samples, and with opacity.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import StillCodecs

@Suite("Wide TIFF samples")
struct WideTIFFTests {
  /// A TIFF of one sample after another.
  private struct Picture {
    var width = 2
    var height = 1
    var bits: UInt64 = 32
    /// `SAMPLEFORMAT_…`.
    var format: UInt64 = 1
    /// `COMPRESSION_…`.
    var compression: UInt64 = 1
    /// `PHOTOMETRIC_…`: 0 for white, 1 for black as the least value, 2 for RGB, 5 for inks.
    var photometric: UInt64 = 1
    var extra: UInt64?
    var profile: [UInt8]?
    var isPlanar = false
    /// Samples of no meaning.
    var spare = 0
    var tile: (UInt64, UInt64)?
    var isBigEndian = false
    var rowsPerStrip = 1
    /// Each the bytes of a strip or tile.
    var pieces: [[UInt64]] = []

    var data: Data {
      var file = HandMadeTIFF()
      file.isBigEndian = isBigEndian
      let colors: [UInt64: UInt64] = [2: 3, 5: 4]
      let samples = colors[photometric, default: 1] + (extra == nil ? 0 : 1) + UInt64(spare)
      var page = HandMadeTIFF.Page()
      page.fields = [
        .short(256, UInt64(width)), .short(257, UInt64(height)), .short(259, compression), .short(262, photometric),
        .short(277, samples), .short(284, isPlanar ? 2 : 1), .short(339, format),
      ]
      switch samples {
      case 1: page.fields.append(.short(258, bits))
      case 2: page.fields.append(.short(258, bits, bits))
      case 3: page.fields.append(.short(258, bits, bits, bits))
      case 5: page.fields.append(.short(258, bits, bits, bits, bits, bits))
      default: page.fields.append(.short(258, bits, bits, bits, bits))
      }
      if let extra { page.fields.append(.short(338, extra)) }
      if spare == 3 { page.fields.append(.short(338, 0, 0, 0)) }
      if let profile { page.fields.append(.bytes(34_675, profile, type: 7)) }
      if let tile {
        page.fields += [.short(322, tile.0), .short(323, tile.1)]
        page.isTiled = true
      } else {
        page.fields.append(.short(278, UInt64(rowsPerStrip)))
      }
      page.strips = pieces.map { $0.flatMap { file.number($0, Int(bits / 8)) } }
      file.pages = [page]
      return file.data
    }

    /// Blue, green and red of each pixel.
    func pixels() throws -> [[UInt8]] {
      let still = try StillCodecs.decode(data, as: .tiff)
      #expect(still.image.size == PixelSize(width: width, height: height))
      let bytes = still.image.block.bytes
      return stride(from: 0, to: bytes.count, by: 4).map { Array(bytes[$0..<$0 + 3]) }
    }
  }

  private static func float(_ value: Float) -> UInt64 { UInt64(value.bitPattern) }

  @Test("Planes behind the color and the opacity aren't read")
  func planes() throws {
    var picture = Picture(isPlanar: true, spare: 3)
    // The pieces of the last two can't be read.
    picture.pieces = [[0x80ff_ffff, 0xffff_ffff], [0, 0], [], []]
    #expect(try picture.pixels() == [[128, 128, 128], [255, 255, 255]])
  }

  @Test("Integers of 32 and 64 bits, in both byte orders", arguments: [false, true])
  func integers(_ isBigEndian: Bool) throws {
    var picture = Picture(isBigEndian: isBigEndian)
    picture.pieces = [[0x80ff_ffff, 0xffff_ffff]]
    #expect(try picture.pixels() == [[128, 128, 128], [255, 255, 255]])
    picture.photometric = 0
    #expect(try picture.pixels() == [[127, 127, 127], [0, 0, 0]])
    (picture.photometric, picture.format) = (1, 2)
    picture.pieces = [[0x4000_0000, 0xffff_ffff]]
    #expect(try picture.pixels() == [[128, 128, 128], [0, 0, 0]])
    (picture.bits, picture.format) = (64, 1)
    picture.pieces = [[0x2000_0000_0000_0000, 0xff00_0000_0000_0000]]
    #expect(try picture.pixels() == [[32, 32, 32], [255, 255, 255]])
  }

  @Test("Floating-point numbers, cut off at 0 and 1", arguments: [false, true])
  func floats(_ isBigEndian: Bool) throws {
    var picture = Picture(format: 3, photometric: 2, isBigEndian: isBigEndian)
    picture.pieces = [[0.5, 1, 0, -3, 900, .nan].map(Self.float)]
    #expect(try picture.pixels() == [[0, 255, 128], [0, 255, 0]])
    picture.bits = 64
    picture.pieces = [[0.25, 2, .infinity, -.infinity, 1, 0.5].map { (value: Double) in value.bitPattern }]
    #expect(try picture.pixels() == [[255, 255, 64], [128, 255, 0]])
    // 0.5, 1, the smallest number above 0; -1, infinity, none.
    picture.bits = 16
    picture.pieces = [[0x3800, 0x3c00, 1, 0xbc00, 0x7c00, 0x7e00]]
    #expect(try picture.pixels() == [[0, 255, 128], [0, 255, 0]])
  }

  @Test("Tiles, strips of several rows, and planes of their own")
  func pieces() throws {
    func row(_ values: [Float]) -> [UInt64] { values.map(Self.float) }
    var strips = Picture(height: 3, format: 3, rowsPerStrip: 2)
    strips.pieces = [row([0, 0.2, 0.4, 0.6]), row([0.8, 1])]
    #expect(try strips.pixels().map { $0[0] } == [0, 51, 102, 153, 204, 255])
    var planes = Picture(format: 3, photometric: 2, isPlanar: true)
    planes.pieces = [row([1, 0]), row([0.2, 0.4]), row([0, 0.6])]
    #expect(try planes.pixels() == [[0, 51, 255], [153, 102, 0]])
    // Sides of tiles are multiples of 16.
    var tiles = Picture(width: 18, height: 17, format: 3, tile: (16, 16))
    tiles.pieces = [0.2, 0.4, 0.6, 0.8].map { [UInt64](repeating: Self.float($0), count: 256) }
    let grays = try tiles.pixels().map { $0[0] }
    #expect(grays[0] == 51 && grays[15] == 51 && grays[16] == 102 && grays[18 * 16] == 153 && grays[305] == 204)
  }

  @Test("What is transparent is white, with opacity of either kind")
  func opacity() throws {
    var picture = Picture(format: 3, photometric: 2, extra: 2)
    picture.pieces = [[1, 0, 0, 0.2, 0, 0, 1, 0].map(Self.float)]
    #expect(try picture.pixels() == [[204, 204, 255], [255, 255, 255]])
    picture.extra = 1
    picture.pieces = [[0.2, 0, 0, 0.2, 0, 0, 0, 0].map(Self.float)]
    #expect(try picture.pixels() == [[204, 204, 255], [255, 255, 255]])
    // No opacity: a sample of something else.
    picture.extra = 0
    #expect(try picture.pixels() == [[0, 0, 51], [0, 0, 0]])
    // Grays of 8 bits, which libtiff converts, and doesn't multiply.
    var gray = Picture(bits: 8, extra: 2)
    gray.pieces = [[100, 51, 7, 0]]
    #expect(try gray.pixels() == [[224, 224, 224], [255, 255, 255]])
    gray.extra = 1
    gray.pieces = [[20, 51, 0, 0]]
    #expect(try gray.pixels() == [[224, 224, 224], [255, 255, 255]])
  }

  @Test("Missing pixels, and tiles of any size, are errors")
  func damaged() throws {
    // What is said to be compressed by Deflate, and isn't.
    var picture = Picture(format: 3, compression: 8)
    picture.pieces = [[7, 7]]
    #expect(throws: StillCodecError.self) { try picture.pixels() }
    for tile in [(UInt64(65_520), UInt64(65_520)), (0, 0), (16, 0)] {
      var tiles = Picture(format: 3, tile: tile)
      tiles.pieces = [[0, 0]]
      #expect(throws: StillCodecError.self) { try tiles.pixels() }
    }
    var numbers = SeededNumbers(state: 11)
    var whole = Picture(width: 18, height: 17, format: 3, photometric: 2, tile: (16, 16))
    whole.pieces = (0..<4).map { _ in [UInt64](repeating: Self.float(0.5), count: 768) }
    let file = whole.data
    let table = file.count - 160
    for _ in 0..<300 {
      var bad = file
      bad[Int.random(in: table..<bad.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      _ = try? StillCodecs.decodeHere(bad, as: .tiff)
    }
  }

  /// A profile of inks by which paper is white, cyan alone a middle gray, and everything else black.
  private static func inkProfile() -> [UInt8] {
    func words(_ numbers: Int...) -> [UInt8] {
      numbers.flatMap { number in (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    }
    let ramp = (0...255).map { UInt8($0) }
    // The last ink changes first.
    let corners = (0..<16).flatMap { corner -> [UInt8] in [corner == 0 ? 255 : corner == 8 ? 128 : 0, 128, 128] }
    let head: [UInt8] = Array("mft1".utf8) + words(0) + [4, 3, 2, 0]
    let table =
      head + words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x10000) + [ramp, ramp, ramp, ramp].flatMap { $0 } + corners
      + [ramp, ramp, ramp].flatMap { $0 }
    let start = 128 + 4 + 12
    let front: [[UInt8]] = [
      words(start + table.count, 0, 0x0210_0000), Array("prtrCMYKLab ".utf8), [UInt8](repeating: 0, count: 12),
      Array("acsp".utf8), [UInt8](repeating: 0, count: 28), words(0xf6d6, 0x10000, 0xd32d),
      [UInt8](repeating: 0, count: 48), words(1), Array("A2B0".utf8), words(start, table.count),
    ]
    return front.flatMap { $0 } + table
  }

  @Test("Inks of 8 and 16 bits, with and without their profile", arguments: [8, 16] as [UInt64], [false, true])
  func inks(bits: UInt64, isBigEndian: Bool) throws {
    let full: UInt64 = bits == 8 ? 255 : 65_535
    // Paper, cyan, magenta and yellow, black.
    let pixels: [[UInt64]] = [[0, 0, 0, 0], [full, 0, 0, 0], [0, full, full, 0], [0, 0, 0, full]]
    var picture = Picture(width: 4, bits: bits, photometric: 5, isBigEndian: isBigEndian)
    picture.pieces = [pixels.flatMap { $0 }]
    let light: [[UInt8]] = [[255, 255, 255], [255, 255, 0], [0, 0, 255], [0, 0, 0]]
    #expect(try picture.pixels() == light)
    picture.profile = Self.inkProfile()
    let profiled = try picture.pixels()
    #expect(profiled[0].allSatisfy { $0 > 250 } && profiled[1].allSatisfy { abs(Int($0) - 119) < 6 }, "\(profiled)")
    #expect(profiled[2].allSatisfy { $0 < 6 } && profiled[3].allSatisfy { $0 < 6 }, "\(profiled)")
    // A fifth sample isn't an ink.
    (picture.profile, picture.extra) = (nil, 0)
    picture.pieces = [pixels.flatMap { $0 + [7] }]
    #expect(try picture.pixels() == light)
    (picture.extra, picture.isPlanar) = (nil, true)
    picture.pieces = (0..<4).map { ink in pixels.map { $0[ink] } }
    #expect(try picture.pixels() == light)
  }
}
