// Faces in the editor: the suggested crop, offered where there are faces, in one step.

import CameraCore
import Foundation
import PhotoEffects
import Synchronization
import TestSupport
import Testing

@testable import CameraModels

@MainActor
@Suite(.timeLimit(.minutes(30))) struct EditedFacesTests {
  /// Too low in the picture.
  nonisolated static let face = FoundFace.frontal(x: 0.4, y: 0.45, width: 0.15, height: 0.2)

  @Test func aCropIsSuggestedWhereThereAreFaces() async throws {
    let faces = FixedFaces([Self.face])
    let bench = try await EditBench(detector: faces)
    let model = bench.model
    await bench.open()
    #expect(!model.canSuggestCrop && faces.count == 0, "nobody has asked yet")
    model.suggestCrop()
    #expect(!model.hasChanges)
    model.select(tab: .crop)
    await ModelBench.until { model.canSuggestCrop }
    model.suggestCrop()
    let crop = model.recipe.geometry.crop
    #expect(crop != .full && model.problem == nil)
    let eyes = (Self.face.betweenEyes.y - crop.y) / crop.height
    #expect(abs(eyes - CropSuggestion.eyeLine) < 0.1, "\(eyes)")
    model.undo()
    #expect(model.recipe.geometry.crop == .full)
    model.redo()
    #expect(model.recipe.geometry.crop == crop)
    // In the chosen ratio, and of the flipped picture.
    model.select(ratio: .square)
    model.flip()
    model.suggestCrop()
    let size = try #require(model.croppedSize)
    #expect(abs(size.width - size.height) <= 1 && model.problem == nil)
    // The page is left and comes back: nobody looks again.
    model.select(tab: .adjust)
    model.select(tab: .crop)
    await Task.yield()
    #expect(faces.count == 1)
    try await bench.end()
  }

  @Test func aGoodPictureStaysAsItIs() async throws {
    // The eyes are on the upper third.
    let faces = FixedFaces([.frontal(x: 0.35, y: 0.243, width: 0.3, height: 0.3)])
    let bench = try await EditBench(detector: faces)
    await bench.open()
    bench.model.select(tab: .crop)
    await ModelBench.until { bench.model.canSuggestCrop }
    bench.model.suggestCrop()
    #expect(bench.model.problem?.contains("well placed") == true && !bench.model.hasChanges)
    try await bench.end()
  }

  @Test(arguments: [[], nil] as [[FoundFace]?]) func withoutFacesThereIsNoSuggestion(faces: [FoundFace]?) async throws {
    let detector = FixedFaces(faces)
    let bench = try await EditBench(detector: detector)
    await bench.open()
    await bench.model.lookForFaces()
    #expect(detector.count == 1 && !bench.model.canSuggestCrop)
    bench.model.suggestCrop()
    #expect(!bench.model.hasChanges && bench.model.problem == nil)
    try await bench.end()
  }
}

extension EditedFacesTests {
  @Test func redEyesAreOneStepThatCanBeTakenBack() async throws {
    let faces = FixedFaces([Self.face])
    let bench = try await EditBench(detector: faces)
    let model = bench.model
    #expect(!model.canRemoveRedEyes)
    await bench.open()
    #expect(model.canRemoveRedEyes && !model.removesRedEyes)
    // The sample picture has none.
    await model.toggleRedEyes()
    #expect(model.problem == "No red eyes were found." && !model.hasChanges && !model.isLookingForRedEyes)
    model.change { $0.redEye = [RedEyeSpot(x: 0.5, y: 0.5, radius: 0.01)] }
    #expect(model.removesRedEyes)
    await model.toggleRedEyes()
    #expect(!model.removesRedEyes && faces.count == 1)
    model.undo()
    #expect(model.removesRedEyes)
    // They are no look.
    model.copyEdits()
    #expect(!model.canSavePreset)
    model.undo()
    model.pasteEdits()
    #expect(!model.removesRedEyes)
    try await bench.end()
  }

  @Test(arguments: [([], "No faces were found."), (nil, FixedFaces.Unknown().description)] as [([FoundFace]?, String)])
  func withoutFacesThatIsSaid(faces: [FoundFace]?, problem: String) async throws {
    let bench = try await EditBench(detector: FixedFaces(faces))
    await bench.open()
    await bench.model.toggleRedEyes()
    #expect(bench.model.problem == problem && !bench.model.hasChanges)
    try await bench.end()
  }

  @Test func anotherKeyPhotoHasEyesOfItsOwn() async throws {
    let bench = try await EditBench(detector: FixedFaces([Self.face]))
    let model = bench.model
    await bench.openLive()
    model.change { $0.redEye = [RedEyeSpot(x: 0.5, y: 0.5, radius: 0.01)] }
    model.setKeyPhoto(at: 1.5)
    #expect(model.removesRedEyes, "it is the same one")
    model.setKeyPhoto(at: 2.5)
    #expect(!model.removesRedEyes && model.recipe.keyPhotoTime == 2.5)
    model.change { $0.redEye = [RedEyeSpot(x: 0.5, y: 0.5, radius: 0.01)] }
    model.setTrimEnd(2.7)
    #expect(model.removesRedEyes)
    model.setTrimEnd(2)
    #expect(!model.removesRedEyes && model.recipe.keyPhotoTime == 2)
    try await bench.end()
  }

  @Test func thereAreNoneToRemoveWithoutADetector() async throws {
    let bench = try await EditBench()
    await bench.open()
    #expect(!bench.model.canRemoveRedEyes)
    await bench.model.toggleRedEyes()
    #expect(!bench.model.hasChanges && bench.model.problem == nil)
    try await bench.end()
  }
}

/// The same faces in every picture.
final class FixedFaces: FaceDetecting {
  private let faces: [FoundFace]?
  private let asked = Atomic<Int>(0)

  init(_ faces: [FoundFace]?) { self.faces = faces }

  /// The pictures that were looked at.
  var count: Int { asked.load(ordering: .relaxed) }

  struct Unknown: LocalizedError, CustomStringConvertible {
    var description: String { "The model faces.tflite is damaged." }
    var errorDescription: String? { description }
  }

  func faces(in image: DecodedImage) async throws -> [FoundFace] {
    asked.add(1, ordering: .relaxed)
    guard let faces else { throw Unknown() }
    return faces
  }
}
