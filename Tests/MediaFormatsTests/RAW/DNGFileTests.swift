// DNG files: what is written is read back, by our parser and by others' programs.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import MediaFormats

@Suite("DNG files")
struct DNGFileTests {
  static let layouts = BayerLayout.Pattern.allCases.flatMap { pattern in
    BayerLayout.depths.map { BayerLayout(pattern: pattern, bits: $0) }
  }

  static let description = DNGFile.Description(
    id: "0123456789abcdef0123456789abcdef", cameraMake: "Maker", cameraName: "Camera Ä", software: "PhotoMe 1",
    date: "2026:11:21 07:31:06", subseconds: "123", utcOffset: "+01:00")

  /// A frame whose samples count up to white, with some bytes of padding behind each row.
  static func frame(
    _ layout: BayerLayout, size: PixelSize = PixelSize(width: 64, height: 48), padding: Int = 6,
    transfer: BayerFrame.Transfer = .linear
  ) throws -> BayerFrame {
    let stride = size.width * layout.bytesPerSample + padding
    let block = FrameBlock(count: stride * size.height) { memory in
      for index in memory.indices { memory[index] = 0xee }
      for row in 0..<size.height {
        for column in 0..<size.width {
          let value = (row * size.width + column) * 31 & (1 << layout.bits - 1)
          let at = row * stride + column * layout.bytesPerSample
          let bytes = layout.bits == 8 ? [value] : [value & 255, value >> 8]
          for (index, byte) in (layout.isBigEndian ? bytes.reversed() : bytes).enumerated() {
            memory[at + index] = UInt8(byte)
          }
        }
      }
    }
    return try #require(BayerFrame(layout: layout, size: size, stride: stride, transfer: transfer, block: block))
  }

  @Test("What is written is read back, whatever the pattern and the depth", arguments: layouts)
  func roundTrip(_ layout: BayerLayout) throws {
    let frame = try Self.frame(layout)
    let data = try DNGFile(frame, Self.description).data
    let head = try #require(try DNGHead(MemorySource(data)))
    #expect(head.size == frame.size)
    #expect(head.bitsPerSample == 8 * layout.bytesPerSample)
    #expect(head.pattern == layout.pattern.colors)
    #expect((head.blackLevel, head.whiteLevel) == (0, 1 << layout.bits - 1))
    #expect(!head.isLinearized)
    #expect(head.uniqueID == Self.description.id)
    #expect(head.preview == nil)
    let strip = try #require(head.strips.first)
    #expect(strip.upperBound == UInt64(data.count))
    #expect([UInt8](data[Int(strip.lowerBound)..<Int(strip.upperBound)]) == frame.samples)
    #expect(frame.samples.count == 64 * 48 * layout.bytesPerSample)
  }

  @Test("Samples lose their padding, and of two bytes the lower one comes first")
  func samples() throws {
    let little = try Self.frame(BayerLayout(pattern: .rggb, bits: 12), padding: 10)
    let big = try Self.frame(BayerLayout(pattern: .rggb, bits: 12, isBigEndian: true), padding: 0)
    #expect(little.samples == big.samples)
    #expect(Array(little.samples.prefix(6)) == [0, 0, 31, 0, 62, 0])
    #expect(!little.samples.contains(0xee) || little.samples.firstIndex(of: 0xee) != 128)
  }

  @Test("A frame that is shorter than its rows is none")
  func shortFrame() {
    let size = PixelSize(width: 8, height: 4)
    let layout = BayerLayout(pattern: .bggr, bits: 10)
    #expect(BayerFrame(layout: layout, size: size, stride: 16, block: FrameBlock(count: 63) { _ in }) == nil)
    #expect(BayerFrame(layout: layout, size: size, stride: 15, block: FrameBlock(count: 640) { _ in }) == nil)
    // The last row needs no padding.
    #expect(BayerFrame(layout: layout, size: size, stride: 20, block: FrameBlock(count: 76) { _ in }) != nil)
  }

