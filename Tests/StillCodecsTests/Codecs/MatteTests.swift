// Mattes as gray pictures, and as auxiliary pictures that libheif finds in a picture's file.

import CHEIF
import CameraCore
import Foundation
import MediaFormats
import PhotoEffects
import TestSupport
import Testing

@testable import StillCodecs

@Suite("Mattes in files")
struct MatteTests {
  /// The encoders are lossy.
  private static let tolerance = 12

  /// A bright disc on black, with a soft edge: every gray is in it.
  private static func matte(_ size: PixelSize) -> Matte {
    let block = FrameBlock(count: size.area) { target in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let (dx, dy) = (Double(x) / Double(size.width) - 0.4, Double(y) / Double(size.height) - 0.6)
          target[y * size.width + x] = UInt8(max(0, min(255, 400 - 1000 * (dx * dx + dy * dy).squareRoot())))
        }
      }
    }
    return Matte(size: size, block: block)
  }

  private static func joined(_ picture: Data, _ matte: Data?) throws -> Data {
    let source = DataSource(picture, name: "picture")
    return try HEIFCopy.pieces(of: source, portraitMatte: matte.map { DataSource($0, name: "matte") }).joined()
  }

  private static func difference(_ found: [UInt8], _ matte: Matte) -> Int {
    zip(found, matte.block.bytes).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
  }

  /// The plane of a picture, as libheif decodes it.
  private static func plane(_ handle: OpaquePointer, _ size: PixelSize) throws -> [UInt8] {
    var image: OpaquePointer?
    try HEIFCodec.check(
      heif_decode_image(handle, &image, heif_colorspace_monochrome, heif_chroma_monochrome, nil))
    defer { heif_image_release(image) }
    #expect(Int(heif_image_get_width(image, heif_channel_Y)) == size.width)
    #expect(Int(heif_image_get_height(image, heif_channel_Y)) == size.height)
    var stride: Int32 = 0
    let plane = try #require(heif_image_get_plane_readonly(image, heif_channel_Y, &stride))
    return (0..<size.height).flatMap { y in (0..<size.width).map { plane[y * Int(stride) + $0] } }
  }

  /// The auxiliary pictures of a file: their types and planes.
  private static func auxiliaries(of data: Data, _ size: PixelSize) throws -> [(type: String, plane: [UInt8])] {
    let context = heif_context_alloc()
    defer { heif_context_free(context) }
    return try data.withUnsafeBytes { bytes in
      try HEIFCodec.check(heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
      var primary: OpaquePointer?
      try HEIFCodec.check(heif_context_get_primary_image_handle(context, &primary))
      defer { heif_image_handle_release(primary) }
      // Neither opacity nor depth.
      let omitted = LIBHEIF_AUX_IMAGE_FILTER_OMIT_ALPHA | LIBHEIF_AUX_IMAGE_FILTER_OMIT_DEPTH
      var ids = [heif_item_id](repeating: 0, count: 8)
      let count = heif_image_handle_get_list_of_auxiliary_image_IDs(primary, Int32(omitted), &ids, 8)
      return try ids.prefix(Int(count)).map { id in
        var handle: OpaquePointer?
        try HEIFCodec.check(heif_image_handle_get_auxiliary_image_handle(primary, id, &handle))
        defer { heif_image_handle_release(handle) }
        var type: UnsafePointer<CChar>?
        try HEIFCodec.check(heif_image_handle_get_auxiliary_type(handle, &type))
        defer { heif_image_handle_free_auxiliary_types(handle, &type) }
        return (type.map { String(cString: $0) } ?? "", try plane(#require(handle), size))
      }
    }
  }

  @Test(
    "A gray picture is the matte", arguments: [PhotoFormat.heic, .avif],
    [PixelSize(width: 96, height: 64), PixelSize(width: 131, height: 97), PixelSize(width: 16, height: 20)])
  func gray(_ format: PhotoFormat, _ size: PixelSize) throws {
    let matte = Self.matte(size)
    let data = try StillCodecs.encode(matte, as: format)
    let still = try StillCodecs.decode(data, as: format)
    let found = still.image.size
    #expect(still.alpha == nil && found.width % 2 == 0 && found.height % 2 == 0 && min(found.width, found.height) >= 64)
    #expect(size.width % 2 == 1 || size.height < 64 || found == size)
    let pixels = still.image.block.bytes
    for channel in 0..<3 {
      let plane = (0..<size.area).map { index in
        let (x, y) = ((index % size.width * 2 + 1) * found.width, (index / size.width * 2 + 1) * found.height)
        return pixels[y / (2 * size.height) * still.image.stride + 4 * (x / (2 * size.width)) + channel]
      }
      #expect(Self.difference(plane, matte) <= Self.tolerance)
    }
    // Not larger than its header says, and in one piece.
    #expect(try HEIFCodedSize(DataSource(data, name: "matte")) == .asStated)
    #expect(try HEIFHead(DataSource(data, name: "matte"))?.imageRanges.count == 1)
    let same = HandMadeHEIF().data
    if format == .heic {
      #expect(try HEIFPortraitMatte(DataSource(Self.joined(same, data), name: "picture"))?.size == found)
    }
  }

  @Test("libheif finds a matte beside a picture, which stays as it is", arguments: [true, false])
  func auxiliary(hasAlpha: Bool) throws {
    let size = PixelSize(width: 98, height: 70)
    let picture = try StillCodecs.encode(AlphaTests.image(), alpha: hasAlpha ? AlphaTests.alpha() : nil, as: .heic)
    let matte = Self.matte(size)
    let whole = try Self.joined(picture, StillCodecs.encode(matte, as: .heic))
    let found = try Self.auxiliaries(of: whole, size)
    #expect(found.map(\.type) == [XMPPacket.portraitMatteType])
    #expect(Self.difference(found[0].plane, matte) <= Self.tolerance)
    #expect(try Self.auxiliaries(of: picture, size).isEmpty)
    #expect(try HEIFPortraitMatte(DataSource(whole, name: "picture"))?.size == size)
    let (old, new) = (try StillCodecs.decode(picture, as: .heic), try StillCodecs.decode(whole, as: .heic))
    #expect(old.image.block.bytes == new.image.block.bytes && old.colors == new.colors)
    #expect(old.alpha?.block.bytes == new.alpha?.block.bytes)
    // With other metadata it is found as before.
    let change = PictureMetadata(xmp: .replaced(Data(XMPPacket.empty)))
    let tagged = try HEIFCopy.pieces(of: DataSource(whole, name: "picture"), change).joined()
    #expect(try Self.auxiliaries(of: tagged, size).map(\.plane) == found.map(\.plane))
    let without = try HEIFCopy.pieces(of: DataSource(whole, name: "picture"), portraitMatte: nil as DataSource?)
      .joined()
    #expect(without == picture)
  }
}
