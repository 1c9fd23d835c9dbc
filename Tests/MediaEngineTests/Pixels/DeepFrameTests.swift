// Frames with 10 bits a sample: their planes, their rounding to 8 bits, and the colors that come of them.

import CameraCore
import Foundation
import StillCodecs
import Testing

@testable import MediaEngine

/// Frames whose samples are given.
enum DeepSample {
  /// A frame of a layout.
  ///
  /// - Parameters:
  ///   - luma: By column and row.
  ///   - chroma: Blue and red difference, by pair of columns and row of the picture.
  static func frame(
    _ deep: DeepLayout, _ size: PixelSize, colorimetry: String? = "bt709", luma: (Int, Int) -> Int,
    chroma: (Int, Int) -> (Int, Int)
  ) throws -> CameraFrame {
    let kind = RawConverter.Kind(layout: deep.rawValue, size: size, colorimetry: colorimetry)
    let (layout, byteCount) = try #require(RawConverter.defaultLayout(of: kind))
    let block = FrameBlock(count: byteCount) { memory in
      func put(_ value: Int, _ plane: Int, _ row: Int, _ column: Int) {
        let word = UInt16(deep.isInUpperBits ? value << 6 : value)
        memory.storeBytes(
          of: word, toByteOffset: layout.offsets[plane] + row * layout.strides[plane] + 2 * column, as: UInt16.self)
      }
      for row in 0..<size.height {
        for column in 0..<size.width {
          put(luma(column, row), 0, row, deep == .y210 ? 2 * column : column)
        }
        for pair in 0..<size.width / 2 where !deep.hasHalfHeight || row % 2 == 0 {
          let (blue, red) = chroma(pair, row)
          switch deep {
          case .p010:
            put(blue, 1, row / 2, 2 * pair)
            put(red, 1, row / 2, 2 * pair + 1)
          case .y210:
            put(blue, 0, row, 4 * pair + 1)
            put(red, 0, row, 4 * pair + 3)
          case .planar420, .planar422:
            put(blue, 1, deep.hasHalfHeight ? row / 2 : row, pair)
            put(red, 2, deep.hasHalfHeight ? row / 2 : row, pair)
          }
        }
      }
    }
    return CameraFrame(
      time: MonotonicTime(nanoseconds: 1), size: size, content: .raw(layout), block: block)
  }

  /// A frame of one color.
  static func flat(
    _ deep: DeepLayout = .p010, _ size: PixelSize = PixelSize(width: 16, height: 8), colorimetry: String?,
    _ color: (luma: Int, blue: Int, red: Int)
  ) throws -> CameraFrame {
    try frame(deep, size, colorimetry: colorimetry, luma: { _, _ in color.luma }) { _, _ in (color.blue, color.red) }
  }

  /// A sample of planes with 10 bits.
  static func sample(_ planes: (layout: RawLayout, block: FrameBlock), _ plane: Int, _ row: Int, _ column: Int) -> Int {
    planes.block.withUnsafeBytes {
      Int(
        $0.load(
          fromByteOffset: planes.layout.offsets[plane] + row * planes.layout.strides[plane] + 2 * column,
          as: UInt16.self))
    }
  }

  /// The first pixel as red, green and blue.
  static func pixel(_ frame: CameraFrame) throws -> [Int] {
    let layout = try #require(frame.deepLayout)
    let kind = RawConverter.Kind(layout: "BGRx", size: layout.size)
    let bytes = try #require(RawConverter(from: layout.kind, to: kind)).convert(frame.block, layout: layout).block.bytes
    return [Int(bytes[2]), Int(bytes[1]), Int(bytes[0])]
  }
}

@Suite("Frames with 10 bits") struct DeepFrameTests {
  private static let size = PixelSize(width: 8, height: 4)

