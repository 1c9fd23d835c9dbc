// The brush in the editor: strokes as steps, where they are, and what they do.

import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary
import TestSupport
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct MatteBrushTests {
  private func bench(_ effect: String? = "stage", movie: Bool = false) async throws -> EditBench {
    let bench = try await EditBench(mattes: RampMattes())
    if let effect { bench.set { $0.recipe.effect = .init(Effect.all.first { $0.identifier == effect }!) } }
    if movie { bench.set { $0.movieRange = 0..<10 } }
    await bench.open()
    bench.model.select(tab: .matte)
    return bench
  }

  @Test("The page is there while the effect needs to know where the person is")
  func page() async throws {
    let bench = try await bench()
    let model = bench.model
    #expect(model.tabs.contains(.matte) && model.tab == .matte)
    model.select(effect: try Effect.named("noir"))
    #expect(!model.tabs.contains(.matte) && model.tab == .effects)
    model.setScope(.background)
    #expect(model.tabs.contains(.matte))
    model.select(tab: .matte)
    model.undo()
    #expect(model.tab == .effects, "The step that needed it is undone.")
    model.beginStroke(x: 0.5, y: 0.5)
    #expect(model.recipe.matteStrokes.isEmpty)
    try await bench.end()
  }

  @Test("A stroke is one step, whatever its length, and can be undone and redone")
  func steps() async throws {
    let bench = try await bench()
    let model = bench.model
    model.beginStroke(x: 0.2, y: 0.2)
    for index in 1...20 { model.continueStroke(x: 0.2 + 0.02 * Double(index), y: 0.2) }
    #expect(model.isDrawingStroke)
    model.endStroke()
    model.setBrush(.remove)
    model.setBrushSize(1)
    model.beginStroke(x: 0.6, y: 0.6)
    model.endStroke()
    model.continueStroke(x: 0.9, y: 0.9)
    let strokes = model.recipe.matteStrokes
    #expect(strokes.map(\.mode) == [.add, .remove])
    #expect(strokes[0].points.count > 5 && strokes[1].points.count == 1)
    #expect(strokes[0].radius == 0.03 && abs(strokes[1].radius - MatteBrush.radii.upperBound) < 1e-12)
    model.undo()
    #expect(model.recipe.matteStrokes == [strokes[0]])
    model.undo()
    #expect(model.recipe.matteStrokes.isEmpty && !model.canUndo)
    model.redo()
    model.redo()
    #expect(model.recipe.matteStrokes == strokes)
    model.resetMatte()
    #expect(model.recipe.matteStrokes.isEmpty)
    model.undo()
    #expect(model.recipe.matteStrokes == strokes)
    // The opposite of what the brush does, for one stroke.
    model.beginStroke(x: 0.1, y: 0.1, isReversed: true)
    model.endStroke()
    #expect(model.recipe.matteStrokes.last?.mode == .add && model.brush.mode == .remove)
    try await bench.end()
  }

  @Test("Ways that nobody sees are left out, and places outside are held near the picture")
  func ways() async throws {
    let bench = try await bench()
    let model = bench.model
    model.beginStroke(x: 0.5, y: 0.5)
    for index in 1...50 { model.continueStroke(x: 0.5 + 1e-5 * Double(index), y: 0.5) }
    #expect(model.recipe.matteStrokes[0].points.count == 1)
    model.continueStroke(x: 7, y: -3)
    model.continueStroke(x: .nan, y: 0)
    model.endStroke()
    #expect(model.recipe.matteStrokes[0].points.last == MatteStroke.Point(x: 1.5, y: -0.5))
    try await bench.end()
  }

  @Test("A stroke is where the picture is, however it was turned and cropped")
  func geometry() async throws {
    let bench = try await bench()
    let model = bench.model
    model.turnRight()
    // The left upper corner of the turned picture is the lower left one of the picture.
    model.beginStroke(x: 0, y: 0)
    model.endStroke()
    #expect(model.recipe.matteStrokes[0].points == [MatteStroke.Point(x: 0, y: 1)])
    let size = try #require(model.fullSize)
    let radii = try #require(model.brushRadii)
    let longest = Double(max(size.width, size.height))
    #expect(abs(radii.x * Double(size.height) - 0.03 * longest) < 1e-9)
    #expect(abs(radii.y * Double(size.width) - 0.03 * longest) < 1e-9)
    try await bench.end()
  }

  @Test("The brush has sizes from hair to heads, in even steps")
  func sizes() {
    var brush = MatteBrush()
    for size in stride(from: 0, through: 1, by: 0.1) {
      brush.size = size
      #expect(abs(brush.size - size) < 1e-9 && MatteStroke.radiusRange.contains(brush.radius))
    }
    brush.size = .nan
    #expect(brush.radius == MatteBrush.radii.lowerBound)
    brush.resize(by: 100)
    #expect(brush.radius == MatteBrush.radii.upperBound)
    brush.resize(by: -1)
    #expect(abs(brush.radius * MatteBrush.step - MatteBrush.radii.upperBound) < 1e-12)
  }

  @Test("When no more strokes have room, it says so")
  func limit() async throws {
    let bench = try await bench()
    let model = bench.model
    let dab = MatteStroke(.add, radius: 0.1, points: [.init(x: 0.5, y: 0.5)])
    model.change { $0.matteStrokes = Array(repeating: dab, count: MatteStroke.mostStrokes) }
    model.beginStroke(x: 0.5, y: 0.5)
    #expect(model.recipe.matteStrokes.count == MatteStroke.mostStrokes && !model.isDrawingStroke)
    #expect(model.problem == RecipeError.tooManyStrokes.description)
    try await bench.end()
  }

  @Test("Undo in the middle of a stroke takes it back, and no other one grows")
  func undoWhileDrawing() async throws {
    let bench = try await bench()
    let model = bench.model
    model.beginStroke(x: 0.1, y: 0.1)
    model.endStroke()
    let first = model.recipe.matteStrokes
    model.beginStroke(x: 0.5, y: 0.5)
    model.undo()
    model.continueStroke(x: 0.9, y: 0.9)
    #expect(model.recipe.matteStrokes == first && model.canRedo)
    model.beginStroke(x: 0.5, y: 0.5)
    model.select(tab: .effects)
    model.continueStroke(x: 0.9, y: 0.9)
    #expect(model.recipe.matteStrokes.last?.points.count == 1 && !model.isDrawingStroke)
    try await bench.end()
  }

  @Test("The last stroke that has room may be long")
  func lastStroke() async throws {
    let bench = try await bench()
    let model = bench.model
    let dab = MatteStroke(.add, radius: 0.1, points: [.init(x: 0.5, y: 0.5)])
    model.change { $0.matteStrokes = Array(repeating: dab, count: MatteStroke.mostStrokes - 1) }
    model.beginStroke(x: 0.1, y: 0.1)
    model.continueStroke(x: 0.9, y: 0.9)
    #expect(model.recipe.matteStrokes.last?.points.count == 2 && model.problem == nil)
    try await bench.end()
  }

  @Test("What a stroke adds is drawn over what is there, and is the same as drawing all")
  func growing() async throws {
    let (one, two, three) = (
      MatteStroke.Point(x: 0.1, y: 0.1), MatteStroke.Point(x: 0.5, y: 0.2), MatteStroke.Point(x: 0.9, y: 0.7)
    )
    let short = [MatteStroke(.add, radius: 0.05, points: [one, two])]
    let long = [
      MatteStroke(.add, radius: 0.05, points: [one, two, three]), MatteStroke(.remove, radius: 0.1, points: [two]),
    ]
    #expect(long.added(to: short) == [MatteStroke(.add, radius: 0.05, points: [two, three]), long[1]])
    #expect(long.added(to: long) == [] && long.added(to: []) == long && short.added(to: long) == nil)
    #expect(long.added(to: [MatteStroke(.remove, radius: 0.05, points: [one, two])]) == nil)
    let matte = RampMattes.matte(of: PixelSize(width: 90, height: 60))
    let all = matte.corrected(by: long).block.withUnsafeBytes { [UInt8]($0) }
    let grown = matte.corrected(by: short).corrected(by: try #require(long.added(to: short)))
    #expect(grown.block.withUnsafeBytes { [UInt8]($0) } == all)
  }

  @Test("Another key photo is another picture: its strokes go, and come back with undo")
  func keyPhoto() async throws {
    let bench = try await bench(movie: true)
    let model = bench.model
    model.beginStroke(x: 0.5, y: 0.5)
    model.endStroke()
    #expect(!model.scene.isMoving && model.scene.showsMatte)
    model.setKeyPhoto(at: 0.5)
    #expect(model.recipe.matteStrokes.isEmpty)
    model.undo()
    #expect(model.recipe.matteStrokes.count == 1)
    // So is the average of all frames.
    model.select(style: .bounce)
    #expect(model.recipe.matteStrokes.count == 1)
    model.select(style: .longExposure)
    #expect(model.recipe.matteStrokes.isEmpty)
    try await bench.end()
  }

  // MARK: The preview

  private static func picture(_ shade: UInt8 = 128) -> EditingImage {
    let size = PixelSize(width: 60, height: 20)
    let gray = FrameBlock(count: 4 * size.area) { $0.initializeMemory(as: UInt8.self, repeating: shade) }
    return EditingImage(image: DecodedImage(size: size, stride: 240, block: gray), fullSize: size)
  }

  @Test("The preview shows each stroke, the person is tinted on demand, and is looked for once")
  func preview() async throws {
    let mattes = RampMattes()
    let worker = PreviewWorker(threadCount: 1, mattes: mattes)
    let picture = Self.picture()
    var recipe = AdjustmentRecipe(.init(try Effect.named("stage")))
    func shade(_ x: Int) async throws -> UInt8 {
      try await worker.render(recipe, of: picture, time: 0).block.bytes[(10 * 60 + x) * 4]
    }
    #expect(try await shade(50) == 0)
    for x in [0.6, 0.7, 0.833] {
      recipe.matteStrokes.append(MatteStroke(.add, radius: 0.05, points: [.init(x: x, y: 0.5)]))
      #expect(try await shade(Int(x * 60)) > 100)
    }
    #expect(try await shade(36) > 100)
    recipe.matteStrokes[0].mode = .remove
    #expect(try await shade(36) == 0)
    #expect(try await shade(42) > 100)
    let tinted = try await worker.renderMatte(recipe, of: picture, kept: nil)
    let (person, background) = (
      tinted.block.bytes[10 * 240..<10 * 240 + 3], tinted.block.bytes[240..<480].suffix(4).prefix(3)
    )
    #expect(Array(background) == [128, 128, 128])
    #expect(person.first! > person.last!, "Blue over gray.")
    #expect(mattes.questions.count == 1)
  }

  @Test("A kept matte is shown at once, and nobody is asked")
  func kept() async throws {
    let mattes = RampMattes()
    let worker = PreviewWorker(threadCount: 1, mattes: mattes)
    let recipe = AdjustmentRecipe(.init(try Effect.named("stage")))
    // Everything is the person.
    let all = Matte(
      size: PixelSize(width: 120, height: 40),
      block: FrameBlock(count: 4800) { $0.initializeMemory(as: UInt8.self, repeating: 255) })
    let image = try await worker.render(recipe, of: Self.picture(), time: 0, kept: all)
    #expect(image.block.bytes.allSatisfy { $0 == 128 })
    _ = try await worker.thumbnail(recipe, of: Self.picture(), kept: all)
    #expect(mattes.questions.isEmpty)
  }
}
