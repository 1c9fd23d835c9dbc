// People's own backdrops: names, places, and pictures behind a person.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoEffects

/// A picture whose left half is red and whose right half is blue, or a movie of grays that grow brighter.
private struct DrawnBackdrop: BackdropSource {
  var size = PixelSize(width: 40, height: 20)
  var count = 1
  var frameRate = 10.0

  func picture(_ index: Int, needed: PixelSize) -> DecodedImage? {
    guard index < count else { return nil }
    let block = FrameBlock(count: 4 * size.area) { bytes in
      let pixels = bytes.bindMemory(to: UInt32.self)
      for at in pixels.indices {
        let half: UInt32 = at % size.width < size.width / 2 ? 0xff0000 : 0x0000ff
        pixels[at] = count > 1 ? UInt32(10 * index) * 0x010101 : half
      }
    }
    return DecodedImage(size: size, stride: 4 * size.width, block: block)
  }
}

private struct DrawnBackdrops: BackdropProvider {
  var source = DrawnBackdrop()

  func source(of id: String) throws -> any BackdropSource {
    guard id == OwnBackdropTests.id else { throw RecipeError.missingBackdrop }
    return source
  }
}

@Suite(.timeLimit(.minutes(30))) struct OwnBackdropTests {
  static let id = "0123456789abcdef0123456789abcdef"

  private func own(_ fit: OwnBackdrop.Fit, _ x: Int = 50, _ y: Int = 50) throws -> Backdrop {
    .own(try #require(OwnBackdrop(id: Self.id, fit: fit, position: .init(x: x, y: y))))
  }

  private func colors(_ backdrop: Backdrop, _ width: Int, _ height: Int) throws -> [[UInt32]] {
    let image = try backdrop.picture(of: PixelSize(width: width, height: height), from: DrawnBackdrops())
    return image.block.withUnsafeBytes { bytes in
      let pixels = bytes.bindMemory(to: UInt32.self)
      return (0..<height).map { y in (0..<width).map { pixels[y * width + $0] & 0xff_ffff } }
    }
  }

  @Test("Names are read back, and are part of a recipe")
  func names() throws {
    for fit in OwnBackdrop.Fit.allCases {
      for place in [0, 7, 50, 100] {
        let backdrop = try own(fit, place, 100 - place)
        #expect(backdrop.name == "own:\(Self.id):\(fit.rawValue):\(place),\(100 - place)")
        #expect(try Backdrop(named: backdrop.name) == backdrop)
        var later = try #require(OwnBackdrop(id: Self.id, fit: fit))
        later.start = 5 * place + 1
        #expect(later.name.hasSuffix(":50,50:\(5 * place + 1)"))
        #expect(try Backdrop(named: later.name) == .own(later))
      }
    }
    #expect(!(try own(.fill)).title.isEmpty)
    let recipe = AdjustmentRecipe(.init(try Effect.named("backdrop"), backdrop: try own(.fit, 0, 9)))
    let text = String(decoding: try recipe.data(), as: UTF8.self)
    #expect(text == #"{"effect":{"backdrop":"own:\#(Self.id):fit:0,9","intensity":1,"name":"backdrop"}}"#)
    #expect(try AdjustmentRecipeTests.read(text) == recipe)
  }

  @Test(
    "Other names are refused",
    arguments: [
      "own:", "own:0123", "own:\(Self.id)", "own:\(Self.id):fill", "own:\(Self.id):cover:1,1",
      "own:\(Self.id):fit:101,0",
      "own:\(Self.id):fit:-1,0", "own:\(Self.id):fit:1", "own:\(Self.id):fit:1,1,1", "own:\(Self.id):fit:1,1:",
      "own:\(Self.id):fit:1,1:0", "own:\(Self.id):fit:1,1:05", "own:\(Self.id):fit:1,1:10000",
      "own:\(Self.id):fit:1,1:-5", "own:\(Self.id):fit:1,1:5:5",
      "own:\(Self.id.uppercased()):fit:1,1", "own:../../etc/passwd0123456789abcde:fit:1,1", "own:\(Self.id):fit:٥,1",
    ])
  func badNames(_ name: String) {
    #expect(throws: RecipeError.missingBackdrop) { try Backdrop(named: name) }
  }

  @Test("It covers a picture of any shape, and the position chooses the part")
  func fill() throws {
    // As high as the picture, and twice as wide.
    let left = try colors(own(.fill, 0), 20, 20)
    let right = try colors(own(.fill, 100), 20, 20)
    let middle = try colors(own(.fill), 20, 20)
    #expect(left.allSatisfy { $0.allSatisfy { $0 == 0xff0000 } })
    #expect(right.allSatisfy { $0.allSatisfy { $0 == 0x0000ff } })
    #expect(middle.allSatisfy { $0.first == 0xff0000 && $0.last == 0x0000ff })
    // Along the other axis there is nothing to choose.
    #expect(try colors(own(.fill, 50, 0), 20, 20) == middle)
    for (width, height) in [(1, 1), (3, 200), (200, 3), (40, 20), (81, 43)] {
      let pixels = try colors(own(.fill, 100, 100), width, height)
      #expect(pixels.allSatisfy { $0.allSatisfy { $0 & 0x00ff00 == 0 && $0 != 0 } }, "\(width)×\(height)")
    }
  }

  @Test("All of it is seen in a picture of any shape, and the rest is darker")
  func fit() throws {
    for (y, rows) in [(0, 0..<10), (50, 5..<15), (100, 10..<20)] {
      let pixels = try colors(own(.fit, 50, y), 20, 20)
      for row in 0..<20 {
        let isSharp = pixels[row].first == 0xff0000 && pixels[row].last == 0x0000ff
        #expect(isSharp == rows.contains(row), "row \(row) at \(y) %")
        if !rows.contains(row) { #expect(pixels[row].allSatisfy { $0 >> 16 < 0xa0 && $0 & 0xff < 0xa0 }) }
      }
    }
    for (width, height) in [(1, 1), (3, 200), (200, 3), (40, 20)] {
      let pixels = try colors(own(.fit), width, height)
      #expect(pixels.joined().contains { $0 & 0x00ff00 == 0 && $0 != 0 }, "\(width)×\(height)")
    }
  }

  @Test("The person stands before it, and it needs somebody who has it")
  func effect() throws {
    let size = PixelSize(width: 90, height: 60)
    let source = ProceduralScene.picture(90, 60)
    let backdrop = try own(.fill, 100)
    let recipe = AdjustmentRecipe(.init(try Effect.named("backdrop"), backdrop: backdrop))
    #expect(throws: RecipeError.missingBackdrop) { try FrameProcessor(recipe) }
    var other = recipe
    other.effect?.backdrop = OwnBackdrop(id: String(Self.id.reversed())).map { .own($0) }
    #expect(throws: RecipeError.missingBackdrop) { try FrameProcessor(other, backdrops: DrawnBackdrops()) }
    // What isn't seen isn't needed.
    other.effect?.intensity = 0
    _ = try FrameProcessor(other)
    let processor = try FrameProcessor(recipe, backdrops: DrawnBackdrops())
    var context = processor.context(.still, time: 0, fullSize: size)
    context.matte = RampMattes.matte(of: size)
    let result = try processor.render(source, context: context, scratch: EffectScratch())
    for y in 0..<60 {
      for x in 0..<28 { #expect(result[x, y] & 0xff_ffff == source[x, y] & 0xff_ffff) }
      for x in 62..<90 { #expect(result[x, y] & 0xff_ffff == 0x0000ff) }
    }
    // The steps of a movie's frames have it as well.
    #expect(processor.steps != nil)
  }

  @Test("A movie is shown from its beginning, and again and again")
  func movie() throws {
    let source = DrawnBackdrop(count: 5)
    let shown = [-1, 0, 0.099, 0.1, 0.3, 0.49, 0.5, 0.6, 1.1, 50.2, .nan, .infinity].map { source.index(at: $0) }
    #expect(shown == [0, 0, 0, 1, 3, 4, 0, 1, 1, 2, 0, 0])
    let recipe = AdjustmentRecipe(.init(try Effect.named("backdrop"), backdrop: try own(.fill)))
    let processor = try FrameProcessor(recipe, backdrops: DrawnBackdrops(source: source))
    let size = PixelSize(width: 30, height: 20)
    for time in [0, 0.1, 0.4, 0.5, 0.1] {
      var context = processor.context(.movieFrame, time: time, fullSize: size)
      context.matte = RampMattes.matte(of: size)
      let result = try processor.render(ProceduralScene.picture(30, 20), context: context, scratch: EffectScratch())
      #expect(result[29, 10] & 0xff == UInt32(10 * source.index(at: time)), "at \(time)")
    }
  }

  @Test("A movie begins where it was seen")
  func start() throws {
    let source = DrawnBackdrop(count: 5)
    var own = try #require(OwnBackdrop(id: Self.id))
    for (time, start, index) in [(0.0, 0, 0), (0.34, 34, 3), (7.21, 21, 2), (-0.2, 30, 3), (-7, 0, 0)] {
      own.begin(at: time, of: source)
      #expect(own.start == start, "at \(time)")
      let recipe = AdjustmentRecipe(.init(try Effect.named("backdrop"), backdrop: .own(own)))
      let processor = try FrameProcessor(recipe, backdrops: DrawnBackdrops(source: source))
      var context = processor.context(.movieFrame, time: 0, fullSize: PixelSize(width: 30, height: 20))
      context.matte = RampMattes.matte(of: PixelSize(width: 30, height: 20))
      let result = try processor.render(ProceduralScene.picture(30, 20), context: context, scratch: EffectScratch())
      #expect(result[29, 10] & 0xff == UInt32(10 * index), "at \(time)")
    }
    own.begin(at: .nan, of: source)
    own.begin(at: 0.2, of: DrawnBackdrop())
    #expect(own.start == 0)
  }

  @Test("One that can’t be decoded is a plain color")
  func undecodable() throws {
    let backdrop = try #require(OwnBackdrop(id: Self.id))
    let (placement, size) = (BackdropPlacement(backdrop: backdrop), PixelSize(width: 4, height: 4))
    #expect(placement.picture(of: DrawnBackdrop(), at: 3, size, threads: 1) == nil)
    let block = BackdropPictures.picture(
      try #require(OwnBackdrop(id: Self.id)), of: DrawnBackdrop(count: 0), at: 0, size, threads: 1)
    #expect(Set(block.bytes.indices.map { block.bytes[$0] }) == [0x7b, 0x76, 0x77, 0xff])
  }
}
