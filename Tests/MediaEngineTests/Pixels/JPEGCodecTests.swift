// JPEGs through libjpeg-turbo: planes and pixels, scales, thumbnails, completed Motion JPEG, errors in words.

import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import MediaEngine

@Suite struct JPEGCodecTests {
  /// A smooth colored picture with some detail.
  static func planes(_ subsampling: JPEGDecoder.Subsampling, _ size: PixelSize) throws -> (RawLayout, FrameBlock) {
    let layout = try #require(RawLayout.planar(subsampling, size: size))
    let block = FrameBlock(count: layout.planarByteCount) { memory in
      for plane in layout.offsets.indices {
        let (width, height) = subsampling.planeSize(plane, of: size)
        for y in 0..<height {
          for x in 0..<width {
            let value =
              plane == 0 ? x * 200 / width + (x / 16 + y / 16) % 2 * 40 : plane == 1 ? 80 + y * 80 / height : 110
            memory[layout.offsets[plane] + y * layout.strides[plane] + x] = UInt8(value)
          }
        }
      }
    }
    return (layout, block)
  }

  static func jpeg(
    _ subsampling: JPEGDecoder.Subsampling = .yuv422, _ size: PixelSize = PixelSize(width: 640, height: 360),
    quality: Int = 90
  ) throws -> FrameBlock {
    let (layout, block) = try planes(subsampling, size)
    return try JPEGEncoder().encode(planes: block, layout: layout, quality: quality)
  }

  @Test(arguments: [JPEGDecoder.Subsampling.yuv444, .yuv422, .yuv420, .yuv411, .gray])
  func planesComeBackAsTheyWent(_ subsampling: JPEGDecoder.Subsampling) throws {
    // Odd sizes as well: their last column and row share a color sample.
    for size in [PixelSize(width: 640, height: 360), PixelSize(width: 35, height: 19)] {
      let (layout, block) = try Self.planes(subsampling, size)
      let jpeg = try JPEGEncoder().encode(planes: block, layout: layout, quality: 95)
      let decoder = try JPEGDecoder()
      let header = try jpeg.withUnsafeBytes { try decoder.header(of: $0) }
      #expect(header == JPEGDecoder.Header(size: size, subsampling: subsampling))
      let (decodedLayout, decoded) = try jpeg.withUnsafeBytes { try decoder.decodePlanes($0) }
      #expect(decodedLayout == layout)
      var worst = 0
      for plane in layout.offsets.indices {
        let (width, height) = subsampling.planeSize(plane, of: size)
        for y in 0..<height {
          let row = layout.offsets[plane] + y * layout.strides[plane]
          for x in row..<row + width { worst = max(worst, abs(Int(block.bytes(at: x)) - Int(decoded.bytes(at: x)))) }
        }
      }
      #expect(worst <= 24)
      #expect(decoder.warning == nil)
    }
  }

  @Test func everyScaleDecodes() throws {
    let jpeg = try Self.jpeg(.yuv420, PixelSize(width: 641, height: 363))
    let decoder = try JPEGDecoder()
    for eighths in 1...8 {
      let size = JPEGScale.size(of: PixelSize(width: 641, height: 363), eighths: eighths)
      // A stride of the caller's, and a guard behind the last row.
      let stride = size.width * 4 + 20
      let block = try FrameBlock(count: stride * size.height + 8) { memory in
        memory.initializeMemory(as: UInt8.self, repeating: 0xa5)
        let decoded = try jpeg.withUnsafeBytes {
          try decoder.decode($0, eighths: eighths, quality: .fast, into: memory, stride: stride)
        }
        #expect(decoded == size)
      }
      #expect(Array(block.bytes.suffix(28)) == [UInt8](repeating: 0xa5, count: 28))
      #expect(block.bytes(at: 2 * stride - 24) != 0xa5 || block.bytes(at: 2 * stride - 22) != 0xa5)
    }
  }

  @Test func pixelsKeepTheirColor() throws {
    let size = PixelSize(width: 64, height: 48)
    let orange = FrameBlock(count: size.area * 4) { memory in
      for pixel in 0..<size.area {
        for (channel, value) in ([0x20, 0x80, 0xf0, 0] as [UInt8]).enumerated() { memory[pixel * 4 + channel] = value }
      }
    }
    let image = DecodedImage(size: size, stride: size.width * 4, block: orange)
    let jpeg: Data = try JPEGEncoder().encode(image, quality: 90)
    let decoded = try jpeg.withUnsafeBytes { try JPEGDecoder().decode($0, atLeast: nil) }
    for (channel, value) in [0x20, 0x80, 0xf0].enumerated() {
      #expect(abs(Int(decoded.block.bytes(at: 4 * 100 + channel)) - value) <= 4)
    }
  }

