// HEIC and AVIF with 10 bits a sample, as libheif decodes them.

import CHEIF
import CameraCore
import Foundation
import Testing

@testable import StillCodecs

@Suite("Still pictures with 10 bits") struct DeepImageTests {
  /// A ramp through all levels, as wide as there are.
  private static func ramp(_ colors: DeepImage.Colors) -> DeepImage {
    let size = PixelSize(width: 1024, height: 64)
    let layout = RawLayout(
      name: "I420_10LE", size: size, strides: [2048, 1024, 1024], offsets: [0, 131_072, 163_840])
    let block = FrameBlock(count: 196_608) { memory in
      let words = memory.bindMemory(to: UInt16.self)
      for at in words.indices { words[at] = at < 65_536 ? UInt16(at % 1024) : 512 }
    }
    return DeepImage(layout: layout, block: block, colors: colors)
  }

  /// The luma of a file without conversion: the mean of each column, and the number of different samples.
  private static func luma(of data: Data) throws -> (columns: [Double], levels: Int) {
    let context = try #require(heif_context_alloc())
    defer { heif_context_free(context) }
    return try data.withUnsafeBytes { bytes in
      var handle: OpaquePointer?
      var image: OpaquePointer?
      #expect(
        heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil).code == heif_error_Ok)
      #expect(heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok)
      defer { heif_image_handle_release(handle) }
      #expect(heif_decode_image(handle, &image, heif_colorspace_YCbCr, heif_chroma_420, nil).code == heif_error_Ok)
      defer { heif_image_release(image) }
      #expect(heif_image_get_bits_per_pixel_range(image, heif_channel_Y) == 10)
      var stride: Int32 = 0
      let plane = UnsafeRawPointer(try #require(heif_image_get_plane_readonly(image, heif_channel_Y, &stride)))
      var (sums, levels) = ([Int](repeating: 0, count: 1024), Set<UInt16>())
      for row in 0..<64 {
        for column in 0..<1024 {
          let sample = plane.load(fromByteOffset: row * Int(stride) + 2 * column, as: UInt16.self)
          sums[column] += Int(sample)
          levels.insert(sample)
        }
      }
      return (sums.map { Double($0) / 64 }, levels.count)
    }
  }

  @Test(
    "A ramp of 1024 levels keeps more than 8 bits could",
    .enabled(if: StillCodecs.missingDeepEncoder(for: .heic) == nil, "libheif has no HEVC encoder for 10 bits"))
  func heicRamp() throws { try check(.heic) }

  @Test(
    "The same as AVIF",
    .enabled(if: StillCodecs.missingDeepEncoder(for: .avif) == nil, "libheif has no AV1 encoder for 10 bits"))
  func avifRamp() throws { try check(.avif) }

  private func check(_ format: PhotoFormat) throws {
    let colors = DeepImage.Colors(primaries: 9, transfer: 16, matrix: 9, isFullRange: true)
    let data = try StillCodecs.encode(Self.ramp(colors), as: format)
    #expect(try HEIFCodec.bitDepth(of: data) == 10)
    let (columns, levels) = try Self.luma(of: data)
    #expect(levels > 256, "\(levels)")
    // Full range: a step of 8 bits would be four of these.
    let error = (columns.enumerated().reduce(0.0) { $0 + pow($1.element - Double($1.offset), 2) } / 1024).squareRoot()
    #expect(error < 4, "\(error)")
    #expect(try StillCodecs.colors(of: data, as: format).codePoints == .init(primaries: 9, transfer: 16))
    // With 8 bits it is decoded as any other.
    let still = try StillCodecs.decode(data, as: format)
    #expect(still.image.size == PixelSize(width: 1024, height: 64))
  }

  @Test("JPEG and PNG, and other layouts, are refused")
  func refusals() {
    #expect(throws: StillCodecError.self) { try StillCodecs.encode(Self.ramp(.bt709), as: .png) }
    var other = Self.ramp(.bt709)
    other.layout.name = "P010_10LE"
    #expect(throws: StillCodecError.self) { try StillCodecs.encode(other, as: .heic) }
    #expect(StillCodecs.missingDeepEncoder(for: .jpeg) == "JPEG has 8 bits per color")
  }
}
