// The editor: undo and redo, confirmations, saving that can be stopped, and copied looks.

import CameraCore
import Foundation
import PhotoEffects
import PhotoLibrary
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct EditModelTests {
  private var exposure: Adjustments.Field { Adjustments.fields[0] }

  // MARK: Opening and closing

  @Test func itOpensWithTheSettingsOfTheLastTime() async throws {
    let bench = try await EditBench()
    bench.set { $0.recipe.effect = .init(Effect.all[0], intensity: 0.4) }
    await bench.open()
    let model = bench.model
    #expect(model.state == .editing)
    #expect(model.recipe == bench.script.recipe && !model.hasChanges && !model.canUndo)
    #expect(model.tabs == [.effects, .adjust, .crop], "there is no video")
    // An effect that is chosen again has its last strength.
    model.select(effect: Effect.all[1])
    #expect(model.recipe.effect?.intensity == 1)
    model.select(effect: Effect.all[0])
    #expect(model.recipe.effect?.intensity == 0.4 && !model.hasChanges)
    try await bench.end()
    #expect(model.state == .closed && model.asset == nil)
  }

  @Test func anOutsideProgramEditsAndTheEditorCloses() async throws {
    let bench = try await EditBench()
    let model = bench.model
    let oil = EditingExtension(
      id: "oil", name: "Oil", comment: nil, keyFile: URL(fileURLWithPath: "/oil.extension"), command: ["/oil"],
      formatIdentifier: "org.example.oil", formatVersions: ["1"], media: [.photo], timeLimit: 10)
    bench.set { $0.extensions = [oil] }
    await bench.open()
    while model.extensions.isEmpty { await Task.yield() }
    #expect(model.extensions == [oil])
    await model.edit(with: "water")
    #expect(model.state == .editing && bench.script.extended.isEmpty)
    // Changes would be lost: it asks once.
    model.select(effect: Effect.all[0])
    await model.edit(with: "oil")
    #expect(model.asking == .replace && model.question?.title == "Edit With “Oil”?")
    model.dismiss()
    #expect(model.asking == nil && bench.script.extended.isEmpty && model.state == .editing)
    // A failure is reported, and nothing is lost.
    bench.set { $0.saving = .extensionFailed(name: "Oil", reason: "there is no brush") }
    await model.edit(with: "oil")
    await model.confirm()
    #expect(model.state == .editing && model.problem?.contains("there is no brush") == true && model.hasChanges)
    bench.set { $0.saving = nil }
    model.undo()
    await model.edit(with: "oil")
    #expect(model.state == .closed && bench.script.extended == ["oil \(bench.library.assets[0].id)"])
    #expect(bench.script.saved.isEmpty && model.extensions.isEmpty)
    try await bench.end()
  }

  @Test func whatCannotBeOpenedIsSaid() async throws {
    let bench = try await EditBench()
    bench.set { $0.opening = .unusableFile(path: "/x/gone.jpg", reason: "it isn’t a picture") }
    await bench.open()
    guard case .failed(let text) = bench.model.state else {
      Issue.record("\(bench.model.state)")
      return
    }
    #expect(text.contains("gone.jpg"))
    bench.model.cancel()
    #expect(bench.model.state == .closed && bench.model.asking == nil)
    try await bench.end()
  }

  @Test func anEditThatCannotBeOpenedCanBeTakenBack() async throws {
    let bench = try await EditBench()
    let model = bench.model
    bench.set {
      $0.opening = .unusableFile(path: "/x/a.jpg", reason: "another program edited it")
      $0.saving = .unusableFile(path: "/x/a.jpg", reason: "the disk is full")
    }
    var asset = bench.library.assets[0]
    asset.isEdited = true
    await model.open(asset)
    #expect(model.canRevert)
    model.askRevert()
    await model.confirm()
    guard case .failed(let text) = model.state else {
      Issue.record("\(model.state)")
      return
    }
    #expect(text.contains("the disk is full") && model.canRevert)
    bench.set { $0.saving = nil }
    model.askRevert()
    await model.confirm()
    #expect(model.state == .closed && bench.script.reverted == [asset.id])
    try await bench.end()
  }

  @Test func cancelAsksOnceWhenThereAreChanges() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    model.cancel()
    #expect(model.state == .closed, "nothing was changed")
    await bench.open()
    model.set(exposure, to: 1)
    model.cancel()
    #expect(model.state == .editing && model.asking == .discard && model.question != nil)
    model.dismiss()
    #expect(model.asking == nil && model.recipe.adjustments.exposure == 1)
    // After undoing there are no changes.
    model.undo()
    model.cancel()
    #expect(model.state == .closed)
    await bench.open()
    model.set(exposure, to: 1)
    model.cancel()
    await model.confirm()
    #expect(model.state == .closed && bench.script.saved.isEmpty)
    try await bench.end()
  }

  @Test func revertAsksOnceAndBringsBack() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    model.askRevert()
    #expect(!model.canRevert && model.asking == nil, "there is nothing to take back")
    model.cancel()
    bench.set { $0.isEdited = true }
    await bench.open()
    model.askRevert()
    #expect(model.asking == .revert)
    model.dismiss()
    #expect(bench.script.reverted.isEmpty)
    model.askRevert()
    await model.confirm()
    #expect(bench.script.reverted == [bench.library.assets[0].id] && model.state == .closed)
    try await bench.end()
  }

  // MARK: Saving

  @Test func doneClosesAtOnceAndSavesInTheBackground() async throws {
    let bench = try await EditBench()
    let model = bench.model
    let id = bench.library.assets[0].id
    await bench.open()
    model.save()
    #expect(model.state == .closed && model.queue.progress.isEmpty, "without changes there is nothing to save")
    await bench.open()
    model.select(effect: Effect.all[0])
    let recipe = model.recipe
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    bench.set { $0.gate = gate }
    model.save()
    #expect(model.state == .closed && model.queue.progress[id] == 0 && bench.script.saved.isEmpty)
    await ModelBench.until { model.queue.progress[id] == 0.5 }
    #expect(model.queue.activity == .init(title: "Saving Edit…", fraction: 0.5))
    // The same picture is opened when it is saved.
    let opening = Task { await model.open(bench.library.assets[0]) }
    await ModelBench.until { model.state == .opening }
    #expect(bench.script.saved.isEmpty)
    open.yield()
    open.finish()
    await opening.value
    #expect(model.state == .editing && bench.script.saved == [recipe])
    #expect(model.queue.progress.isEmpty)
    await model.queue.finished()
    #expect(model.queue.activity == nil)
    try await bench.end()
  }

  @Test func aFailureIsSaidAndTheSettingsAreThereTheNextTime() async throws {
    let bench = try await EditBench()
    let model = bench.model
    let asset = bench.library.assets[0]
    await bench.open()
    model.select(effect: Effect.all[0])
    let recipe = model.recipe
    bench.set { $0.saving = .unusableFile(path: "/x/a.jpg", reason: "the disk is full") }
    model.save()
    await model.queue.finished()
    let message = try #require(bench.library.messages.takeNext())
    #expect(message.text.contains(asset.url.lastPathComponent) && message.text.contains("the disk is full"))
    #expect(message.action == .editAgain(asset.id))
    bench.set { $0.saving = nil }
    await bench.library.navigation.editAgain(asset.id)
    #expect(model.state == .editing && model.recipe == recipe && model.hasChanges && model.canUndo)
    model.save()
    await model.queue.finished()
    #expect(bench.script.saved == [recipe] && bench.library.messages.takeNext() == nil)
    // They are there once.
    await bench.open()
    #expect(!model.hasChanges)
    try await bench.end()
  }

  @Test func savingCanBeCanceled() async throws {
    let bench = try await EditBench(photos: 2)
    let model = bench.model
    let ids = bench.library.assets.map(\.id)
    bench.set { $0.hangs = true }
    for index in 0...1 {
      await bench.open(index)
      model.select(effect: Effect.all[index])
      model.save()
    }
    await ModelBench.until { model.queue.progress[ids[0]] == 0.5 }
    #expect(model.queue.progress[ids[1]] == 0, "one at a time")
    #expect(model.queue.activity?.title == "Saving Edit 1 of 2…")
    // One that waits, and the one that is being rendered.
    model.queue.cancel(ids[1])
    #expect(model.queue.progress[ids[1]] == nil)
    model.queue.cancel(ids[0])
    await model.queue.finished()
    #expect(bench.script.saved.isEmpty)
    for id in [ids[1], ids[0]] { #expect(bench.library.messages.takeNext()?.action == .editAgain(id)) }
    await bench.open(1)
    #expect(model.recipe.effect?.effect == Effect.all[1], "the settings aren't lost")
    try await bench.end()
  }

  @Test func aPictureThatIsThrownAwayIsNoLongerSaved() async throws {
    let bench = try await EditBench(photos: 2)
    let (model, library) = (bench.model, bench.library)
    await library.grid.open()
    bench.set { $0.hangs = true }
    await bench.open(0)
    model.select(effect: Effect.all[0])
    model.save()
    library.grid.startSelecting()
    library.grid.toggleSelection(at: 0)
    await library.pictures.trash()
    await model.queue.finished()
    #expect(model.queue.progress.isEmpty && model.queue.unsaved.isEmpty)
    #expect(library.messages.takeNext()?.canBeUndone == true && library.messages.takeNext() == nil)
    try await bench.end()
  }

  // MARK: Automatic enhancement

  @Test func autoIsOneStepAndASecondPressTakesItBack() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    // The sample picture of the tests is a small one in a few colors: it has something to improve.
    #expect(!model.isEnhanced)
    model.set(exposure, to: -1)
    await model.toggleEnhancement()
    let enhanced = model.recipe
    #expect(model.isEnhanced && enhanced.adjustments.exposure != -1, "\(enhanced)")
    model.undo()
    #expect(model.recipe.adjustments.exposure == -1 && !model.isEnhanced, "one step")
    model.redo()
    #expect(model.recipe == enhanced && model.isEnhanced)
    await model.toggleEnhancement()
    #expect(model.recipe.adjustments.exposure == -1 && !model.isEnhanced, "as it was before")
    await model.toggleEnhancement()
    #expect(model.recipe == enhanced)
    // Another value of those: it isn't the enhancement anymore.
    model.set(exposure, to: 1)
    #expect(!model.isEnhanced)
    try await bench.end()
  }

  @Test func aSavedEnhancementIsShownAsOne() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    await model.toggleEnhancement()
    let enhanced = model.recipe
    model.cancel()
    await model.confirm()
    #expect(!model.isEnhanced)
    bench.set { $0.recipe = enhanced }
    await bench.open()
    await ModelBench.until { model.isEnhanced }
    await model.toggleEnhancement()
    #expect(model.recipe.isNeutral, "there is nothing older to go back to")
    try await bench.end()
  }

  // MARK: Steps

  @Test func aDragIsOneStep() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    for value in 1...20 { model.set(exposure, to: Double(value) / 20) }
    model.endStep()
    for value in 1...20 { model.set(exposure, to: 1 + Double(value) / 20) }
    #expect(model.recipe.adjustments.exposure == 2)
    model.undo()
    #expect(model.recipe.adjustments.exposure == 1)
    model.undo()
    #expect(model.recipe.adjustments.exposure == 0 && !model.canUndo)
    model.redo()
    #expect(model.recipe.adjustments.exposure == 1 && model.canRedo)
    // A new change replaces the undone ones.
    model.set(exposure, to: -1)
    #expect(!model.canRedo)
    // A drag that ends where it began is no step.
    model.endStep()
    model.set(exposure, to: 0.3)
    model.set(exposure, to: -1)
    model.endStep()
    model.undo()
    #expect(model.recipe.adjustments.exposure == 1)
    try await bench.end()
  }

  @Test(arguments: 0..<8) func anyWayForwardLeadsBack(seed: UInt64) {
    var random = SeededEdits(seed: seed)
    var history = EditHistory(AdjustmentRecipe())
    // The recipes that undo must lead through, the last one first.
    var past = [AdjustmentRecipe()]
    for _ in 0..<60 {
      let name = ["exposure", "tint", nil][Int(random.next() % 3)]
      history.endStep()
      for _ in 0...(random.next() % 3) {
        var recipe = history.present
        recipe.adjustments.exposure = Double(random.next() % 5) / 4
        recipe.adjustments.tint = Double(random.next() % 5) / 4
        if name == nil { history.endStep() }
        history.change(to: recipe, step: name)
        if name == nil, past.last != history.present { past.append(history.present) }
      }
      history.endStep()
      if past.last != history.present { past.append(history.present) }
    }
    for expected in past.dropLast().reversed() {
      history.undo()
      #expect(history.present == expected)
    }
    #expect(!history.canUndo)
    for expected in past.dropFirst() {
      history.redo()
      #expect(history.present == expected)
    }
    #expect(!history.canRedo)
  }

  @Test func theHistoryHasALimit() {
    var history = EditHistory(AdjustmentRecipe())
    for step in 1...(EditHistory.limit + 50) {
      var recipe = AdjustmentRecipe()
      recipe.adjustments.exposure = Double(step) / 1000
      history.change(to: recipe)
    }
    var count = 0
    while history.canUndo {
      history.undo()
      count += 1
    }
    #expect(count == EditHistory.limit)
  }

  // MARK: What is set

  @Test func valuesAreHeldInTheirRanges() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    for field in Adjustments.fields {
      model.set(field, to: 1e9)
      #expect(model.recipe.adjustments[keyPath: field.keyPath] == field.range.upperBound)
      model.set(field, to: -1e9)
      #expect(model.recipe.adjustments[keyPath: field.keyPath] == field.range.lowerBound)
      model.set(field, to: .nan)
      #expect(model.recipe.adjustments[keyPath: field.keyPath] == field.range.lowerBound)
      model.reset(field)
    }
    #expect(model.recipe.adjustments.isNeutral)
    model.setIntensity(0.5)
    model.changeIntensity(by: 1)
    #expect(model.recipe.effect == nil, "there is no effect to be stronger")
    model.moveEffect(by: 1)
    model.setIntensity(-3)
    #expect(model.recipe.effect == .init(Effect.all[0], intensity: 0))
    for _ in 0..<3 { model.changeIntensity(by: 1) }
    #expect(model.recipe.effect?.intensity == 0.15, "whole percentages, without the errors of three additions")
    model.setIntensity(0.123)
    model.changeIntensity(by: 2)
    #expect(model.recipe.effect?.intensity == 0.22)
    model.changeIntensity(by: -5)
    #expect(model.recipe.effect?.intensity == 0)
    model.moveEffect(by: -5)
    #expect(model.recipe.effect == nil)
    model.moveEffect(by: 1000)
    #expect(model.recipe.effect?.effect == Effect.all.last)
    model.setStraighten(400)
    #expect(model.recipe.geometry.straighten == 45)
    #expect(throws: Never.self) { try model.recipe.validate() }
    try await bench.end()
  }

  @Test func aLookIsPastedOntoAnotherPicture() async throws {
    let bench = try await EditBench(photos: 2)
    let model = bench.model
    await bench.open(0)
    #expect(!model.canPaste)
    model.select(effect: Effect.all[2])
    model.set(exposure, to: 0.5)
    model.turnRight()
    model.copyEdits()
    model.cancel()
    await model.confirm()
    await bench.open(1)
    model.flip()
    model.pasteEdits()
    #expect(model.recipe.effect?.effect == Effect.all[2] && model.recipe.adjustments.exposure == 0.5)
    #expect(model.recipe.geometry.turn == .none && model.recipe.geometry.isFlipped, "how it lies stays its own")
    model.undo()
    #expect(model.recipe.effect == nil && model.recipe.geometry.isFlipped, "one step")
    try await bench.end()
  }

  @Test func theOriginalIsShownWholeWhileItIsHeld() async throws {
    let bench = try await EditBench()
    let model = bench.model
    await bench.open()
    model.turnRight()
    await model.preview.finished()
    #expect(model.preview.image?.size == PixelSize(width: 48, height: 64))
    model.showOriginal(true)
    await model.preview.finished()
    #expect(model.preview.image?.size == PixelSize(width: 64, height: 48))
    model.showOriginal(false)
    await model.preview.finished()
    #expect(model.preview.image?.size == PixelSize(width: 48, height: 64))
    try await bench.end()
  }
}

/// Repeatable random numbers.
private struct SeededEdits: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
