// Red eyes: found in drawn faces of any skin, nowhere else, and dark afterward wherever the geometry puts them.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct RedEyeTests {
  private static let size = PixelSize(width: 640, height: 480)
  private static let red = SIMD3<Float>(205, 38, 46)
  private static let skins: [SIMD3<Float>] = [
    [236, 188, 166], [214, 166, 138], [150, 96, 70], [88, 54, 42], [60, 34, 26],
  ]
  /// Its box is square in pixels; the eyes are 80 pixels apart.
  private static let face = FoundFace.frontal(x: 0.3, y: 0.25, width: 0.3125, height: 0.41667)
  private static var eyes: [SIMD2<Double>] {
    [face.rightEye, face.leftEye].map { SIMD2($0.x * Double(size.width), $0.y * Double(size.height)) }
  }

  /// A face with whites, irises and pupils; a glint in each pupil.
  ///
  /// - Parameters:
  ///   - pupil: The color of the pupils, and their radius in pixels.
  ///   - offset: From the eyes that the detector tells, in pixels.
  private static func picture(
    skin: SIMD3<Float>, pupil: SIMD3<Float> = red, radius: Double = 5, offset: SIMD2<Double> = [3, -2], stride: Int = 0
  ) -> DecodedImage {
    let row = 4 * size.width + stride
    return DecodedImage(
      size: size, stride: row,
      block: FrameBlock(count: row * size.height) { bytes in
        for y in 0..<size.height {
          for x in 0..<size.width {
            var color = skin
            for eye in eyes {
              let way = SIMD2(Double(x) + 0.5, Double(y) + 0.5) - eye - offset
              let distance = (way * way).sum().squareRoot()
              if abs(way.x) < 18 && abs(way.y) < 9 { color = [225, 222, 220] }
              if distance < 10 { color = [70, 52, 40] }
              if distance < radius { color = pupil }
              let glint = way - SIMD2(1, -1)
              if (glint * glint).sum() < 1 { color = [255, 252, 250] }
            }
            let at = y * row + 4 * x
            (bytes[at], bytes[at + 1], bytes[at + 2]) = (UInt8(color.z), UInt8(color.y), UInt8(color.x))
          }
        }
      })
  }

  private func color(_ image: DecodedImage, _ x: Int, _ y: Int) -> SIMD3<Float> {
    image.block.withUnsafeBytes { bytes in
      let at = y * image.stride + 4 * x
      return SIMD3(Float(bytes[at + 2]), Float(bytes[at + 1]), Float(bytes[at]))
    }
  }

  @Test("Both pupils are found where they are, with their size", arguments: skins, [3.0, 5, 8])
  func found(_ skin: SIMD3<Float>, radius: Double) throws {
    let spots = RedEyeFinder.spots(in: Self.picture(skin: skin, radius: radius), faces: [Self.face])
    try #require(spots.count == 2)
    for (spot, eye) in zip(spots, Self.eyes) {
      let way = SIMD2(spot.x * 640, spot.y * 480) - eye - SIMD2(3, -2)
      #expect((way * way).sum().squareRoot() < 1, "\(way)")
      #expect((1...1.75).contains(spot.radius * 640 / radius), "\(spot.radius * 640)")
      try [spot].validate()
    }
    // The rows may have room behind them.
    #expect(RedEyeFinder.spots(in: Self.picture(skin: skin, radius: radius, stride: 52), faces: [Self.face]) == spots)
  }

  @Test("Dark pupils, brown irises and faces without eyes have no spots", arguments: skins)
  func nothing(_ skin: SIMD3<Float>) {
    // The last ones are shadows of lids and irises as cameras take them.
    for pupil in [
      SIMD3<Float>(20, 16, 16), [70, 52, 40], [40, 60, 90], [250, 240, 240], [70, 29, 22], [146, 68, 42],
      [101, 56, 21],
    ] {
      #expect(RedEyeFinder.spots(in: Self.picture(skin: skin, pupil: pupil), faces: [Self.face]).isEmpty, "\(pupil)")
    }
    #expect(RedEyeFinder.spots(in: Self.picture(skin: skin), faces: []).isEmpty)
    // A red wall, or red glasses, are no pupils.
    #expect(RedEyeFinder.spots(in: Self.picture(skin: Self.red), faces: [Self.face]).isEmpty)
    #expect(RedEyeFinder.spots(in: Self.picture(skin: skin, radius: 40), faces: [Self.face]).isEmpty)
  }

  @Test("Faces beyond the picture, and points that aren't numbers, are harmless")
  func beyond() {
    let picture = Self.picture(skin: Self.skins[0])
    for face in [
      FoundFace.frontal(x: -0.2, y: -0.2, width: 0.3, height: 0.4), .frontal(x: 0.9, y: 0.9, width: 0.3, height: 0.4),
      .frontal(x: 1e9, y: 0, width: 1, height: 1), .frontal(x: .nan, y: 0, width: 1, height: 1),
      .frontal(x: 0.5, y: 0.5, width: 0, height: 0),
    ] { #expect(RedEyeFinder.spots(in: picture, faces: [face]).isEmpty) }
  }

  private func rendered(
    _ recipe: AdjustmentRecipe, _ picture: DecodedImage, kind: FrameContext.Kind = .still
  ) throws -> DecodedImage {
    try FrameProcessor(recipe).render(
      picture, kind: kind, time: 0, fullSize: Self.size, scratch: EffectScratch(threadCount: 1))
  }

  private func recipe(_ picture: DecodedImage) -> AdjustmentRecipe {
    var recipe = AdjustmentRecipe()
    recipe.redEye = RedEyeFinder.spots(in: picture, faces: [Self.face])
    return recipe
  }

  @Test("The pupils are dark and gray, and nothing else has changed; frames stay as they are", arguments: skins)
  func removed(_ skin: SIMD3<Float>) throws {
    let picture = Self.picture(skin: skin)
    let recipe = recipe(picture)
    let result = try rendered(recipe, picture)
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        let (before, after) = (color(picture, x, y), color(result, x, y))
        if before == Self.red {
          #expect(after.x - min(after.y, after.z) < 60 && after.x < 100, "\(x), \(y): \(after)")
        } else if before == [255, 252, 250] || before == [225, 222, 220] || before == skin {
          #expect(after == before)
        }
      }
    }
    #expect(RedEyeFinder.spots(in: result, faces: [Self.face]).isEmpty)
    let frame = try rendered(recipe, picture, kind: .movieFrame)
    #expect(frame.block.withUnsafeBytes { Array($0) } == picture.block.withUnsafeBytes { Array($0) })
  }

  @Test("They are removed where the geometry puts them", arguments: Geometry.Turn.allCases, [0, 12.5])
  func placed(_ turn: Geometry.Turn, straighten: Double) throws {
    let picture = Self.picture(skin: Self.skins[1], radius: 7)
    var recipe = recipe(picture)
    (recipe.geometry.turn, recipe.geometry.isFlipped, recipe.geometry.straighten) = (turn, true, straighten)
    recipe.geometry.crop = Geometry.Crop(x: 0.15, y: 0.15, width: 0.7, height: 0.7)
    var without = recipe
    without.redEye = []
    func redPixels(_ image: DecodedImage) -> Int {
      (0..<image.size.area).count {
        RedEyeFinder.redness(color(image, $0 % image.size.width, $0 / image.size.width)) > 3
      }
    }
    let before = redPixels(try rendered(without, picture))
    #expect(before > 100)
    #expect(redPixels(try rendered(recipe, picture)) < before / 20)
  }

  @Test("With 16 bits it is the same") func deep() throws {
    let picture = Self.picture(skin: Self.skins[2])
    let recipe = recipe(picture)
    let processor = try FrameProcessor(recipe)
    let deep = try #require(
      try processor.render(
        DeepPixels(widening: picture), context: processor.context(.still, time: 0, fullSize: Self.size),
        scratch: EffectScratch(threadCount: 1)))
    let (one, other) = (try rendered(recipe, picture), deep.narrowed)
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        let difference = color(one, x, y) - color(other, x, y)
        #expect(max(difference.max(), -difference.min()) <= 1, "\(x), \(y)")
      }
    }
  }

  @Test("A preset doesn't carry them") func presets() throws {
    var recipe = recipe(Self.picture(skin: Self.skins[0]))
    #expect(throws: PresetError.empty) { try EditPreset(name: "Red", lookOf: recipe) }
    recipe.adjustments.warmth = 0.5
    #expect(try EditPreset(name: "Red", lookOf: recipe).recipe.redEye.isEmpty)
    let text = String(decoding: try recipe.data(), as: UTF8.self)
    let file = #"{"format":"io.github.photome.preset","name":"Red","recipe":\#(text),"version":"1.1"}"#
    #expect(throws: PresetError.self) { try EditPreset(data: Data(file.utf8)) }
  }
}
