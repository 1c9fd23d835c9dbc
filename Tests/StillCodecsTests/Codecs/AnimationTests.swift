// Animated pictures, frame by frame.

import CJXL
import CameraCore
import Foundation
import MediaFormats
import TestSupport
import Testing

@testable import StillCodecs

@Suite("Animated pictures")
struct AnimationTests {
  /// The gray values of a frame's pixels.
  private static func grays(_ frame: StillFrame?) throws -> [UInt8] {
    let bytes = try #require(frame).image.block.bytes
    return stride(from: 0, to: bytes.count, by: 4).map { bytes[$0] }
  }

  private static let frames: [HandMadeGIF.Frame] = {
    var first = HandMadeGIF.Frame(width: 3, height: 2, color: 10)
    first.delay = 20
    // The second draws one pixel, the third one is brought back.
    var second = HandMadeGIF.Frame(width: 1, height: 1, color: 50)
    (second.x, second.y, second.disposal, second.delay) = (2, 1, 3, 0)
    var third = HandMadeGIF.Frame(width: 2, height: 1, pixels: [100, 7])
    (third.transparent, third.disposal) = (7, 2)
    let fourth = HandMadeGIF.Frame(width: 1, height: 1, color: 60)
    return [first, second, third, fourth]
  }()

  private static let expected: [[UInt8]] = [
    [20, 20, 20, 20, 20, 20], [20, 20, 20, 20, 20, 100], [200, 20, 20, 20, 20, 20], [120, 255, 20, 20, 20, 20],
  ]

