// Fine patterns are coarser in thumbnails, and nothing else is.

import CameraCore
import Testing

@testable import PhotoEffects

@Suite struct ThumbnailContextTests {
  private let full = PixelSize(width: 1280, height: 720)

  private func context(_ effect: String, _ size: PixelSize, _ change: (inout AdjustmentRecipe) -> Void = { _ in })
    throws -> FrameContext
  {
    var recipe = AdjustmentRecipe(.init(try Effect.named(effect)))
    change(&recipe)
    return try FrameProcessor(recipe).thumbnailContext(of: size, fullSize: full)
  }

  @Test(arguments: ["comic", "pencil", "halftone", "pop-art"])
  func drawingsAreCoarser(effect: String) throws {
    // By as much as the picture is smaller, up to the limit; the size that is saved stays true.
    for (width, scale) in [(1280, 1.0), (1024, 1.25), (640, 2.0), (160, FrameProcessor.largestPatternScale)] {
      let context = try context(effect, PixelSize(width: width, height: width * 9 / 16))
      #expect(context.patternScale == scale && context.fullSize == full && context.kind == .still)
    }
    // A turned picture is compared with what is saved of it.
    let turned = try context(effect, PixelSize(width: 640, height: 360)) { $0.geometry.turn = .left }
    #expect(turned.patternScale == 2 && turned.fullSize == PixelSize(width: 720, height: 1280))
  }

  @Test func othersAreNot() throws {
    for effect in Effect.all where !effect.hasFinePattern {
      #expect(try context(effect.identifier, PixelSize(width: 160, height: 90)).patternScale == 1)
    }
    #expect(Effect.all.filter(\.hasFinePattern).map(\.identifier) == ["comic", "pencil", "halftone", "pop-art"])
  }

  @Test func theUnitGrowsWithTheScale() {
    var picture = PixelBuffer(size: PixelSize(width: 320, height: 180))
    var context = FrameContext(kind: .still, time: 0, fullSize: full)
    let unit = picture.withView { context.patternUnit(in: $0) }
    context.patternScale = 2.5
    #expect(abs(picture.withView { context.patternUnit(in: $0) } - 2.5 * unit) < 1e-5)
  }
}
