// The burst of the picture in the viewer: its frames, the sharpest one, and keeping only one.

import CameraCore
import Foundation
import PhotoLibrary
import Synchronization
import TestSupport
import Testing

@testable import CameraModels

@MainActor @Suite(.timeLimit(.minutes(30))) struct BurstReviewTests {
  /// Adds pictures of a burst, a second apart.
  private func add(_ count: Int, to bench: LibraryBench) async throws -> [Asset] {
    var assets: [Asset] = []
    for number in 0..<count {
      let metadata = PhotoMetadata(
        date: Date(timeIntervalSince1970: 1_795_262_400 + Double(number)), utcOffset: 0,
        size: PixelSize(width: 64, height: 48), burstID: "b")
      assets.append(
        try await bench.library.createAsset(AssetCreationRequest(photo: SampleMedia.jpeg, metadata: metadata)))
    }
    return assets
  }

  @Test func itsFramesAreCountedAndOneIsTheBest() async throws {
    let bench = try await LibraryBench(count: 1)
    let frames = try await add(3, to: bench)
    let burst = BurstReview(viewer: bench.viewer, library: bench.library, messages: bench.messages)
    await bench.grid.open()
    bench.navigation.open(frames[2])
    await ModelBench.until { burst.bestID != nil }
    // Equal pictures are equally sharp: the first counts.
    #expect(burst.title == "Burst, 3 of 3" && !burst.showsBest && burst.bestID == frames[0].id)
    burst.showBest()
    #expect(bench.viewer.asset?.id == frames[0].id && burst.showsBest && burst.title == "Burst, 1 of 3")
    bench.navigation.open(bench.assets[0])
    await ModelBench.until { burst.frames.isEmpty }
    #expect(burst.title == nil && burst.others.isEmpty)
    try await bench.end()
  }

  @Test(
    arguments: [
      ([[], [ScriptedFaces.face], [ScriptedFaces.face, ScriptedFaces.face]], 2),
      ([[], [ScriptedFaces.face], [ScriptedFaces.face]], 1),
      ([[], [], []], 0),
      ([[], nil], 0),
    ] as [([[FoundFace]?], Int)])
  func thePictureWithTheMostFacesIsTheBest(answers: [[FoundFace]?], best: Int) async throws {
    let bench = try await LibraryBench(count: 1)
    let frames = try await add(3, to: bench)
    let detector = ScriptedFaces(answers)
    #expect(await Asset.best(of: frames, in: bench.library, detector: detector)?.id == frames[best].id)
    // After a failure it isn't asked again.
    #expect(detector.remaining == 0)
    #expect(await Asset.best(of: [], in: bench.library, detector: detector) == nil)
    try await bench.end()
  }

  @Test(arguments: [([ScriptedFaces.face], "Sharpest faces"), ([], "Sharpest photo"), (nil, "Sharpest photo")])
  func theSuggestionHasAReason(faces: [FoundFace]?, reason: String) async throws {
    let bench = try await LibraryBench(count: 1)
    let frames = try await add(2, to: bench)
    let burst = BurstReview(
      viewer: bench.viewer, library: bench.library, messages: bench.messages,
      detector: FacesBySize(ofPhotos: faces, ofOthers: []))
    #expect(burst.bestReason == nil)
    await bench.grid.open()
    bench.navigation.open(frames[1])
    await ModelBench.until { burst.bestID != nil }
    #expect(burst.bestID == frames[0].id && burst.bestReason == reason)
    try await bench.end()
  }

  @Test func theSheetOfTheBoothIsNoShot() async throws {
    let bench = try await LibraryBench(count: 1)
    let photos = try await add(4, to: bench)
    let sheet = try await bench.library.createSheet(.grid, of: photos, software: "PhotoMe 1")
    #expect(sheet.isSheet && sheet.isKeyPhoto)
    // The sheet has more faces than any of its photos.
    let burst = BurstReview(
      viewer: bench.viewer, library: bench.library, messages: bench.messages,
      detector: FacesBySize(ofPhotos: [ScriptedFaces.face], ofOthers: [ScriptedFaces.face, ScriptedFaces.face]))
    await bench.grid.open()
    await ModelBench.until { bench.grid.list.count == 2 }
    let index = try #require(await bench.grid.list.index(of: sheet.id))
    let cell = try #require(await bench.grid.list.asset(at: index))
    #expect(bench.grid.spokenName(of: cell).hasPrefix("Photo booth, 4 photos, "))
    bench.navigation.open(cell)
    await ModelBench.until { burst.bestID != nil }
    #expect(burst.title == "Photo booth, sheet" && burst.frames.count == 5 && burst.showsKey && !burst.showsBest)
    #expect(burst.bestID == photos[0].id)
    burst.move(by: -1)
    #expect(burst.title == "Photo booth, photo 4 of 4" && !burst.showsBest)
    burst.showBest()
    #expect(burst.title == "Photo booth, photo 1 of 4" && burst.showsBest && !burst.showsKey)
    // Beside one photo there is nothing to choose.
    try await bench.library.performChanges { $0.trash(photos.dropFirst().map(\.id)) }
    await ModelBench.until { burst.frames.count == 2 && burst.bestID == nil && burst.position != nil }
    #expect(burst.title == "Photo booth, photo 1 of 1" && burst.bestReason == nil)
    try await bench.end()
  }

  @Test func theOthersGoToTheTrashAndComeBack() async throws {
    let bench = try await LibraryBench(count: 1)
    let frames = try await add(3, to: bench)
    let burst = BurstReview(viewer: bench.viewer, library: bench.library, messages: bench.messages)
    await bench.grid.open()
    bench.navigation.open(frames[1])
    await ModelBench.until { burst.frames.count == 3 }
    await bench.pictures.keepOnlyShown(of: burst)
    await ModelBench.until { burst.frames.isEmpty }
    #expect(bench.viewer.asset?.id == frames[1].id)
    #expect(try await bench.library.count() == 2)
    await bench.history.undo()
    await ModelBench.until { burst.frames.count == 3 }
    #expect(burst.frames.map(\.id) == frames.map(\.id))
    try await bench.end()
  }

  @Test func theGridHasOneCellWhichStandsForAll() async throws {
    let bench = try await LibraryBench(count: 1)
    let frames = try await add(3, to: bench)
    await bench.grid.open()
    await ModelBench.until { bench.grid.list.count == 2 }
    let index = try #require(await bench.grid.list.index(of: frames[1].id))
    let cell = try #require(await bench.grid.list.asset(at: index))
    #expect(bench.grid.spokenName(of: cell).hasPrefix("Burst, 3 photos, ") && cell.id == frames[0].id)
    bench.grid.moveCursor(to: index)
    // The key photo alone. What is read for a drag holds until the list changes.
    let revision = bench.grid.list.revision
    await bench.pictures.toggleFavorite()
    await ModelBench.until { bench.grid.list.revision != revision }
    #expect(try await bench.library.burst("b").map(\.isFavorite) == [true, false, false])
    #expect(await bench.navigation.targets().map(\.id) == [frames[0].id])
    #expect(await bench.navigation.memberTargets().map(\.id) == frames.map(\.id))
    bench.grid.prepareDrag(at: index)
    await ModelBench.until { bench.grid.draggedAssets != nil }
    #expect(bench.grid.draggedAssets?.map(\.id) == frames.map(\.id))
    // All of it.
    await bench.pictures.createAlbum(title: "Ada")
    await ModelBench.until { bench.grid.albums.count == 1 }
    #expect(try await bench.library.fetch(in: bench.grid.albums[0]).count == 3)
    #expect(bench.grid.tree.counts[bench.grid.albums[0].id] == 1)
    bench.grid.moveCursor(to: try #require(await bench.grid.list.index(of: frames[0].id)))
    await bench.pictures.setHidden(true)
    #expect(try await bench.library.burst("b", isHidden: true).count == 3)
    // Else the list of before could be taken for that of after the undo.
    await ModelBench.until { bench.grid.list.count == 1 }
    await bench.history.undo()
    await ModelBench.until { bench.grid.list.count == 2 }
    bench.grid.moveCursor(to: try #require(await bench.grid.list.index(of: frames[0].id)))
    await bench.pictures.trash()
    #expect(try await bench.library.count() == 1)
    await bench.history.undo()
    #expect(try await bench.library.burst("b").map(\.id) == frames.map(\.id))
    try await bench.end()
  }

  @Test func itsFramesAreWalkedAndOneIsPicked() async throws {
    let bench = try await LibraryBench(count: 2)
    let frames = try await add(3, to: bench)
    let burst = BurstReview(viewer: bench.viewer, library: bench.library, messages: bench.messages)
    await bench.grid.open()
    await ModelBench.until { bench.grid.list.count == 3 }
    let index = try #require(await bench.grid.list.index(of: frames[0].id))
    bench.navigation.open(try #require(await bench.grid.list.asset(at: index)))
    await ModelBench.until { burst.frames.count == 3 }
    #expect(burst.title == "Burst, 1 of 3" && burst.showsKey && burst.hasNext && !burst.hasPrevious)
    burst.move(by: 1)
    burst.move(by: 1)
    burst.move(by: 1)
    #expect(bench.viewer.asset?.id == frames[2].id && !burst.hasNext && burst.hasPrevious && !burst.showsKey)
    // The list goes on beside the whole burst.
    let (newer, older) = (bench.viewer.hasNewer, bench.viewer.hasOlder)
    #expect(newer == (index > 0) && older == (index < 2))

    await bench.pictures.makeKeyPhoto(of: burst)
    await ModelBench.until { burst.showsKey }
    await ModelBench.until { bench.grid.shown(at: index)?.id == frames[2].id }
    #expect(bench.viewer.asset?.id == frames[2].id && bench.viewer.hasNewer == newer && bench.viewer.hasOlder == older)
    await bench.history.undo()
    await ModelBench.until { !burst.showsKey }
    #expect(try await bench.library.burst("b").map(\.isKeyPhoto) == [false, false, false])

    // Only the picture that is shown.
    await bench.pictures.trash()
    await ModelBench.until { burst.frames.count == 2 && burst.position != nil }
    #expect(bench.viewer.asset?.id == frames[1].id && burst.title == "Burst, 2 of 2")
    await bench.pictures.setHidden(true)
    await ModelBench.until { burst.frames.isEmpty }
    #expect(try await bench.library.burst("b").map(\.id) == [frames[0].id])
    try await bench.end()
  }
}

extension LibraryModel {
  /// The picture at an index, as far as it is in memory.
  fileprivate func shown(at index: Int) -> Asset? { list.assetIfRead(at: index) }
}

/// Gives the scripted answers, one a picture.
private final class ScriptedFaces: FaceDetecting {
  static let face = FoundFace.frontal(x: 0.2, y: 0.2, width: 0.5, height: 0.5)

  private let answers: Mutex<[[FoundFace]?]>
  var remaining: Int { answers.withLock(\.count) }

  init(_ answers: [[FoundFace]?]) { self.answers = Mutex(answers) }

  func faces(in image: DecodedImage) async throws -> [FoundFace] {
    guard let answer = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { throw FixedFaces.Unknown() }
    return answer
  }
}

/// Tells photos of the sample's size from other pictures.
private struct FacesBySize: FaceDetecting {
  var ofPhotos: [FoundFace]?
  var ofOthers: [FoundFace]?

  func faces(in image: DecodedImage) async throws -> [FoundFace] {
    guard let faces = image.size == PixelSize(width: 64, height: 48) ? ofPhotos : ofOthers else {
      throw FixedFaces.Unknown()
    }
    return faces
  }
}