  @Test("A GIF's frames are put together as its rules of disposal say", arguments: [false, true])
  func gif(_ isHere: Bool) throws {
    var file = HandMadeGIF(width: 3, height: 2, frames: Self.frames)
    file.loops = 0
    let reader = try #require(
      isHere ? try GIFCodec.frames(of: file.data) : try StillCodecs.frames(of: file.data, as: .gif))
    #expect(reader.loopCount == 0)
    var durations: [Double] = []
    for expected in Self.expected {
      let frame = try reader.next()
      #expect(try Self.grays(frame) == expected)
      durations.append(frame?.duration ?? -1)
    }
    #expect(durations == [0.2, 0.1, 0.1, 0.1])
    #expect(try reader.next() == nil)
    #expect(try PictureHead(DataSource(file.data, name: "gif"))?.isAnimated == true)
  }

  @Test("The rows of an interlaced GIF are in their order")
  func interlaced() throws {
    // Stored in four passes: 0, 8, then 4, then 2 and 6, then the odd ones.
    let order = [0, 8, 4, 2, 6, 1, 3, 5, 7]
    var frame = HandMadeGIF.Frame(width: 1, height: 9, pixels: order.map { UInt8($0) })
    frame.isInterlaced = true
    let still = try StillCodecs.decode(HandMadeGIF(width: 1, height: 9, frames: [frame]).data, as: .gif)
    #expect(try Self.grays(StillFrame(image: still.image, duration: 0)) == [0, 2, 4, 6, 8, 10, 12, 14, 16])
  }

  @Test("A GIF that is cut short shows what is there")
  func cut() throws {
    let file = HandMadeGIF(width: 40, height: 40, frames: [.init(width: 40, height: 40, color: 30)])
    let still = try StillCodecs.decode(file.data.dropLast(800), as: .gif)
    let bytes = still.image.block.bytes
    #expect(bytes[0] == 60 && bytes[39 * 160] == 255)
  }

  /// An APNG of gray pixels with opacity.
  private static func apng() -> Data {
    func pixels(_ values: [(UInt8, UInt8)], width: Int) -> [UInt8] {
      var rows: [UInt8] = []
      for start in stride(from: 0, to: values.count, by: width) {
        rows.append(0)
        for value in values[start..<start + width] { rows += [value.0, value.1] }
      }
      return stored(rows)
    }
    func control(_ number: UInt64, _ width: UInt64, _ height: UInt64, _ x: UInt64, _ y: UInt64, _ rest: [UInt8])
      -> [UInt8]
    {
      HandMadePNG.chunk("fcTL", HandMadeMovie.words(number, width, height, x, y) + rest)
    }
    let whole = [(UInt8, UInt8)](repeating: (20, 255), count: 6)
    var bytes = HandMadePNG.signature + HandMadePNG.chunk("IHDR", HandMadeMovie.words(3, 2) + [8, 4, 0, 0, 0])
    bytes += HandMadePNG.chunk("acTL", HandMadeMovie.words(4, 5))
    // Durations of 1/5, 0, 1/2 of a hundredth, 3/10 of a second; then what becomes of them, and whether they are blended.
    bytes += control(0, 3, 2, 0, 0, [0, 1, 0, 5, 0, 0]) + HandMadePNG.chunk("IDAT", pixels(whole, width: 3))
    bytes += control(1, 1, 1, 2, 1, [0, 0, 0, 0, 2, 0])
    bytes += HandMadePNG.chunk("fdAT", HandMadeMovie.words(2) + pixels([(100, 255)], width: 1))
    bytes += control(3, 2, 1, 0, 0, [0, 1, 0, 200, 1, 1])
    bytes += HandMadePNG.chunk("fdAT", HandMadeMovie.words(4) + pixels([(200, 255), (77, 0)], width: 2))
    bytes += control(5, 1, 1, 0, 0, [0, 3, 0, 10, 0, 0])
    bytes += HandMadePNG.chunk("fdAT", HandMadeMovie.words(6) + pixels([(120, 255)], width: 1))
    return Data(bytes + HandMadePNG.chunk("IEND", []))
  }

  /// Compressed by zlib's rules as one stored block.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    let count = UInt16(bytes.count)
    let length = [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
    return [0x78, 1, 1] + length + bytes + HandMadeMovie.words(UInt64(high << 16 | low))
  }

  @Test("An APNG's frames are put together as its rules say")
  func animatedPNG() throws {
    let data = Self.apng()
    #expect(try PictureHead(DataSource(data, name: "png"))?.isAnimated == true)
    let reader = try #require(try StillCodecs.frames(of: data, as: .png))
    #expect(reader.loopCount == 5)
    var durations: [Double] = []
    for expected in Self.expected {
      let frame = try reader.next()
      #expect(try Self.grays(frame) == expected)
      durations.append(frame?.duration ?? -1)
    }
    #expect(durations == [0.2, 0.1, 0.1, 0.3])
    #expect(try reader.next() == nil)
    // Other viewers show the first one.
    #expect(
      try Self.grays(StillFrame(image: StillCodecs.decode(data, as: .png).image, duration: 0)) == Self.expected[0])
  }

  @Test("Damaged animations end in an error or early, and nothing else")
  func damaged() throws {
    for (format, data) in [
      (PhotoFormat.gif, HandMadeGIF(width: 3, height: 2, frames: Self.frames).data), (.png, Self.apng()),
    ] {
      var numbers = SeededNumbers(state: 7)
      for _ in 0..<300 {
        var bad = data
        for _ in 0..<3 {
          bad[Int.random(in: 0..<bad.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
        }
        let reader = format == .gif ? try? GIFCodec.frames(of: bad) : try? PNGCodec.frames(of: bad)
        for _ in 0..<8 { _ = try? reader?.next() }
      }
      for count in 0..<data.count {
        _ = try? (format == .gif ? GIFCodec.frames(of: data.prefix(count)) : PNGCodec.frames(of: data.prefix(count)))?
          .next()
      }
    }
  }

  @Test("Still pictures have no frames to play", arguments: [PhotoFormat.png, .webp, .jxl, .tiff, .heic])
  func still(_ format: PhotoFormat) throws {
    let data = try StillCodecs.encode(StillCodecsTests.picture(32, 24), as: format)
    #expect(try StillCodecs.frames(of: data, as: format) == nil)
  }

  @Test("A GIF that was cut off between its frames is played as far as it goes")
  func unfinished() throws {
    let data = HandMadeGIF(width: 3, height: 2, frames: Self.frames).data.dropLast()
    let reader = try #require(try StillCodecs.frames(of: data, as: .gif))
    for expected in Self.expected { #expect(try Self.grays(reader.next()) == expected) }
    #expect(try reader.next() == nil)
  }

  @Test("An APNG of a huge canvas is a still picture")
  func hugeCanvas() throws {
    var bytes =
      HandMadePNG.signature + HandMadePNG.chunk("IHDR", HandMadeMovie.words(14_000, 14_000) + [8, 4, 0, 0, 0])
    bytes += HandMadePNG.chunk("acTL", HandMadeMovie.words(2, 0))
    for number in [UInt64(0), 1] {
      bytes += HandMadePNG.chunk("fcTL", HandMadeMovie.words(number, 14_000, 14_000, 0, 0) + [0, 1, 0, 5, 0, 0])
      bytes += HandMadePNG.chunk("IDAT", [1])
    }
    let data = Data(bytes + HandMadePNG.chunk("IEND", []))
    #expect(try PNGAnimation(DataSource(data, name: "png")) != nil)
    #expect(try StillCodecs.frames(of: data, as: .png) == nil)
  }

  @Test("A GIF of a huge canvas is a still picture, however small its frames are")
  func hugeGIF() throws {
    let frames = [10, 20].map { HandMadeGIF.Frame(width: 1, height: 1, color: $0) }
    #expect(try StillCodecs.frames(of: HandMadeGIF(width: 5800, height: 5800, frames: frames).data, as: .gif) == nil)
    #expect(try StillCodecs.frames(of: HandMadeGIF(width: 58, height: 58, frames: frames).data, as: .gif) != nil)
  }

  /// An animated JPEG XL of two frames.
  private static func animatedJXL(_ profile: Data, duration: UInt32) throws -> Data {
    let encoder = try #require(JxlEncoderCreate(nil))
    defer { JxlEncoderDestroy(encoder) }
    var info = JxlBasicInfo()
    JxlEncoderInitBasicInfo(&info)
    (info.xsize, info.ysize, info.bits_per_sample, info.num_color_channels) = (8, 8, 8, 3)
    (info.uses_original_profile, info.have_animation) = (JXL_TRUE, JXL_TRUE)
    (info.animation.tps_numerator, info.animation.tps_denominator, info.animation.num_loops) = (10, 1, 3)
    try #require(JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS)
    try #require(JxlEncoderSetICCProfile(encoder, [UInt8](profile), profile.count) == JXL_ENC_SUCCESS)
    let settings = try #require(JxlEncoderFrameSettingsCreate(encoder, nil))
    try #require(JxlEncoderSetFrameLossless(settings, JXL_TRUE) == JXL_ENC_SUCCESS)
    var format = JxlPixelFormat(num_channels: 3, data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 0)
    for value in [UInt8(10), 200] {
      var header = JxlFrameHeader()
      JxlEncoderInitFrameHeader(&header)
      header.duration = duration
      try #require(JxlEncoderSetFrameHeader(settings, &header) == JXL_ENC_SUCCESS)
      let pixels = [UInt8](repeating: value, count: 8 * 8 * 3)
      try #require(JxlEncoderAddImageFrame(settings, &format, pixels, pixels.count) == JXL_ENC_SUCCESS)
    }
    JxlEncoderCloseInput(encoder)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = buffer.withUnsafeMutableBufferPointer { buffer in
      var (next, left) = (buffer.baseAddress, buffer.count)
      return JxlEncoderProcessOutput(encoder, &next, &left) == JXL_ENC_SUCCESS ? buffer.count - left : 0
    }
    try #require(count > 0)
    return Data(buffer[..<count])
  }

  @Test("An animated JPEG XL has the colors of its profile", arguments: [false, true])
  func animatedJXLColors(_ isHere: Bool) throws {
    let profile = try #require(StillColors.adobeRGB.profile)
    let data = try Self.animatedJXL(profile, duration: 3)
    let reader = try #require(isHere ? try JXLCodec.frames(of: data) : try StillCodecs.frames(of: data, as: .jxl))
    #expect(reader.colors.profile == (try StillCodecs.colors(of: data, as: .jxl)).profile)
    #expect(ColorConversion.toScreen(from: reader.colors) != nil)
    #expect(reader.loopCount == 3)
    let frames = [try #require(try reader.next()), try #require(try reader.next())]
    #expect(frames.map { $0.image.block.bytes[0] } == [10, 200] && frames.map(\.duration) == [0.3, 0.3])
    #expect(try reader.next() == nil)
  }
}