  @Test("The preview is a JPEG in the first directory")
  func preview() throws {
    var description = Self.description
    let jpeg = JPEGSample(size: PixelSize(width: 160, height: 90)).bytes
    description.preview = Data(jpeg)
    description.orientation = 6
    let data = try DNGFile(Self.frame(BayerLayout(pattern: .gbrg, bits: 10)), description).data
    let head = try #require(try DNGHead(MemorySource(data)))
    let range = try #require(head.preview)
    #expect([UInt8](data[Int(range.lowerBound)..<Int(range.upperBound)]) == jpeg)
    #expect((head.size, head.orientation) == (PixelSize(width: 64, height: 48), 6))
    #expect(head.whiteLevel == 1023)
    #expect(head.uniqueID == description.id)
    description.preview = Data("no picture".utf8)
    #expect(throws: FormatError.self) {
      _ = try DNGFile(Self.frame(BayerLayout(pattern: .gbrg, bits: 10)), description)
    }
  }

  @Test("Samples in sRGB's curve get a table that decodes them")
  func linearization() throws {
    let frame = try Self.frame(BayerLayout(pattern: .grbg, bits: 8), transfer: .sRGB)
    let head = try #require(try DNGHead(MemorySource(DNGFile(frame, Self.description).data)))
    #expect(head.isLinearized)
    #expect(head.whiteLevel == 65_535)
    let table = DNGFile.linearization(bits: 8)
    #expect((table.count, table.first, table.last) == (256, 0, 65_535))
    // sRGB's middle gray of 188 is half of the light.
    #expect(abs(Int(table[188]) - 32_768) < 300)
    #expect(zip(table, table.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("Of 14 and 16 bits in that curve the light is stored, since tables as long are cut off by old developers")
  func decodedSamples() throws {
    for bits in [12, 14, 16] {
      let frame = try Self.frame(BayerLayout(pattern: .grbg, bits: bits), transfer: .sRGB)
      let data = try DNGFile(frame, Self.description).data
      let head = try #require(try DNGHead(MemorySource(data)))
      #expect(head.isLinearized == (bits == 12) && (head.blackLevel, head.whiteLevel) == (0, 65_535))
      let strip = try #require(head.strips.first)
      let stored = [UInt8](data[Int(strip.lowerBound)..<Int(strip.upperBound)])
      guard bits > 12 else {
        #expect(stored == frame.samples)
        continue
      }
      let table = DNGFile.linearization(bits: bits)
      let samples = frame.samples
      #expect(stored.count == samples.count)
      for index in stride(from: 0, to: samples.count, by: 2 * 97) {
        let light = Int(stored[index]) | Int(stored[index + 1]) << 8
        #expect(light == Int(table[Int(samples[index]) | Int(samples[index + 1]) << 8]))
      }
    }
  }

  @Test("A file that is cut short is refused, and other files are none")
  func damage() throws {
    let data = try DNGFile(Self.frame(BayerLayout(pattern: .rggb, bits: 16)), Self.description).data
    for count in [data.count - 1, data.count / 2] {
      #expect(throws: FormatError.self) { try DNGHead(MemorySource(data.prefix(count))) }
    }
    for count in [0, 4, 8, 20] { #expect(try DNGHead(MemorySource(data.prefix(count))) == nil) }
    #expect(try DNGHead(MemorySource(JPEGSample().bytes)) == nil)
    // Directories that name themselves, and counts without end.
    for index in 8..<min(400, data.count) {
      var damaged = data
      damaged[index] = 0xff
      _ = try? DNGHead(MemorySource(damaged))
    }
  }

  @Test("Names of layouts are GStreamer's")
  func names() {
    #expect(BayerLayout(name: "rggb") == BayerLayout(pattern: .rggb, bits: 8))
    #expect(BayerLayout(name: "bggr10le") == BayerLayout(pattern: .bggr, bits: 10))
    #expect(BayerLayout(name: "gbrg16be") == BayerLayout(pattern: .gbrg, bits: 16, isBigEndian: true))
    for name in ["", "rgb", "rggb8le", "rggb11le", "rggb10", "bggr10xe", "YUY2"] {
      #expect(BayerLayout(name: name) == nil, "\(name)")
    }
    for layout in Self.layouts { #expect(BayerLayout(name: layout.name) == layout) }
  }

  @Test(
    "Raw developers open it", .enabled(if: Command.areInstalled("dcraw", "raw-identify"), "needs dcraw and libraw-bin"),
    arguments: [8, 10, 12, 14, 16])
  func developers(_ bits: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-dng-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for pattern in BayerLayout.Pattern.allCases {
      var description = Self.description
      description.preview = Data(JPEGSample(size: PixelSize(width: 160, height: 120)).bytes)
      let frame = try Self.frame(
        BayerLayout(pattern: pattern, bits: bits), size: PixelSize(width: 640, height: 480),
        transfer: bits == 8 ? .sRGB : .linear)
      let file = folder.appendingPathComponent("\(pattern)\(bits).dng")
      try DNGFile(frame, description).data.write(to: file)
      let dcraw = try Command.run("dcraw", ["-i", "-v", file.path], at: folder)
      #expect(dcraw.status == 0 && dcraw.output.contains("640 x 480"), "\(dcraw.output)\(dcraw.errors)")
      let libraw = try Command.run("raw-identify", ["-v", file.path], at: folder)
      #expect(libraw.status == 0 && libraw.output.contains("640 x 480"), "\(libraw.output)\(libraw.errors)")
      let rendered = try Command.run("dcraw", ["-c", "-w", file.path], at: folder)
      #expect(rendered.status == 0, "\(rendered.errors)")
    }
  }

  @Test(
    "Raw developers find the colors that were stored", .enabled(if: Command.areInstalled("dcraw"), "needs dcraw"),
    arguments: layouts, [BayerFrame.Transfer.linear, .sRGB])
  func colors(_ layout: BayerLayout, _ transfer: BayerFrame.Transfer) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-dng-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Parts of white: an orange.
    let color = [0.8, 0.4, 0.2]
    let size = PixelSize(width: 64, height: 48)
    let white = Double(1 << layout.bits - 1)
    let block = FrameBlock(count: size.area * layout.bytesPerSample) { memory in
      for index in 0..<size.area {
        let (row, column) = (index / size.width, index % size.width)
        let value = Int((color[Int(layout.pattern.colors[row % 2 * 2 + column % 2])] * white).rounded())
        if layout.bits == 8 {
          memory[index] = UInt8(value)
        } else {
          (memory[2 * index], memory[2 * index + 1]) = (UInt8(value & 255), UInt8(value >> 8))
        }
      }
    }
    let frame = try #require(
      BayerFrame(
        layout: layout, size: size, stride: size.width * layout.bytesPerSample, transfer: transfer, block: block))
    // IEC 61966-2-1.
    let light = transfer == .linear ? color : color.map { pow(($0 + 0.055) / 1.055, 2.4) }
    let file = folder.appendingPathComponent("flat.dng")
    try DNGFile(frame, Self.description).data.write(to: file)
    // The white balance as stored, no brightening, linear output.
    #expect(try Command.run("dcraw", ["-w", "-W", "-g", "1", "1", file.path], at: folder).status == 0)
    let picture = try Data(contentsOf: folder.appendingPathComponent("flat.ppm"))
    let center = picture.suffix(3 * size.area).dropFirst(3 * (24 * size.width + 32)).prefix(3)
    for (found, wanted) in zip(center, light) { #expect(abs(Double(found) - 255 * wanted) < 4, "\([UInt8](center))") }
  }
}