  @Test(arguments: [
    PixelSize(width: 1920, height: 1080), PixelSize(width: 480, height: 1000), PixelSize(width: 90, height: 60),
  ])
  func thumbnailsFit(_ size: PixelSize) throws {
    let jpeg = try Self.jpeg(.yuv422, size)
    let thumbnail = try jpeg.withUnsafeBytes { try JPEGThumbnailer().makeThumbnail($0) }
    let made = try thumbnail.withUnsafeBytes { try JPEGDecoder().header(of: $0).size }
    #expect(made == size.fitted(into: PixelSize(width: 160, height: 160)))
    #expect(max(made.width, made.height) == min(160, max(size.width, size.height)))
    #expect(thumbnail.count <= 48 << 10)
  }

  @Test func thumbnailOfNoiseFits() throws {
    let size = PixelSize(width: 160, height: 160)
    var state: UInt32 = 1
    let noise = FrameBlock(count: size.area * 4) { memory in
      for at in memory.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        memory[at] = UInt8(truncatingIfNeeded: state >> 24)
      }
    }
    let jpeg: Data = try JPEGEncoder().encode(
      DecodedImage(size: size, stride: size.width * 4, block: noise), quality: 100)
    #expect(try jpeg.withUnsafeBytes { try JPEGThumbnailer().makeThumbnail($0) }.count <= 48 << 10)
  }

  /// The encoder writes the standard's tables: a frame without them, as webcams send it, becomes the same JPEG again.
  @Test func frameWithoutHuffmanTablesIsCompleted() throws {
    let whole = try JPEGSegments(parsing: Data(Self.jpeg().bytes))
    let bare = whole.removing { $0.marker == JPEGMarker.huffmanTables }.assemble()
    let completed = try bare.withUnsafeBytes { try JPEGStream.complete($0) }
    #expect(completed.repairs == .huffmanTables)
    let decoder = try JPEGDecoder()
    let expected = try whole.assemble().withUnsafeBytes { try decoder.decode($0, atLeast: nil) }
    let decoded = try completed.block.withUnsafeBytes { try decoder.decode($0, atLeast: nil) }
    #expect(decoder.warning == nil)
    #expect(decoded.block.bytes == expected.block.bytes)
  }

  @Test func damageIsAWarningAndNonsenseAnError() throws {
    let jpeg = try Self.jpeg().bytes
    let decoder = try JPEGDecoder()
    let cut = Array(jpeg.prefix(jpeg.count / 2))
    _ = try cut.withUnsafeBytes { try decoder.decode($0, atLeast: nil) }
    #expect(decoder.warning != nil)
    _ = try jpeg.withUnsafeBytes { try decoder.decode($0, atLeast: nil) }
    #expect(decoder.warning == nil)
    for nonsense in [[], Array("no picture".utf8), Array(jpeg.prefix(40))] {
      let error = #expect(throws: JPEGCodecError.self) {
        try nonsense.withUnsafeBytes { try decoder.decode($0, atLeast: nil) }
      }
      #expect(error?.description.isEmpty == false)
    }
    #expect(throws: JPEGCodecError.self) {
      _ = try FrameBlock(count: 100) { memory in
        try jpeg.withUnsafeBytes { _ = try decoder.decode($0, into: memory) }
      }
    }
  }

  /// Stored in several passes, which the decoder has to keep: in printing colors, too.
  @Test(arguments: [3, 4]) func picturesThatTakeTooMuchMemoryAreRefused(components: Int) throws {
    let jpeg = HandMadeJPEG(side: 8000, components: components, frameMarker: 0xc2, scanBytes: 100).data
    let decoder = try JPEGDecoder()
    let error = #expect(throws: JPEGCodecError.self) {
      if components == 4 { _ = try decoder.decodeInks(jpeg) }
      _ = try jpeg.withUnsafeBytes { try decoder.decode($0) }
    }
    #expect(error?.description.contains("several passes") == true)
  }

  @Test func unusableLayoutsAreRefused() throws {
    let (layout, block) = try Self.planes(.yuv420, PixelSize(width: 64, height: 64))
    var other = layout
    other.name = "NV12"
    #expect(throws: JPEGCodecError.self) { try JPEGEncoder().encode(planes: block, layout: other, quality: 80) }
    let short = FrameBlock(count: 100) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
    #expect(throws: JPEGCodecError.self) { try JPEGEncoder().encode(planes: short, layout: layout, quality: 80) }
  }
}

extension FrameBlock {
  /// One byte.
  func bytes(at offset: Int) -> UInt8 { withUnsafeBytes { $0[offset] } }
}