  @Test("Every sample of every layout is in its plane", arguments: DeepLayout.allCases)
  func planes(deep: DeepLayout) throws {
    let frame = try DeepSample.frame(deep, Self.size, luma: { 100 * $1 + 7 * $0 }) {
      (200 + $0 + 50 * $1, 700 - $0 + 3 * $1)
    }
    let (planes, mirrored) = (try #require(frame.deepPlanes()), try #require(frame.deepPlanes(isMirrored: true)))
    #expect(planes.layout.name == "I420_10LE" && planes.layout.colorimetry == "bt709")
    #expect(planes.block.count == 8 * 4 * 3)
    for row in 0..<4 {
      for column in 0..<8 {
        #expect(DeepSample.sample(planes, 0, row, column) == 100 * row + 7 * column)
        #expect(DeepSample.sample(mirrored, 0, row, 7 - column) == 100 * row + 7 * column)
      }
    }
    for row in 0..<2 {
      for pair in 0..<4 {
        // Of 4:2:2 the mean of two rows, 25 and 1.5 more than the first, rounded up.
        let (blue, red) = deep.hasHalfHeight ? (0, 0) : (25, 2)
        #expect(DeepSample.sample(planes, 1, row, pair) == 200 + pair + 100 * row + blue)
        #expect(DeepSample.sample(planes, 2, row, pair) == 700 - pair + 6 * row + red)
        #expect(DeepSample.sample(mirrored, 1, row, 3 - pair) == 200 + pair + 100 * row + blue)
      }
    }
  }

  @Test("Eight bits have no planes of ten")
  func shallow() throws {
    let layout = RawLayout(name: "NV12", size: Self.size, strides: [8, 8], offsets: [0, 32])
    let frame = CameraFrame(
      time: MonotonicTime(nanoseconds: 1), size: Self.size, content: .raw(layout),
      block: FrameBlock(copying: .init(start: nil, count: 0)))
    #expect(frame.deepPlanes() == nil && frame.deepLayout == nil)
  }

  @Test(
    "Samples are rounded, not cut off, in either range",
    arguments: [
      // H.273: 4 steps are one in limited range, 1023 / 255 in full range.
      ("bt709", 64, 16), ("bt709", 65, 16), ("bt709", 66, 17), ("bt709", 940, 235), ("bt709", 501, 125),
      ("bt709", 502, 126),
      ("bt709", 1023, 255), ("bt709", 0, 0), ("1:3:5:1", 0, 0), ("1:3:5:1", 1023, 255), ("1:3:5:1", 2, 0),
      ("1:3:5:1", 3, 1),
      ("1:3:5:1", 514, 128),
    ])
  func rounding(colorimetry: String, deep: Int, eight: Int) throws {
    let frame = try DeepSample.flat(colorimetry: colorimetry, (deep, 512, 512))
    let layout = try #require(frame.deepLayout)
    let narrower = try #require(DeepNarrower(layout.kind))
    #expect(narrower.kind.layout == "I420" && narrower.kind.colorimetry == colorimetry)
    let planes = try #require(RawConverter.defaultLayout(of: narrower.kind))
    let block = FrameBlock(count: planes.byteCount) { memory in
      frame.block.withUnsafeBytes { narrower.convert($0, layout, into: memory, as: planes.layout) }
    }
    #expect(Int(block.bytes[0]) == eight)
    // Neutral stays neutral.
    #expect(Int(block.bytes[planes.layout.offsets[1]]) == 128 && Int(block.bytes[planes.layout.offsets[2]]) == 128)
    // Widened again, it is as near as 8 bits allow.
    let wide = try #require(layout.deepPlanes)
    let isFull = colorimetry != "bt709"
    let again = FrameBlock(count: wide.byteCount) { memory in
      block.withUnsafeBytes { DeepNarrower.widen($0, planes.layout, into: memory, as: wide.layout, isFull: isFull) }
    }
    #expect(abs(DeepSample.sample((wide.layout, again), 0, 0, 0) - deep) <= (deep == 1023 ? 3 : 2))
    #expect(DeepSample.sample((wide.layout, again), 1, 0, 0) == 512)
  }

  @Test(
    "Colors are those of the frame's matrix",
    arguments: [("bt709", 0.2126, 0.0722), ("bt601", 0.299, 0.114), ("2:6:5:1", 0.2627, 0.0593)],
    [[1.0, 0.5, 0.25], [0.2, 0.8, 0.4], [0.1, 0.1, 0.9], [1, 1, 1], [0, 0, 0]])
  func colors(space: (String, Double, Double), color: [Double]) throws {
    // H.273, 8.3: limited range of 10 bits.
    let (name, ofRed, ofBlue) = space
    let luma = ofRed * color[0] + (1 - ofRed - ofBlue) * color[1] + ofBlue * color[2]
    let blue = (color[2] - luma) / (2 * (1 - ofBlue))
    let red = (color[0] - luma) / (2 * (1 - ofRed))
    func code(_ value: Double, _ scale: Double, _ zero: Double) -> Int { Int((zero + scale * value).rounded()) }
    for deep in DeepLayout.allCases {
      let frame = try DeepSample.flat(
        deep, colorimetry: name, (code(luma, 876, 64), code(blue, 896, 512), code(red, 896, 512)))
      for (found, wanted) in zip(try DeepSample.pixel(frame), color) {
        // GStreamer's own conversion of 8 bits is off by up to 4; another matrix would be by more than 10.
        #expect(abs(Double(found) - wanted * 255) <= 6, "\(deep) \(name) \(color)")
      }
    }
  }

  @Test("A JPEG of such a frame has its colors, and its brightness is known", arguments: DeepLayout.allCases)
  func jpeg(deep: DeepLayout) throws {
    let size = PixelSize(width: 64, height: 32)
    // Half gray.
    let frame = try DeepSample.flat(deep, size, colorimetry: "bt709", (502, 512, 512))
    let image = try StillMaker.jpeg(of: frame).withUnsafeBytes { try JPEGDecoder().decode($0) }
    #expect(image.size == size)
    for at in 0..<3 { #expect(abs(Int(image.block.bytes[at]) - 128) <= 2) }
    let level = try #require(BrightnessMeter.measure(frame)).level
    #expect(abs(level - 0.5) < 0.02)
  }

  @Test("The color space is named by its numbers in H.273")
  func codes() throws {
    func colors(_ name: String?) throws -> DeepImage.Colors {
      DeepImage.Colors(try #require(DeepSample.flat(colorimetry: name, (64, 512, 512)).deepLayout))
    }
    #expect(try colors("bt709") == .bt709)
    #expect(try colors("bt2100-pq") == .init(primaries: 9, transfer: 16, matrix: 9, isFullRange: false))
    #expect(try colors("bt2100-hlg") == .init(primaries: 9, transfer: 18, matrix: 9, isFullRange: false))
    #expect(try colors("1:3:5:1").isFullRange)
  }

  @Test("Frames are kept with 10 bits while memory allows")
  func keeping() {
    let limit = CaptureStore.byteLimit
    func kept(_ layout: String, _ width: Int, _ height: Int, bytes: Int, _ span: TimeSpan) -> FrameKeeping {
      FrameKeeping.choose(
        layout: layout, size: PixelSize(width: width, height: height), byteCount: width * height * bytes,
        rate: FrameRate(30), preRoll: span, limit: limit)
    }
    #expect(kept("P010_10LE", 640, 480, bytes: 3, CaptureStore.liveRoll) == .asItCame)
    #expect(kept("P010_10LE", 1920, 1080, bytes: 3, CaptureStore.shortRoll) == .asItCame)
    #expect(kept("Y210", 1920, 1080, bytes: 4, CaptureStore.shortRoll) == .deepHalfColor)
    // 1.5 s of 720p with 10 bits are 127 MB.
    #expect(kept("P010_10LE", 1280, 720, bytes: 3, CaptureStore.liveRoll) == .halfColor)
    #expect(kept("P010_10LE", 1920, 1080, bytes: 3, CaptureStore.liveRoll) == .jpeg)
  }
}
