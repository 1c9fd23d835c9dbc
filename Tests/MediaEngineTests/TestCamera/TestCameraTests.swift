// The built-in camera: frame numbers, whole frames, and light and sound in step.

import CameraCore
import Foundation
import MediaFormats
import Testing

@testable import MediaEngine

@Suite struct TestCameraTests {
  private let thirty = FrameRate(30)

  private func format(_ encoding: FrameEncoding, _ width: Int, _ height: Int) throws -> CameraFormat {
    try #require(
      TestCamera.formats.first { $0.encoding == encoding && $0.size == PixelSize(width: width, height: height) })
  }

  private func completed(_ frame: FrameBlock) throws -> CompletedJPEG {
    try frame.withUnsafeBytes { try JPEGStream.complete($0) }
  }

  /// The mean brightness of a decoded picture, from 0 to 255.
  private func brightness(_ image: DecodedImage) -> Double {
    image.block.withUnsafeBytes { bytes in
      var sums = 0
      for at in Swift.stride(from: 0, to: bytes.count - 3, by: 4) {
        let (blue, green, red) = (Int(bytes[at]), Int(bytes[at + 1]), Int(bytes[at + 2]))
        sums += 29 * blue + 150 * green + 77 * red
      }
      return Double(sums) / 256 / Double(image.size.area)
    }
  }

  @Test func motionJPEGAt720pComesFirst() {
    let first = TestCamera.formats.first
    #expect(first?.encoding == .motionJPEG && first?.size == PixelSize(width: 1280, height: 720))
    #expect(first?.maximumFrameRate == thirty)
    #expect(TestCamera.device.formats == TestCamera.formats)
    #expect(Set(TestCamera.formats).count == TestCamera.formats.count)
  }

  @Test(arguments: [(1280, 720), (1920, 1080), (640, 480), (640, 360)])
  func motionJPEGFramesAreWholeOnceCompleted(_ width: Int, _ height: Int) throws {
    let renderer = try TestFrameRenderer(format: format(.motionJPEG, width, height), rate: thirty)
    let decoder = try JPEGDecoder()
    for number in [0, 1, 17, 61, 17 + 60 * 1000, 4_294_967_295] as [Int64] {
      let frame = try completed(renderer.makeFrame(number: number))
      // As from a webcam.
      #expect(frame.repairs == [.huffmanTables, .aviMarker])
      #expect(frame.size == PixelSize(width: width, height: height))
      let image = try frame.block.withUnsafeBytes { try decoder.decode($0, atLeast: nil) }
      #expect(decoder.warning == nil)
      #expect(FrameNumberMark.read(image) == UInt32(truncatingIfNeeded: number))
    }
    let header = try completed(renderer.makeFrame(number: 5)).block.withUnsafeBytes { try decoder.header(of: $0) }
    #expect(header.subsampling == .yuv422)
  }

  /// Each strip's restart interval has to stand by itself: the picture is the same as one that was encoded in one
  /// piece.
  @Test func stripsJoinWithoutSeams() throws {
    let size = PixelSize(width: 640, height: 360)
    let scene = TestScene(size: size, range: .full)
    let canvas = TestCanvas(size: size)
    let moment = TestMoment(frame: 44, rate: thirty)
    canvas.copy(scene.background(isFlash: false))
    scene.drawMoving(phase: moment.phase, isFlash: false, on: canvas)
    let frame = try completed(
      TestFrameRenderer(format: format(.motionJPEG, 640, 360), rate: thirty).makeFrame(number: 44))
    let (layout, planes) = try frame.block.withUnsafeBytes { try JPEGDecoder().decodePlanes($0) }
    #expect(layout.name == "Y42B")
    var (sum, worst) = (0, 0)
    for at in 0..<size.width * scene.floor {
      let difference = abs(Int(canvas.luma[at]) - Int(planes.bytes(at: at)))
      sum += difference
      worst = max(worst, difference)
    }
    #expect(Double(sum) / Double(size.area) < 2.5)
    #expect(worst < 60)
  }

  @Test func motionJPEGSizesAreAWebcams() throws {
    for (width, height, range, kept) in [
      (1280, 720, 60_000...120_000, 8 << 20), (1920, 1080, 120_000...250_000, 20 << 20),
    ] {
      let maker = try TestJPEGMaker(
        size: PixelSize(width: width, height: height), placeCount: TestMoment.placeCount(thirty))
      for number in 0..<70 {
        let count = try maker.makeFrame(TestMoment(frame: Int64(number), rate: thirty)).count
        #expect(range.contains(count), "frame \(number): \(count) bytes")
      }
      #expect(maker.keptByteCount <= kept)
    }
  }

  @Test func framesRepeatButForTheirNumber() throws {
    let renderer = try TestFrameRenderer(format: format(.raw("I420"), 640, 360), rate: thirty)
    let first = try renderer.makeFrame(number: 7)
    #expect(try renderer.makeFrame(number: 7).bytes == first.bytes)
    let later = try renderer.makeFrame(number: 67).bytes
    #expect(Array(later.prefix(640 * 352)) == Array(first.bytes.prefix(640 * 352)))
    #expect(later != first.bytes)
    // And it moves: a tenth of a second changes a good part of the picture.
    let moved = zip(first.bytes, try renderer.makeFrame(number: 10).bytes).count { abs(Int($0) - Int($1)) > 8 }
    #expect(moved > 640 * 360 / 100)
  }

  @Test(arguments: ["YUY2", "NV12", "I420"])
  func rawFramesShowTheSameScene(_ name: String) throws {
    let format = try format(.raw(name), 640, 480)
    let renderer = try TestFrameRenderer(format: format, rate: thirty)
    let layout = try #require(renderer.layout)
    #expect(layout.name == name)
    let frame = try renderer.makeFrame(number: 50)
    #expect(frame.count == renderer.rawByteCount)
    let filled = FrameBlock(count: frame.count) { renderer.fill($0, number: 50) }
    #expect(filled.bytes == frame.bytes)
    let whole = try completed(
      TestFrameRenderer(format: self.format(.motionJPEG, 640, 480), rate: thirty).makeFrame(number: 50))
    let (_, planes) = try whole.block.withUnsafeBytes { try JPEGDecoder().decodePlanes($0) }
    // Brightness: limited range against full.
    let step = name == "YUY2" ? 2 : 1
    var luma = [UInt8](repeating: 0, count: 640 * 480)
    var sum = 0.0
    for at in luma.indices {
      luma[at] = frame.bytes(at: at * step)
      if at < 640 * 464 { sum += abs(Double(luma[at]) - 16 - Double(planes.bytes(at: at)) * 219 / 255) }
    }
    #expect(sum / Double(luma.count) < 4)
    #expect(
      luma.withUnsafeBufferPointer {
        $0.baseAddress.flatMap { FrameNumberMark.read(luma: $0, width: 640, height: 480, stride: 640) }
      } == 50)
    // Color, at the orange balloon's middle: far less blue than gray, more red.
    let (x, y) = (218, 144)
    let (blue, red): (Int, Int) =
      switch name {
      case "YUY2": (y * 1280 + x * 2 + 1, y * 1280 + x * 2 + 3)
      case "NV12": (640 * 480 + y / 2 * 640 + x, 640 * 480 + y / 2 * 640 + x + 1)
      default: (640 * 480 + y / 2 * 320 + x / 2, 640 * 480 * 5 / 4 + y / 2 * 320 + x / 2)
      }
    #expect(frame.bytes(at: blue) < 120 && frame.bytes(at: red) > 130)
  }

  @Test(arguments: [30, 15, 10, 5])
  func flashIsBrightAndOnTime(_ framesPerSecond: Int) throws {
    let rate = FrameRate(framesPerSecond)
    let renderer = try TestFrameRenderer(format: format(.motionJPEG, 640, 360), rate: rate)
    let decoder = try JPEGDecoder()
    let levels = try (0..<2 * framesPerSecond).map { number in
      let frame = try completed(renderer.makeFrame(number: Int64(number)))
      return try frame.block.withUnsafeBytes {
        brightness(try decoder.decode($0, atLeast: PixelSize(width: 80, height: 45)))
      }
    }
    let isFlash = levels.indices.map { TestCamera.isFlash(frame: Int64($0), rate: rate) }
    for number in levels.indices {
      #expect(isFlash[number] == (number % framesPerSecond * 10 < framesPerSecond))
    }
    let bright = zip(levels, isFlash).filter(\.1).map(\.0).min() ?? 0
    let normal = zip(levels, isFlash).filter { !$0.1 }.map(\.0).max() ?? 255
    #expect(bright - normal >= 50, "\(bright) against \(normal)")
  }

  @Test func numbersAndTimesAgree() {
    for rate in [thirty, FrameRate(15), FrameRate(30_000, 1001), FrameRate(7, 3)] {
      for number in [0, 1, 2, 29, 30, 31, 1_000_001, 4_000_000_000] as [Int64] {
        let time = TestCamera.time(ofFrame: number, rate: rate)
        #expect(TestCamera.frameNumber(at: time, rate: rate) == number)
        if number > 0 {
          let before = time - TimeSpan(nanoseconds: 1)
          #expect(TestCamera.frameNumber(at: before, rate: rate) == number - 1)
        }
      }
    }
    #expect(TestCamera.time(ofFrame: 90, rate: thirty) == MonotonicTime(nanoseconds: 3_000_000_000))
    #expect(TestMoment.placeCount(FrameRate(30_000, 1001)) == 60_000)
    #expect(TestMoment.placeCount(thirty) == 60)
  }

  @Test func unknownFormatsAreRefused() throws {
    let odd = CameraFormat(encoding: .raw("YUY2"), size: PixelSize(width: 100, height: 100), frameRates: [thirty])
    #expect(throws: CameraError.self) { try TestFrameRenderer(format: odd, rate: thirty) }
    let gray = CameraFormat(encoding: .raw("GRAY8"), size: PixelSize(width: 640, height: 480), frameRates: [thirty])
    #expect(throws: CameraError.self) { try TestFrameRenderer(format: gray, rate: thirty) }
  }
}

