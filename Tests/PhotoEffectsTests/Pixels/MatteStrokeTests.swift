// Strokes of the brush: what they cover, at any size, and their JSON.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

@Suite struct MatteStrokeTests {
  private typealias Point = MatteStroke.Point

  static func random(_ numbers: inout SeededNumbers) -> MatteStroke {
    let points = (0..<Int.random(in: 1...8, using: &numbers)).map { _ in
      Point(x: .random(in: 0...1, using: &numbers), y: .random(in: 0...1, using: &numbers))
    }
    return MatteStroke(
      Bool.random(using: &numbers) ? .add : .remove,
      radius: .random(in: MatteStroke.radiusRange, using: &numbers), points: points)
  }

  private static func bytes(_ matte: Matte) -> [UInt8] { matte.block.withUnsafeBytes { [UInt8]($0) } }

  @Test("Adding only raises the matte and removing only lowers it, the same when it is done twice", arguments: 0..<40)
  func monotony(seed: UInt64) {
    var numbers = SeededNumbers(state: seed)
    let stroke = Self.random(&numbers)
    let before = RampMattes.matte(of: PixelSize(width: 61, height: 40))
    let after = before.corrected(by: [stroke])
    for (old, new) in zip(Self.bytes(before), Self.bytes(after)) {
      #expect(stroke.mode == .add ? new >= old : new <= old)
    }
    #expect(Self.bytes(after.corrected(by: [stroke])) == Self.bytes(after))
    #expect(Self.bytes(before) == Self.bytes(RampMattes.matte(of: before.size)), "The first one stays as it is.")
    // One by one or at once.
    let second = Self.random(&numbers)
    #expect(
      Self.bytes(before.corrected(by: [stroke, second])) == Self.bytes(after.corrected(by: [second])))
  }

  @Test("A dab is a disc: full in its core, nothing outside of its radius, in a picture of any shape")
  func disc() {
    for size in [PixelSize(width: 200, height: 100), PixelSize(width: 90, height: 200)] {
      let stroke = MatteStroke(.add, radius: 0.1, points: [Point(x: 0.5, y: 0.4)])
      let matte = Matte.nobody(size).corrected(by: [stroke])
      #expect(matte.presence == 1)
      for y in 0..<size.height {
        for x in 0..<size.width {
          let (across, down) = (Double(x) + 0.5 - Double(size.width) / 2, Double(y) + 0.5 - 0.4 * Double(size.height))
          let distance = (across * across + down * down).squareRoot() / 20
          let byte = matte.block.withUnsafeBytes { $0[y * size.width + x] }
          if distance <= 0.6 { #expect(byte == 255) } else if distance >= 1 { #expect(byte == 0) }
        }
      }
    }
  }

  @Test("A preview shows what the saved picture will have", arguments: 0..<12)
  func scale(seed: UInt64) {
    var numbers = SeededNumbers(state: 100 + seed)
    var stroke = Self.random(&numbers)
    stroke.radius = max(0.03, stroke.radius)
    let large = RampMattes.matte(of: PixelSize(width: 480, height: 320)).corrected(by: [stroke])
    let small = RampMattes.matte(of: PixelSize(width: 120, height: 80)).corrected(by: [stroke])
    let apart = zip(Self.bytes(large.reduced(to: small.size)), Self.bytes(small)).map { abs(Int($0) - Int($1)) }
    #expect(Double(apart.reduce(0, +)) / Double(apart.count) < 2)
  }

  @Test("What was shown in part stays so, and who is painted in is there for certain")
  func presence() {
    let size = PixelSize(width: 30, height: 10)
    let dab = MatteStroke(.add, radius: 0.05, points: [Point(x: 0.9, y: 0.5)])
    let half = RampMattes.matte(of: size, presence: 0.5).corrected(by: [dab])
    #expect(half.presence == 1)
    half.block.withUnsafeBytes { bytes in
      #expect(bytes[0] == 128)
      #expect(bytes[5 * 30 + 27] == 255)
    }
    #expect(RampMattes.matte(of: size, presence: 0.5).corrected(by: []).presence == 0.5)
  }

  // MARK: The processor

  @Test("The still is corrected before its geometry, frames of the movie aren't")
  func processing() throws {
    let size = PixelSize(width: 60, height: 40)
    let gray = FrameBlock(count: 4 * size.area) { $0.initializeMemory(as: UInt8.self, repeating: 200) }
    let image = DecodedImage(size: size, stride: 240, block: gray)
    var recipe = AdjustmentRecipe(.init(try Effect.named("stage")))
    recipe.geometry.turn = .right
    recipe.matteStrokes = [MatteStroke(.add, radius: 0.1, points: [Point(x: 0.9, y: 0.5)])]
    let processor = try FrameProcessor(recipe, mattes: RampMattes())
    let found = try #require(try processor.matte(of: image))
    #expect(Self.bytes(found) == Self.bytes(RampMattes.matte(of: size)), "It is what was found.")
    func light(_ matte: Matte) throws -> UInt8 {
      let turned = try processor.render(
        image, kind: .still, time: 0, fullSize: size, matte: matte, scratch: EffectScratch(threadCount: 1))
      #expect(turned.size == PixelSize(width: 40, height: 60))
      // The right border is the lower one now.
      return turned.block.withUnsafeBytes { $0[(54 * 40 + 20) * 4] }
    }
    #expect(try light(found) == 0)
    #expect(try light(processor.corrected(found)) == 200)
    let placed = try processor.placed(processor.corrected(found), of: size, scratch: EffectScratch(threadCount: 1))
    #expect(placed.size == PixelSize(width: 40, height: 60))
    #expect(placed.block.withUnsafeBytes { $0[54 * 40 + 20] } == 255)
  }

  @Test("A kept matte is given for stills of every size, and movies are another provider's")
  func kept() throws {
    let mattes = RampMattes()
    let provider = KeptMatteProvider(RampMattes.matte(of: PixelSize(width: 300, height: 200)), others: mattes)
    let size = PixelSize(width: 30, height: 20)
    let pixels = [UInt8](repeating: 0, count: 4 * size.area)
    try pixels.withUnsafeBytes { bytes in
      let picture = LentPixels(bytes, size: size, stride: 120)
      let matte = try provider.makeTracker(.person, quality: .still).matte(of: picture, time: 0)
      #expect(matte.size == size && matte.presence == 1)
      let apart = zip(Self.bytes(matte), Self.bytes(RampMattes.matte(of: size))).map { abs(Int($0) - Int($1)) }
      #expect(apart.max() ?? 9 <= 2)
      #expect(mattes.questions.isEmpty)
      _ = try provider.makeTracker(.person, quality: .movie).matte(of: picture, time: 1)
      #expect(mattes.questions.map(\.quality) == [.movie])
    }
    #expect(provider.reasonForAbsence() == nil)
    let alone = KeptMatteProvider(.nobody(size), others: nil)
    #expect(alone.reasonForAbsence() != nil && alone.kinds == [.person])
    #expect(throws: RecipeError.noMattes) { try alone.makeTracker(.person, quality: .live) }
  }

  // MARK: The recipe

  @Test("Strokes are written as whole numbers")
  func json() throws {
    var recipe = AdjustmentRecipe()
    recipe.matteStrokes = [
      MatteStroke(.add, radius: 0.03, points: [Point(x: 0.5, y: 0.25), Point(x: 0.51, y: 2)]),
      MatteStroke(.remove, radius: 0.1, points: [Point(x: -1, y: .nan)]),
    ]
    let text = """
      {"matte":[{"mode":"add","points":[5000,2500,5100,15000],"radius":0.03},\
      {"mode":"remove","points":[-5000,0],"radius":0.1}]}
      """
    #expect(String(decoding: try recipe.data(), as: UTF8.self) == text)
    #expect(try AdjustmentRecipeTests.read(text) == recipe)
    #expect(recipe.isNeutral, "Without an effect that needs a matte it changes nothing.")
    #expect(AdjustmentRecipe().pasted(onto: recipe).matteStrokes == recipe.matteStrokes)
    #expect(recipe.pasted(onto: AdjustmentRecipe()).matteStrokes.isEmpty)
  }

  @Test(
    "What can’t be rendered is refused",
    arguments: [
      #"{"mode":"paint","points":[1,2],"radius":0.03}"#, #"{"mode":"add","points":[],"radius":0.03}"#,
      #"{"mode":"add","points":[1],"radius":0.03}"#, #"{"mode":"add","points":[1,15001],"radius":0.03}"#,
      #"{"mode":"add","points":[-5001,2],"radius":0.03}"#, #"{"mode":"add","points":[1,2],"radius":0.6}"#,
      #"{"mode":"add","points":[1,2],"radius":0}"#, #"{"mode":"add","points":[1,2.5],"radius":0.03}"#,
      #"{"mode":"add","points":[1,99999999999],"radius":0.03}"#, #"{"points":[1,2],"radius":0.03}"#,
      #"{"mode":"add","points":[1,2],"radius":0.03,"color":1}"#, "7", "null",
    ])
  func refusal(stroke: String) {
    #expect(throws: RecipeError.self) { try AdjustmentRecipeTests.read("{\"matte\":[\(stroke)]}") }
  }

  @Test("As many strokes as there may be fit into a recipe, and no more are taken")
  func limits() throws {
    var recipe = AdjustmentRecipe()
    let long = [Point](repeating: Point(x: 1, y: 1), count: MatteStroke.mostPoints / MatteStroke.mostStrokes)
    recipe.matteStrokes = (0..<MatteStroke.mostStrokes).map { _ in
      MatteStroke(.remove, radius: 0.123456789012345678, points: long)
    }
    let data = try recipe.data()
    #expect(data.count <= AdjustmentRecipe.longestData)
    #expect(try AdjustmentRecipeTests.read(String(decoding: data, as: UTF8.self)) == recipe)
    recipe.matteStrokes[0].points.append(long[0])
    #expect(throws: RecipeError.tooManyStrokes) { try recipe.validate() }
    recipe.matteStrokes = Array(repeating: MatteStroke(.add, radius: 0.1, points: [long[0]]), count: 501)
    #expect(throws: RecipeError.tooManyStrokes) { try recipe.validate() }
  }

  @Test("A point of the result leads back to the picture’s", arguments: 0..<60)
  func wayBack(seed: UInt64) {
    var numbers = SeededNumbers(state: 300 + seed)
    var geometry = GeometryTests.random(&numbers)
    if Bool.random(using: &numbers) { geometry.straighten = .random(in: -45...45, using: &numbers) }
    let size = PixelSize(width: 64, height: 48)
    let point = SIMD2(Double.random(in: 0...1, using: &numbers), .random(in: 0...1, using: &numbers))
    let (origin, right, down) = geometry.destination(of: size)
    let back = geometry.source(of: origin + right * point.x + down * point.y, in: size)
    #expect(abs(back.x - point.x) < 1e-9 && abs(back.y - point.y) < 1e-9)
  }
}
