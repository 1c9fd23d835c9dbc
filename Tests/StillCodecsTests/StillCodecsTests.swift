// Still pictures of every format: pictures survive being encoded and decoded, and hostile files are refused.

import CHEIF
import CameraCore
import Foundation
import MediaFormats
import PhotoEffects
import TestSupport
import Testing

@testable import StillCodecs

@Suite("Still codecs")
struct StillCodecsTests {
  static let formats: [PhotoFormat] = [.heic, .avif, .png, .webp, .tiff, .jxl]
  /// Those that lose nothing.
  static let exactFormats: Set<PhotoFormat> = [.png, .tiff]

  /// Smooth colors in all directions, a red half above.
  static func picture(_ width: Int, _ height: Int) -> DecodedImage {
    let block = FrameBlock(count: width * height * 4) { target in
      for y in 0..<height {
        for x in 0..<width {
          let at = (y * width + x) * 4
          target[at] = UInt8(x * 255 / max(1, width - 1))
          target[at + 1] = UInt8(y * 255 / max(1, height - 1))
          target[at + 2] = y < height / 2 ? 220 : 30
          target[at + 3] = 0
        }
      }
    }
    return DecodedImage(size: PixelSize(width: width, height: height), stride: width * 4, block: block)
  }

  /// In decibels, over all colors.
  static func likeness(_ one: DecodedImage, _ other: DecodedImage) -> Double {
    guard one.size == other.size else { return 0 }
    let (first, second) = (one.block.bytes, other.block.bytes)
    var sum = 0.0
    for at in first.indices where at % 4 != 3 {
      let difference = Double(first[at]) - Double(second[at])
      sum += difference * difference
    }
    return 10 * log10(255 * 255 / max(0.001, sum / Double(one.size.area * 3)))
  }

  @Test("What is encoded is decoded, also with odd sides", arguments: formats, [(64, 48), (65, 33)])
  func roundTrip(_ format: PhotoFormat, _ size: (Int, Int)) throws {
    let image = Self.picture(size.0, size.1)
    let data = try StillCodecs.encode(image, as: format)
    let head = try #require(try PictureHead(DataSource(data, name: "picture")))
    #expect((head.format, head.size, head.isAnimated) == (format, image.size, false))
    let still = try StillCodecs.decode(data, as: format)
    let likeness = Self.likeness(image, still.image)
    #expect(Self.exactFormats.contains(format) ? likeness > 70 : likeness > 30, "\(likeness) dB")
  }

  @Test("A picture that codes more than it states is refused undecoded", arguments: [PhotoFormat.heic, .avif])
  func largerThanStated(_ format: PhotoFormat) throws {
    let whole = try StillCodecs.encode(Self.picture(640, 480), as: format)
    #expect(try HEIFCodedSize(DataSource(whole, name: "whole")) == .asStated)
    var small = whole
    let place = try #require(small.range(of: Data("ispe".utf8)))
    small.replaceSubrange(place.upperBound + 4..<place.upperBound + 12, with: [0, 0, 0, 64, 0, 0, 0, 48])
    guard case .larger(let size) = try HEIFCodedSize(DataSource(small, name: "small")) else {
      Issue.record("\(try HEIFCodedSize(DataSource(small, name: "small")))")
      return
    }
    #expect(size.width >= 640 && size.height >= 480 && size.width < 800 && size.height < 640)
    #expect(throws: StillCodecError.self) { try StillCodecs.decode(small, as: format) }
    // A stream that can't be read is decoded alone.
    var unclear = whole
    let box = try #require(unclear.range(of: Data((format == .heic ? "hvcC" : "av1C").utf8)))
    unclear.replaceSubrange(box, with: Data("free".utf8))
    if format == .heic { #expect(try HEIFCodedSize(DataSource(unclear, name: "unclear")) == .unknown) }
  }

  @Test("A picture that codes less than it states is refused", arguments: [PhotoFormat.heic, .avif], [false, true])
  func smallerThanStated(_ format: PhotoFormat, isDeep: Bool) throws {
    let deep = DeepPixels(PixelSize(width: 64, height: 48)) {
      $0.update(repeating: .init(9000, 9000, 9000, 0), count: 64 * 48)
    }
    guard
      var data = isDeep
        ? try StillCodecs.encode(deep, as: format) : try StillCodecs.encode(Self.picture(64, 48), as: format)
    else { return }
    let place = try #require(data.range(of: Data("ispe".utf8), options: .backwards))
    data.replaceSubrange(place.upperBound + 4..<place.upperBound + 12, with: [0, 0, 0, 128, 0, 0, 0, 96])
    let error = #expect(throws: StillCodecError.self) {
      if isDeep {
        _ = try StillCodecs.decodeDeep(data, as: format)
      } else {
        _ = try StillCodecs.decode(data, as: format)
      }
    }
    #expect(error?.description.contains("fewer than the file says") == true, "\(String(describing: error))")
  }

