// Raw files are developed, in the decoder process.

import CameraCore
import Foundation
import MediaFormats
import Testing

@testable import StillCodecs

@Suite("Developing raw files")
struct RAWCodecTests {
  private static let size = PixelSize(width: 96, height: 64)

  /// A DNG whose left half is red and whose right half is blue, in the middle of the sensor's range.
  static func file(_ size: PixelSize = size) throws -> Data {
    let layout = BayerLayout(pattern: .rggb, bits: 10)
    let block = FrameBlock(count: size.area * 2) { memory in
      for index in 0..<size.area {
        let (x, y) = (index % size.width, index / size.width)
        let color = layout.pattern.colors[y % 2 * 2 + x % 2]
        let isBright = color == (x < size.width / 2 ? 0 : 2)
        let value: UInt16 = isBright ? 600 : 60
        (memory[2 * index], memory[2 * index + 1]) = (UInt8(value & 255), UInt8(value >> 8))
      }
    }
    let frame = try #require(
      BayerFrame(layout: layout, size: size, stride: size.width * 2, transfer: .linear, block: block))
    let description = DNGFile.Description(
      id: "0123456789abcdef0123456789abcdef", cameraMake: "Maker", cameraName: "Camera", software: "Another 1",
      date: "2026:11:21 07:31:06", subseconds: "", utcOffset: "")
    return try DNGFile(frame, description).data
  }

  private static func pixel(_ image: DecodedImage, x: Int, y: Int) -> (red: Int, green: Int, blue: Int) {
    image.block.withUnsafeBytes { bytes in
      let at = y * image.stride + 4 * x
      return (Int(bytes[at + 2]), Int(bytes[at + 1]), Int(bytes[at]))
    }
  }

  @Test("Colors come from the mosaic, whole or at half the size", arguments: [nil, PixelSize(width: 40, height: 20)])
  func colors(needed: PixelSize?) throws {
    let still = try StillCodecs.decode(Self.file(), as: .raw, needed: needed)
    let size = still.image.size
    #expect(size == (needed == nil ? Self.size : PixelSize(width: 48, height: 32)))
    #expect(still.colors == StillColors())
    let left = Self.pixel(still.image, x: size.width / 4, y: size.height / 2)
    let right = Self.pixel(still.image, x: size.width * 3 / 4, y: size.height / 2)
    #expect(left.red > 2 * left.blue && left.red > 2 * left.green, "\(left)")
    #expect(right.blue > 2 * right.red && right.blue > 2 * right.green, "\(right)")
  }

  @Test("Cut and foreign files are refused in words")
  func refusals() throws {
    let file = try Self.file()
    for data in [file.dropLast(100), file.prefix(200), Data("no raw file".utf8)] {
      #expect(throws: StillCodecError.self) { try StillCodecs.decode(Data(data), as: .raw) }
    }
    #expect(StillCodecs.missingEncoder(for: .raw) != nil)
  }

  @Test("Damaged files stop nothing")
  func damage() throws {
    let file = try Self.file(PixelSize(width: 64, height: 48))
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var damaged = file
      for _ in 0..<3 {
        damaged[Int.random(in: 0..<min(1_000, file.count), using: &generator)] = UInt8.random(in: 0...255)
      }
      _ = try? StillCodecs.decode(damaged, as: .raw)
    }
    #expect(throws: Never.self) { try StillCodecs.decode(file, as: .raw) }
  }
}
