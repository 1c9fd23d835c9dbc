// Skin: colors of light and dark skin alike, and the skin of drawn people.

import CameraCore
import DrawnPeople
import Foundation
import TestSupport
import Testing

@testable import PersonMatte

@Suite(.timeLimit(.minutes(30))) struct SkinTests {
  private static let skins: [SIMD3<Double>] = [
    [246, 214, 198], [214, 166, 138], [172, 118, 88], [120, 75, 55], [84, 52, 40], [58, 36, 29],
  ]
  private static let others: [SIMD3<Double>] = [
    [52, 64, 110], [250, 250, 250], [40, 120, 50], [30, 60, 160], [200, 40, 40], [128, 128, 128],
  ]

  /// Colors of a face: skin in light and shadow, and some of eyes, brows and lips.
  private func face(_ skin: SIMD3<Double>) -> [SIMD3<Double>] {
    var numbers = SeededNumbers(state: 5)
    return (0..<400).map { index in
      switch index % 10 {
      case 0: return [40, 30, 28]
      case 1: return skin * SIMD3(0.75, 0.5, 0.55)
      default:
        let light = Double.random(in: 0.75...1.1, using: &numbers)
        let noise = SIMD3<Double>.random(in: -3...3, using: &numbers)
        return (skin * light + noise).clamped(
          lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255))
      }
    }
  }

  @Test("The face's own skin is skin, in light and shadow; clothes and walls aren't", arguments: skins)
  func learned(_ skin: SIMD3<Double>) throws {
    let colors = try #require(SkinColors(learningFrom: face(skin)))
    for light in [0.6, 0.8, 1, 1.15] { #expect(colors.likelihood(skin * light) > 0.8, "\(light)") }
    for other in Self.others { #expect(colors.likelihood(other) < 0.2, "\(other)") }
    // Hair: of the same hue beside light skin, and black.
    if skin.x > 150 { #expect(colors.likelihood([48, 34, 28]) < 0.3) }
    #expect(colors.likelihood([14, 13, 14]) < 0.2)
    #expect(SkinColors(learningFrom: Array(face(skin).prefix(5))) == nil)
  }

  @Test("Anybody's skin is skin, dark or light", arguments: skins) func generic(_ skin: SIMD3<Double>) {
    #expect(SkinColors.genericLikelihood(skin) > 0.5)
    for other in Self.others where other != [200, 40, 40] { #expect(SkinColors.genericLikelihood(other) < 0.3) }
  }

  @Test("Only what is told apart is offered") func kinds() {
    #expect(PersonMatteProvider().kinds == [.person, .skin])
    for kind in [MatteKind.hair, .clothes] {
      #expect(throws: ModelError.unknown(kind.rawValue)) {
        try PersonMatteProvider().makeTracker(kind, quality: .still)
      }
    }
    #expect(throws: ModelError.self) { try PersonMatteProvider(folder: nil).makeTracker(.skin, quality: .live) }
  }

  // MARK: Drawn people

  private static let size = PixelSize(width: 640, height: 360)

  /// A drawn person with skin of another brightness.
  private func picture(_ part: Double, hasPerson: Bool = true) -> [UInt8] {
    var bytes = DrawnPerson.picture(Self.size, hasPerson: hasPerson)
    let skins: [SIMD3<UInt8>] = [[190, 140, 112], [214, 166, 138], [196, 144, 118]]
    for at in stride(from: 0, to: bytes.count, by: 4)
    where skins.contains(SIMD3(bytes[at + 2], bytes[at + 1], bytes[at])) {
      for channel in 0..<3 { bytes[at + channel] = UInt8(Double(bytes[at + channel]) * part) }
    }
    return bytes
  }

  private func mattes(
    _ bytes: [UInt8], _ quality: MatteQuality, times: [Double] = [0]
  ) throws -> (skin: Matte, person: Matte) {
    let provider = PersonMatteProvider()
    func last(_ kind: MatteKind) throws -> Matte {
      let tracker = try provider.makeTracker(kind, quality: quality)
      return try bytes.withUnsafeBytes { bytes in
        let picture = LentPixels(bytes, size: Self.size, stride: 4 * Self.size.width)
        var matte = Matte.nobody(Self.size)
        for time in times { matte = try tracker.matte(of: picture, time: time) }
        return matte
      }
    }
    return (try last(.skin), try last(.person))
  }

  /// The matte at a place in thousandths of the height, x from the middle; 0…1.
  private func value(_ matte: Matte, _ x: Int, _ y: Int) -> Double {
    let (column, row) = (Self.size.width / 2 + x * Self.size.height / 1000, y * Self.size.height / 1000)
    return matte.block.withUnsafeBytes { Double($0[row * Self.size.width + column]) / 255 }
  }

  @Test(
    "Cheeks, forehead and neck are skin; hair, shirt and wall aren't",
    .enabled(if: NetworkReferenceTests.areInstalled, "The models aren't installed"),
    arguments: [1, 0.8, 0.6], MatteQuality.allCases)
  func drawn(_ part: Double, _ quality: MatteQuality) throws {
    let (skin, person) = try mattes(picture(part), quality, times: [0, 0.1, 0.7])
    #expect(skin.presence == 1 && skin.size == Self.size)
    for (x, y) in [(-80, 480), (80, 480), (0, 300), (0, 620), (0, 720)] {
      #expect(value(skin, x, y) > 0.6, "\(x), \(y): \(value(skin, x, y))")
    }
    for (x, y) in [(0, 160), (-170, 330), (0, 900), (-250, 930), (-600, 300), (500, 500)] {
      #expect(value(skin, x, y) < 0.3, "\(x), \(y): \(value(skin, x, y))")
    }
    // It is a part of the person.
    skin.block.withUnsafeBytes { skin in
      person.block.withUnsafeBytes { person in #expect(zip(skin, person).allSatisfy { $0 <= $1 }) }
    }
  }

  @Test(
    "Nobody has no skin", .enabled(if: NetworkReferenceTests.areInstalled, "The models aren't installed"),
    arguments: MatteQuality.allCases)
  func nobody(_ quality: MatteQuality) throws {
    let (skin, _) = try mattes(picture(1, hasPerson: false), quality)
    #expect(skin.presence == 0 && skin.coverage == 0)
  }
}