  @Test("A grid whose canvas is larger than it states is refused undecoded") func largerCanvas() throws {
    var data = try StillCodecs.encode(Self.picture(64, 48), as: .heic)
    // libheif puts what is no multiple of 64 on a grid of one tile.
    let place = try #require(data.range(of: Data("idat".utf8)))
    data.replaceSubrange(place.upperBound + 4..<place.upperBound + 8, with: [0x67, 0x72, 0x69, 0x64])
    let size = PixelSize(width: 0x6772, height: 0x6964)
    #expect(try HEIFCodedSize(DataSource(data, name: "grid")) == .larger(size))
    #expect(throws: StillCodecError.self) { try StillCodecs.decode(data, as: .heic) }
  }

  @Test("A stream that ends anywhere is looked at as far as it goes", arguments: [PhotoFormat.heic, .avif])
  func shortStream(_ format: PhotoFormat) throws {
    let whole = try StillCodecs.encode(Self.picture(64, 48), as: format)
    let stream = try #require(whole.range(of: Data("mdat".utf8)))
    let size = whole[stream.lowerBound - 4..<stream.lowerBound].reduce(0) { $0 << 8 | UInt32($1) } - 8
    func bytes(_ number: UInt32) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
    let locations = try #require(whole.range(of: Data("iloc".utf8)))
    let place = try #require(whole.range(of: bytes(size), in: locations.upperBound..<stream.lowerBound))
    for count in 1..<min(size, 64) {
      var short = whole
      short.replaceSubrange(place, with: bytes(count))
      // It must not read past the end, nor trap.
      let found = try HEIFCodedSize(DataSource(short, name: "short"))
      if format == .heic { #expect(found == .unknown || found == .asStated, "\(count)") }
    }
  }

  @Test("A color profile is kept", arguments: formats.filter { $0 != .jxl })
  func profile(_ format: PhotoFormat) throws {
    // libspng and libheif take what has the head of a profile.
    var profile = Data(count: 200)
    profile[3] = 200
    profile.replaceSubrange(12..<16, with: "mntr".utf8)
    profile.replaceSubrange(16..<20, with: "RGB ".utf8)
    profile.replaceSubrange(20..<24, with: "XYZ ".utf8)
    profile.replaceSubrange(36..<40, with: "acsp".utf8)
    let data = try StillCodecs.encode(Self.picture(32, 32), as: format, colors: StillColors(profile: profile))
    #expect(try StillCodecs.decode(data, as: format).colors.profile == profile)
  }

  @Test("A profile for gray isn't that of a picture in color", arguments: [PhotoFormat.heic, .avif])
  func profileOfGray(_ format: PhotoFormat) throws {
    var profile = Data(count: 200)
    profile.replaceSubrange(16..<20, with: "GRAY".utf8)
    let data = try StillCodecs.encode(Self.picture(32, 32), as: format, colors: StillColors(profile: profile))
    #expect(data.range(of: Data("GRAY".utf8)) != nil)
    #expect(try StillCodecs.decode(data, as: format).colors.profile == nil)
    #expect(try StillCodecs.colors(of: data, as: format).profile == nil)
  }

  @Test(
    "Colors that can’t be read aren’t taken for others", arguments: [PhotoFormat.heic, .avif, .webp, .tiff, .jxl])
  func unreadableColors(_ format: PhotoFormat) throws {
    let data = try StillCodecs.encode(Self.picture(32, 32), as: format)
    let error = #expect(throws: StillCodecError.self) { try StillCodecs.colors(of: data.prefix(2), as: format) }
    #expect(error?.isOfFile == true)
  }

  @Test("HEIC and AVIF keep their primaries", arguments: [PhotoFormat.heic, .avif])
  func primaries(_ format: PhotoFormat) throws {
    let wide = StillColors(codePoints: .init(primaries: 12, transfer: 13))
    let data = try StillCodecs.encode(Self.picture(32, 32), as: format, colors: wide)
    #expect(try StillCodecs.decode(data, as: format).colors.codePoints == wide.codePoints)
  }

  @Test("A turn in the file is made once", arguments: [PhotoFormat.heic, .avif])
  func turned(_ format: PhotoFormat) throws {
    let image = Self.picture(64, 48)
    for orientation in 1...8 {
      let data = try HEIFCodec.encode(
        image, alpha: nil, as: format, colors: StillColors(), quality: .photo, orientation: UInt32(orientation))
      let upright = image.upright(orientation: orientation)
      #expect(try PictureHead(DataSource(data, name: "picture"))?.size == upright.size)
      #expect(Self.likeness(try StillCodecs.decode(data, as: format).image, upright) > 30)
    }
  }

  @Test("Transparent parts of an AVIF are white, also where its colors are multiplied by their opacity")
  func premultiplied() throws {
    for isMultiplied in [false, true] {
      var image: OpaquePointer?
      #expect(
        heif_image_create(64, 64, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, &image).code == heif_error_Ok)
      let picture = try #require(image)
      defer { heif_image_release(picture) }
      #expect(heif_image_add_plane(picture, heif_channel_interleaved, 64, 64, 8).code == heif_error_Ok)
      var stride: Int32 = 0
      let plane = try #require(heif_image_get_plane(picture, heif_channel_interleaved, &stride))
      for y in 0..<64 {
        for x in 0..<64 {
          let pixel = plane + y * Int(stride) + x * 4
          (pixel[0], pixel[1], pixel[2], pixel[3]) = isMultiplied ? (100, 100, 100, 128) : (200, 200, 200, 128)
        }
      }
      heif_image_set_premultiplied_alpha(picture, isMultiplied ? 1 : 0)
      let context = try #require(heif_context_alloc())
      defer { heif_context_free(context) }
      let encoder = try HEIFCodec.encoder(context, .avif, .photo)
      defer { heif_encoder_release(encoder) }
      #expect(heif_context_encode_image(context, picture, encoder, nil, nil).code == heif_error_Ok)
      let bytes = try StillCodecs.decode(HEIFCodec.file(of: context), as: .avif).image.block.bytes
      #expect(abs(Int(bytes[0]) - 227) < 4, "\(bytes[0])")
    }
  }