/// The frame number through real compression, at real sizes.
@Suite struct FrameNumberThroughCodecTests {
  private func mirrored(_ image: DecodedImage) -> DecodedImage {
    let width = image.size.width
    let block = FrameBlock(count: image.size.area * 4) { memory in
      image.block.withUnsafeBytes { bytes in
        for y in 0..<image.size.height {
          for x in 0..<width {
            for channel in 0..<4 {
              memory[(y * width + x) * 4 + channel] = bytes[y * image.stride + (width - 1 - x) * 4 + channel]
            }
          }
        }
      }
    }
    return DecodedImage(size: image.size, stride: width * 4, block: block)
  }

  @Test(arguments: [(1280, 720), (1920, 1080), (640, 480), (640, 360)])
  func everyScaleDownTo320IsRead(_ width: Int, _ height: Int) throws {
    let size = PixelSize(width: width, height: height)
    let format = try #require(TestCamera.formats.first { $0.encoding == .motionJPEG && $0.size == size })
    let renderer = try TestFrameRenderer(format: format, rate: FrameRate(30))
    let decoder = try JPEGDecoder()
    // The first is a bright frame.
    for number in [2_884_230_001, 11, 1_402_777_941] as [Int64] {
      let frame = try renderer.makeFrame(number: number).withUnsafeBytes { try JPEGStream.complete($0) }
      for eighths in 2...8 where width * eighths / 8 >= 320 {
        let wanted = JPEGScale.size(of: size, eighths: eighths)
        let image = try frame.block.withUnsafeBytes { try decoder.decode($0, atLeast: wanted, quality: .fast) }
        #expect(FrameNumberMark.read(image) == UInt32(truncatingIfNeeded: number), "\(number) at \(wanted)")
        #expect(FrameNumberMark.read(mirrored(image)) == UInt32(truncatingIfNeeded: number), "\(number) at \(wanted)")
        // Compressed once more, badly.
        let again: Data = try JPEGEncoder().encode(image, quality: 50)
        let worse = try again.withUnsafeBytes { try decoder.decode($0, atLeast: nil, quality: .fast) }
        #expect(FrameNumberMark.read(worse) == UInt32(truncatingIfNeeded: number), "\(number) at \(wanted)")
      }
    }
  }

  /// Sizes that no JPEG scale gives, as a window would show them.
  @Test func oddSizesAreRead() throws {
    let format = try #require(TestCamera.formats.first)
    let frame = try TestFrameRenderer(format: format, rate: FrameRate(30)).makeFrame(number: 987_654)
      .withUnsafeBytes { try JPEGStream.complete($0) }
    let image = try frame.block.withUnsafeBytes { try JPEGDecoder().decode($0, atLeast: nil) }
    for width in stride(from: 320, through: 1280, by: 37) {
      let small = image.averaged(to: PixelSize(width: width, height: width * 9 / 16))
      #expect(FrameNumberMark.read(small) == 987_654, "at \(small.size)")
    }
  }
}
