// Files and folders that are given to the program: what is told of them before anything is imported.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct GivenFilesTests {
  /// A library with a picture, and a folder beside it.
  private struct Bench {
    let scratch: Scratch
    let library: PhotoLibrary
    let card: URL

    init() async throws {
      scratch = try Scratch()
      library = try await scratch.library()
      card = scratch.url.appendingPathComponent("card", isDirectory: true)
      try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    }

    @discardableResult func write(_ data: Data, _ name: String) throws -> URL {
      let file = card.appendingPathComponent(name)
      try data.write(to: file)
      return file
    }
  }

  private func names(_ assets: [Asset]) -> [String] { assets.map(\.url.lastPathComponent) }

  @Test func ownPicturesAreToldFromThoseOutside() async throws {
    let bench = try await Bench()
    let own = try await bench.library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    let outside = try bench.write(Samples.jpeg(shade: 7), "a.jpg")
    // Another program has just put it there, and the index doesn't know it yet.
    let new = try bench.scratch.put(Samples.jpeg(shade: 8), "new.jpg")
    let given = try await bench.library.look(at: [outside, own.url, new])
    #expect(names(given.pictures) == ["a.jpg", own.url.lastPathComponent, "new.jpg"])
    #expect(given.pictures.map(\.isOutside) == [true, false, false] && given.pictures[1].id == own.id)
    #expect(given.files == [outside] && given.folders.isEmpty && given.refused.isEmpty && given.companions.isEmpty)
    #expect(given.pictures[0].size == PixelSize(width: 320, height: 180))
    #expect(try await bench.library.fetchAssets().count == 2, "nothing is imported")
  }

  @Test func theFilesOfAPairAreOneLivePhoto() async throws {
    let bench = try await Bench()
    let photo = try bench.write(AppleSamples.photo(AppleSamples.mark), "IMG_1.JPG")
    let movie = try bench.write(AppleSamples.movie(AppleSamples.mark), "IMG_1.MOV")
    let alone = try bench.write(Samples.jpeg(shade: 9), "z.jpg")
    for urls in [[photo, movie, alone], [bench.card]] {
      let given = try await bench.library.look(at: urls)
      #expect(names(given.all) == ["IMG_1.JPG", "z.jpg"])
      #expect(given.all[0].isLive && given.all[0].movieURL == movie)
      #expect(given.companions == [photo.path: [movie]])
      #expect(given.folders == (urls.count == 1 ? urls : []))
    }
    let given = try await bench.library.look(at: [photo])
    #expect(names(given.all) == ["IMG_1.JPG"] && given.companions.isEmpty, "the other one wasn't given")
  }

  @Test func aRawFrameBelongsToItsPhoto() async throws {
    let bench = try await Bench()
    let asset = try await bench.library.addRawPhoto()
    let raw = try #require(await bench.library.rawFile(of: asset))
    let photo = try bench.write(Data(contentsOf: asset.url), "IMG.jpg")
    let frame = try bench.write(Data(contentsOf: raw), "IMG.dng")
    let given = try await bench.library.look(at: [photo, frame])
    #expect(names(given.all) == ["IMG.jpg"] && given.refused.isEmpty)
    #expect(given.companions == [photo.path: [frame]] && given.files == [photo, frame])
    // A raw file of another photo, or alone, is refused in words.
    let alone = try await bench.library.look(at: [frame])
    #expect(alone.all.isEmpty && alone.refused.map(\.path) == [frame.path] && alone.files.isEmpty)
  }

  @Test func whatIsGivenAndCanNotBeShownIsRefused() async throws {
    let bench = try await Bench()
    let (notes, gone) = (
      try bench.write(Data("words".utf8), "notes.txt"), bench.card.appendingPathComponent("gone.jpg")
    )
    let photo = try bench.write(Samples.jpeg(), "a.jpg")
    let link = bench.card.appendingPathComponent("link.jpg")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: photo)
    let given = try await bench.library.look(at: [notes, gone, link])
    #expect(given.refused.map(\.path) == [gone.path, notes.path])
    #expect(given.refused.allSatisfy { !$0.description.isEmpty })
    #expect(given.pictures.count == 1 && given.pictures[0].isOutside, "a link that is named is followed")
    // In a folder, notes are nothing to speak of.
    let inFolder = try await bench.library.look(at: [bench.card])
    #expect(inFolder.refused.isEmpty && names(inFolder.all) == ["a.jpg"])
  }

  @Test func aFolderThatCanNotBeListedIsRefused() async throws {
    let scratch = try Scratch()
    let closed = scratch.url.appendingPathComponent("closed", isDirectory: true)
    let disk = Disk(fault: { step, path in step == .read && path.hasPrefix(closed.path) ? EACCES : nil })
    let library = try await scratch.library(disk: disk)
    try FileManager.default.createDirectory(at: closed, withIntermediateDirectories: true)
    let given = try await library.look(at: [closed])
    #expect(given.refused.map(\.path) == [closed.path] && given.all.isEmpty && given.folders == [closed])
  }
}