  @Test("Transparent parts of a PNG are white")
  func transparent() throws {
    // One row of two pixels with gray and opacity, compressed as one stored block.
    let row: [UInt8] = [0, 100, 255, 100, 0]
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in row {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    let stored: [UInt8] = [0x78, 1, 1, 5, 0, 0xfa, 0xff] + row + HandMadeMovie.words(UInt64(b << 16 | a))
    let head = HandMadeMovie.words(2, 1) + [8, 4, 0, 0, 0]
    let data =
      HandMadePNG.signature + HandMadePNG.chunk("IHDR", head) + HandMadePNG.chunk("IDAT", stored)
      + HandMadePNG.chunk("IEND", [])
    let image = try StillCodecs.decode(Data(data), as: .png).image
    #expect(image.block.bytes == [100, 100, 100, 0, 255, 255, 255, 0])
  }

  @Test("A picture of too many pixels is refused before anything is allocated")
  func tooLarge() throws {
    for (width, height) in [(100_000, 100_000), (30_000, 30_000)] {
      let data = HandMadePNG.data(width: width, height: height)
      #expect(throws: StillCodecError.self) { try StillCodecs.decode(data, as: .png) }
      var file = HandMadeHEIF()
      file.size = (width, height)
      #expect(throws: StillCodecError.self) { try StillCodecs.decode(file.data, as: .heic) }
    }
  }

  @Test("Damaged files are refused or decoded, and nothing else", arguments: formats)
  func damaged(_ format: PhotoFormat) throws {
    let data = try StillCodecs.encode(Self.picture(48, 32), as: format)
    for count in [0, 1, 20, data.count / 2, data.count - 1] {
      _ = try? StillCodecs.decode(data.prefix(count), as: format)
    }
    #expect(throws: StillCodecError.self) { try StillCodecs.decode(data.prefix(data.count / 3), as: format) }
    #expect(throws: StillCodecError.self) { try StillCodecs.decode(Data(), as: format) }
    #expect(throws: StillCodecError.self) { try StillCodecs.decode(Data("no picture at all".utf8), as: format) }
  }

  @Test("All encoders of Debian are found, and JPEG is no matter of these codecs")
  func encoders() throws {
    for format in PhotoFormat.ofShots { #expect(StillCodecs.missingEncoder(for: format) == nil) }
    #expect(throws: StillCodecError.self) { try StillCodecs.encode(Self.picture(8, 8), as: .jpeg) }
    #expect(throws: StillCodecError.self) { try StillCodecs.decode(Data(), as: .jpeg) }
  }
}
