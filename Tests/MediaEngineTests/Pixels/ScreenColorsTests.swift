// HDR and wide colors on the screen, against the formulas of ITU-R BT.2100 and BT.2020.

import CameraCore
import Foundation
import StillCodecs
import Testing

@testable import MediaEngine

@Suite("HDR and wide colors on a screen") struct ScreenColorsTests {
  /// sRGB (IEC 61966-2-1), 0 to 255.
  static func screen(_ light: Double) -> Double {
    let light = min(max(light, 0), 1)
    return 255 * (light <= 0.003_130_8 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  /// The value of PQ for a brightness in cd/m² (BT.2100, table 4).
  static func quantized(_ nits: Double) -> Double {
    let power = pow(nits / 10_000, 2610.0 / 16384)
    let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
    return pow((c1 + c2 * power) / (1 + c3 * power), 2523.0 / 4096 * 128)
  }

  /// The value of HLG for a brightness of a screen of 1000 cd/m² (BT.2100, table 5).
  static func hybrid(_ nits: Double) -> Double {
    let scene = pow(nits / 1000, 1 / 1.2)
    let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
    return scene <= 1.0 / 12 ? (3 * scene).squareRoot() : a * log(12 * scene - b) + c
  }

  /// The samples of 10 bits of red, green and blue in limited range (BT.2100, table 9).
  static func samples(_ color: [Double], _ ofRed: Double = 0.2627, _ ofBlue: Double = 0.0593) -> (Int, Int, Int) {
    let luma = ofRed * color[0] + (1 - ofRed - ofBlue) * color[1] + ofBlue * color[2]
    let blue = (color[2] - luma) / (2 * (1 - ofBlue))
    let red = (color[0] - luma) / (2 * (1 - ofRed))
    return (Int((64 + 876 * luma).rounded()), Int((512 + 896 * blue).rounded()), Int((512 + 896 * red).rounded()))
  }

  private static func shown(_ color: [Double], _ colorimetry: String, _ deep: DeepLayout = .planar420) throws -> [Int] {
    let (luma, blue, red) = samples(color)
    return try DeepSample.pixel(DeepSample.flat(deep, colorimetry: colorimetry, (luma, blue, red)))
  }

  private static let kinds = ["bt2100-pq", "bt2100-hlg"]

  private static func value(_ nits: Double, _ colorimetry: String) -> Double {
    colorimetry == "bt2100-pq" ? quantized(nits) : hybrid(nits)
  }

  @Test("A brightness is what the tone curve makes of it, and gray stays gray", arguments: kinds, DeepLayout.allCases)
  func grays(colorimetry: String, deep: DeepLayout) throws {
    for nits in [0.0, 1, 5, 20, 60, 100, 121, 203, 400, 700, 1000] {
      let value = Self.value(nits, colorimetry)
      let pixel = try Self.shown([value, value, value], colorimetry, deep)
      let wanted = Self.screen(HDRToneCurve.toned(nits / 203))
      // A step of 10 bits.
      #expect(pixel.allSatisfy { abs(Double($0) - wanted) <= 2 }, "\(nits): \(pixel), \(wanted)")
      #expect((pixel.max() ?? 0) - (pixel.min() ?? 0) <= 1, "\(nits): \(pixel)")
    }
    // Faces and rooms are as bright as in ordinary movies: below the knee, light is that of the scene.
    let half = Self.value(203 * 0.5, colorimetry)
    #expect(try abs(Double(Self.shown([half, half, half], colorimetry, deep)[1]) - Self.screen(0.5)) <= 2)
    // White paper is bright; 1000 cd/m² are the screen's white.
    let white = Self.value(203, colorimetry)
    #expect(try (225...240).contains(Self.shown([white, white, white], colorimetry, deep)[1]))
    let brightest = Self.value(1000, colorimetry)
    #expect(try Self.shown([brightest, brightest, brightest], colorimetry, deep)[1] >= 254)
  }

  @Test("The brighter, the brighter", arguments: kinds)
  func order(colorimetry: String) throws {
    let shown = try (64...940).map {
      try DeepSample.pixel(DeepSample.flat(colorimetry: colorimetry, ($0, 512, 512)))[1]
    }
    #expect(shown == shown.sorted() && shown.first == 0 && shown.last == 255)
    // No step of 10 bits is a visible one of 8.
    #expect(zip(shown, shown.dropFirst()).allSatisfy { $1 - $0 <= 2 })
  }

  @Test(
    "Colors that a screen has are those of the same light",
    arguments: kinds, [[0.5, 0.3, 0.2], [0.1, 0.4, 0.2], [0.15, 0.2, 0.5], [0.58, 0.5, 0.05], [0.02, 0.01, 0.03]])
  func colors(colorimetry: String, light: [Double]) throws {
    // From BT.709 to BT.2020 (ITU-R BT.2087, 4).
    let wide = [
      0.6274 * light[0] + 0.3293 * light[1] + 0.0433 * light[2],
      0.0691 * light[0] + 0.9195 * light[1] + 0.0114 * light[2],
      0.0164 * light[0] + 0.0880 * light[1] + 0.8956 * light[2],
    ]
    // All of it is below the knee, in multiples of white.
    let pixel = try Self.shown(wide.map { Self.value($0 * 203, colorimetry) }, colorimetry)
    for (found, wanted) in zip(pixel, light) {
      #expect(abs(Double(found) - Self.screen(wanted)) <= 3, "\(pixel) \(light.map(Self.screen))")
    }
  }

  @Test("What a screen doesn't have is clipped, not wrapped")
  func clipping() throws {
    let white = Self.quantized(203)
    #expect(try Self.shown([white, 0, 0], "bt2100-pq")[0] >= 250)
    #expect(try Self.shown([white, 0, 0], "bt2100-pq")[1...] == [0, 0])
    #expect(try Self.shown([0, white, 0], "bt2100-pq")[0] == 0)
    // Samples beyond the limits of luma.
    #expect(try DeepSample.pixel(DeepSample.flat(colorimetry: "bt2100-pq", (1023, 512, 512))) == [255, 255, 255])
    #expect(try DeepSample.pixel(DeepSample.flat(colorimetry: "bt2100-hlg", (0, 512, 512))) == [0, 0, 0])
    for luma in [0, 64, 512, 1023] {
      for chroma in [(0, 0), (1023, 0), (0, 1023), (1023, 1023)] {
        _ = try DeepSample.pixel(DeepSample.flat(colorimetry: "bt2100-pq", (luma, chroma.0, chroma.1)))
      }
    }
  }

  @Test("Wide colors without HDR keep their values where they are gray, and their light where not")
  func wide() throws {
    for value in [0.0, 0.25, 0.5, 1] {
      let pixel = try Self.shown([value, value, value], "bt2020")
      #expect(pixel.allSatisfy { abs(Double($0) - value * 255) <= 1 }, "\(pixel)")
    }
    // Red of the screen in BT.2020.
    let red = [0.6274, 0.0691, 0.0164].map { Self.screen($0) / 255 }
    let pixel = try Self.shown(red, "bt2020")
    #expect(pixel[0] >= 253 && pixel[1] <= 12 && pixel[2] <= 12, "\(pixel)")
    // Display P3 in the matrix of BT.709, in limited range: the screen's green is (0.2248, 0.9668, 0.0791).
    let (luma, blue, other) = Self.samples(
      [0.1775, 0.9668, 0.0724].map { Self.screen($0) / 255 }, 0.2126, 0.0722)
    let green = try DeepSample.pixel(DeepSample.flat(colorimetry: "2:3:5:11", (luma, blue, other)))
    #expect(green[0] <= 12 && green[1] >= 253 && green[2] <= 12, "\(green)")
  }

  @Test("The screen's own colors, and frames of 8 bits, are left alone")
  func ordinary() {
    let size = PixelSize(width: 16, height: 8)
    for colorimetry in ["bt709", "bt601", "1:4:0:0", "sRGB", nil] {
      let kind = RawConverter.Kind(layout: "I420_10LE", size: size, colorimetry: colorimetry)
      #expect(ScreenColors.conversion(of: kind) == nil)
    }
    let kind = RawConverter.Kind(layout: "I420", size: size, colorimetry: "bt2100-pq")
    #expect(ScreenColors.conversion(of: kind) == nil)
  }

  @Test(
    "A smaller picture is the same picture",
    arguments: [(96, 64), (48, 32), (60, 40), (47, 31), (31, 21), (12, 9), (1, 1), (96, 11)])
  func sizes(width: Int, height: Int) throws {
    // A ramp of luma from left to right, one of chroma from top to bottom.
    let full = PixelSize(width: 96, height: 64)
    let frame = try DeepSample.frame(.planar420, full, colorimetry: "bt2100-hlg") { x, _ in
      200 + 4 * x
    } chroma: { _, y in
      (512 - y, 512 + y)
    }
    let layout = try #require(frame.deepLayout)
    func picture(_ size: PixelSize) throws -> [UInt8] {
      let kind = RawConverter.Kind(layout: "BGRx", size: size)
      return try #require(RawConverter(from: layout.kind, to: kind)).convert(frame.block, layout: layout).block.bytes
    }
    let (whole, small) = (try picture(full), try picture(PixelSize(width: width, height: height)))
    for y in 0..<height {
      for x in 0..<width {
        // The pixel of the whole picture at the same place.
        let (left, top) = ((2 * x + 1) * 96 / (2 * width), (2 * y + 1) * 64 / (2 * height))
        for channel in 0..<3 {
          let (found, wanted) = (small[(y * width + x) * 4 + channel], whole[(top * 96 + left) * 4 + channel])
          #expect(abs(Int(found) - Int(wanted)) <= (width < 20 ? 8 : 4), "\(x) \(y): \(found), \(wanted)")
        }
      }
    }
  }

  @Test("A frame for the encoder is of 8 bits in BT.709, in the same colors", arguments: kinds)
  func planes(colorimetry: String) throws {
    let light = [0.5, 0.3, 0.2]
    let (luma, blue, red) = Self.samples(light.map { Self.value($0 * 203, colorimetry) })
    // Odd sides are cut off, as everywhere.
    let frame = try DeepSample.flat(
      .planar420, PixelSize(width: 17, height: 9), colorimetry: colorimetry, (luma, blue, red))
    let made = frame.inScreenColors(threads: 1)
    guard case .raw(let layout) = made.content else { return #expect(Bool(false)) }
    #expect(layout.name == "I420" && layout.colorimetry == "bt709" && layout.size == PixelSize(width: 16, height: 8))
    let kind = RawConverter.Kind(layout: "BGRx", size: layout.size)
    let again = try #require(RawConverter(from: layout.kind, to: kind)).convert(made.block, layout: layout).block.bytes
    let direct = try DeepSample.pixel(frame)
    for (found, wanted) in zip([again[2], again[1], again[0]], direct) { #expect(abs(Int(found) - wanted) <= 4) }
    // Ordinary frames stay the very same.
    let ordinary = try DeepSample.flat(colorimetry: "bt709", (500, 512, 512))
    #expect(ordinary.inScreenColors(threads: 1).content == ordinary.content)
  }
}
