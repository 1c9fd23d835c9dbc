// Pictures in the colors of the screen, against the formulas of their color spaces.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import StillCodecs

@Suite("Color conversion")
struct ColorConversionTests {
  private static func pixel(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> DecodedImage {
    let bytes: [UInt8] = [blue, green, red, 0]
    return DecodedImage(
      size: PixelSize(width: 1, height: 1), stride: 4, block: bytes.withUnsafeBytes { FrameBlock(copying: $0) })
  }

  /// Red, green and blue.
  private static func onScreen(_ colors: StillColors, _ red: UInt8, _ green: UInt8, _ blue: UInt8) -> [Int] {
    let bytes = DecodedStill(image: pixel(red, green, blue), colors: colors).onScreen.block.bytes
    return [Int(bytes[2]), Int(bytes[1]), Int(bytes[0])]
  }

  private static func light(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private static func value(_ light: Double) -> Double {
    let light = min(1, max(0, light))
    return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  /// Linear light of other primaries under D65, in sRGB (by the primaries of H.273, table 2).
  private static func sRGB(_ matrix: [Double], _ light: [Double]) -> [Int] {
    (0..<3).map { row in
      let sum = (0..<3).reduce(0.0) { $0 + matrix[3 * row + $1] * light[$1] }
      return Int((value(sum) * 255).rounded())
    }
  }

  private static let fromP3 = [1.22494, -0.22494, 0, -0.04206, 1.04206, 0, -0.01964, -0.07864, 1.09828]
  private static let fromAdobe = [1.39836, -0.39836, 0, 0, 1, 0, 0, -0.04293, 1.04293]
  private static let samples: [(UInt8, UInt8, UInt8)] = [
    (0, 0, 0), (255, 255, 255), (128, 128, 128), (200, 150, 130), (90, 120, 60), (30, 60, 140), (250, 220, 40),
  ]

  private static func isNear(_ one: [Int], _ other: [Int], _ tolerance: Int = 2) -> Bool {
    zip(one, other).allSatisfy { abs($0 - $1) <= tolerance }
  }

  @Test("Display P3 by its code points")
  func displayP3() {
    let colors = StillColors(codePoints: .init(primaries: 12, transfer: 13))
    for (red, green, blue) in Self.samples {
      let expected = Self.sRGB(Self.fromP3, [red, green, blue].map { Self.light(Double($0) / 255) })
      let found = Self.onScreen(colors, red, green, blue)
      #expect(Self.isNear(found, expected), "\((red, green, blue)): \(found) instead of \(expected)")
    }
    // A red that no sRGB screen shows is as red as it can be.
    #expect(Self.onScreen(colors, 255, 0, 0) == [255, 0, 0])
  }

  @Test("Adobe RGB by its profile")
  func adobeRGB() {
    #expect(StillColors.adobeRGB.profile != nil)
    for (red, green, blue) in Self.samples {
      let light = [red, green, blue].map { pow(Double($0) / 255, 563.0 / 256) }
      let expected = Self.sRGB(Self.fromAdobe, light)
      let found = Self.onScreen(.adobeRGB, red, green, blue)
      #expect(Self.isNear(found, expected), "\((red, green, blue)): \(found) instead of \(expected)")
    }
  }

  @Test("sRGB, by whatever name, is left alone")
  func same() throws {
    #expect(ColorConversion.toScreen(from: StillColors()) == nil)
    #expect(ColorConversion.toScreen(from: StillColors(codePoints: .init(primaries: 1, transfer: 13))) == nil)
    #expect(ColorConversion.toScreen(from: StillColors(codePoints: .init(primaries: 2, transfer: 2))) == nil)
    #expect(ColorConversion.toScreen(from: StillColors(codePoints: .init(primaries: 1, transfer: 1))) == nil)
  }

  @Test("What can't be read as a profile changes nothing")
  func nonsense() {
    for profile in [Data(), Data("no profile".utf8), Data(count: 4000)] {
      #expect(ColorConversion.toScreen(from: StillColors(profile: profile)) == nil)
    }
    #expect(ColorConversion.toScreen(from: StillColors(codePoints: .init(primaries: 250, transfer: 13))) == nil)
  }

  @Test(
    "HDR is toned down: paper white is bright, and nothing is clipped below the brightest", arguments: [UInt32(16), 18])
  func hdr(_ transfer: UInt32) {
    let colors = StillColors(codePoints: .init(primaries: 9, transfer: transfer))
    let grays = stride(from: 0, through: 255, by: 5).map { Self.onScreen(colors, UInt8($0), UInt8($0), UInt8($0))[0] }
    #expect(grays == grays.sorted() && grays.first == 0 && grays.last == 255)
    // 203 candelas per square meter are 58 % of the perceptual quantizer's range, and 75 % of hybrid log-gamma's.
    let white = Self.onScreen(
      colors, transfer == 16 ? 148 : 191, transfer == 16 ? 148 : 191, transfer == 16 ? 148 : 191)[0]
    #expect((220...245).contains(white), "\(white)")
  }

  @Test("The tone curve leaves the dark alone, has no kink and ends at white")
  func toneCurve() {
    #expect(HDRToneCurve.toned(0.3) == 0.3 && HDRToneCurve.toned(1000 / 203) == 1 && HDRToneCurve.toned(50) == 1)
    let step = 1e-6
    #expect(abs((HDRToneCurve.toned(0.6 + step) - 0.6) / step - 1) < 1e-3)
  }

  @Test("Without a profile, inks let light through")
  func inks() {
    func shown(_ inks: [UInt8], _ isInverted: Bool) -> [UInt8] {
      inks.withUnsafeBytes {
        InkPicture.image(inks: $0, size: PixelSize(width: 1, height: 1), isInverted: isInverted, profile: nil).block
          .bytes
      }
    }
    #expect(shown([0, 0, 0, 0], false) == [255, 255, 255, 0])
    #expect(shown([255, 255, 255, 255], true) == [255, 255, 255, 0])
    #expect(shown([0, 0, 0, 255], false) == [0, 0, 0, 0])
    // Cyan takes red away.
    #expect(shown([255, 0, 0, 0], false) == [255, 255, 0, 0])
    #expect(shown([0, 255, 255, 128], true) == [128, 128, 0, 0])
  }

  /// A profile whose conversion has so many steps, all of them the same bytes, which change nothing.
  private static func profile(steps: Int) -> Data {
    func word(_ number: Int) -> [UInt8] { HandMadeMovie.words(UInt64(number)) }
    func fixed(_ number: Double) -> [UInt8] { word(Int(number * 65536)) }
    let identity: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    let channels: [UInt8] = [0, 3, 0, 3]
    let step = Array("matf".utf8) + word(0) + channels + identity.flatMap { word(Int($0.bitPattern)) }
    let places = (0..<steps).flatMap { _ in word(16 + 8 * steps) + word(step.count) }
    let conversion = Array("mpet".utf8) + word(0) + channels + word(steps) + places + step
    func color(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
      Array("XYZ ".utf8) + word(0) + fixed(x) + fixed(y) + fixed(z)
    }
    // A gamma of 1.
    let curve = Array("curv".utf8) + word(0) + word(1) + [1, 0, 0, 0]
    let tags: [(String, [UInt8])] = [
      ("D2B1", conversion), ("rXYZ", color(0.4361, 0.2225, 0.0139)), ("gXYZ", color(0.3851, 0.7169, 0.0971)),
      ("bXYZ", color(0.1431, 0.0606, 0.7141)), ("wtpt", color(0.9642, 1, 0.8249)), ("rTRC", curve), ("gTRC", curve),
      ("bTRC", curve),
    ]
    var (table, content): ([UInt8], [UInt8]) = ([], [])
    for (name, bytes) in tags {
      table += Array(name.utf8) + word(132 + 12 * tags.count + content.count) + word(bytes.count)
      content += bytes
    }
    var head = word(132 + table.count + content.count) + word(0) + [4, 0x30, 0, 0] + Array("mntrRGB XYZ ".utf8)
    head += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
    head += fixed(0.9642) + fixed(1) + fixed(0.8249)
    return Data(head + [UInt8](repeating: 0, count: 128 - head.count) + word(tags.count) + table + content)
  }

  @Test("A profile of endless steps isn't used")
  func steps() {
    #expect(ColorConversion.toScreen(from: StillColors(profile: Self.profile(steps: 3))) != nil)
    // Little CMS would take hours.
    #expect(ColorConversion.toScreen(from: StillColors(profile: Self.profile(steps: 1_000_000))) == nil)
  }
}
