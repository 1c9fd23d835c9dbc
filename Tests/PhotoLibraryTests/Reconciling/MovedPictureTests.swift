// Pictures that were moved while PhotoMe was closed, and whose names others have by now.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct MovedPictureTests {
  /// A picture without a date, as of a messenger.
  private func undated(_ shade: UInt8) throws -> Data { ForeignEditors.stripped(try Samples.jpeg(shade: shade)) }

  /// The new name is in a folder that is scanned earlier: the picture was taken for a copy, and what it had went to the
  /// other one. Or later: then the other one had its id already.
  @Test(arguments: [true, false], ["2026-11", "2026-09"])
  func whatAPictureHadStaysWithIt(isEdited: Bool, month: String) async throws {
    let scratch = try Scratch()
    try scratch.put(undated(10), "2026-10/shot.jpg")
    let first = try await scratch.library()
    try await first.refresh()
    let asset = try #require(try await first.fetchAssets().first)
    var request = AssetChangeRequest(for: asset.id, isFavorite: true)
    if isEdited {
      request.contentEditingOutput = ContentEditingOutput(
        photo: try Samples.jpeg(shade: 60),
        adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    }
    let change = request
    try await first.performChanges { $0.change(change) }
    await first.close()
    let new = scratch.pictures.appendingPathComponent("\(month)/private.jpg")
    try FileManager.default.createDirectory(at: new.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: asset.url, to: new)
    try scratch.put(undated(200), "2026-10/shot.jpg")
    let next = try await scratch.library()
    try await next.refresh()
    let moved = try #require(try await next.asset(at: new))
    #expect(moved.id == asset.id && moved.isFavorite && moved.isEdited == isEdited)
    let other = try #require(try await next.asset(at: asset.url))
    #expect(other.id != asset.id && !other.isFavorite && !other.isEdited)
    let found = try await next.verify()
    #expect(found.isClean, "\(found.problems)")
    await next.close()
  }

  /// An editor saves the one of two equal pictures that has something: it keeps it.
  @Test(arguments: ["2026-11", "2026-09"]) func aCopyDoesNotTakeIt(month: String) async throws {
    let scratch = try Scratch()
    let data = try undated(10)
    try scratch.put(data, "2026-10/shot.jpg")
    let first = try await scratch.library()
    try await first.refresh()
    let asset = try #require(try await first.fetchAssets().first)
    try await first.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    await first.close()
    try scratch.put(Data(contentsOf: asset.url), "\(month)/copy.jpg")
    try undated(11).write(to: asset.url, options: .atomic)
    let next = try await scratch.library()
    try await next.refresh()
    #expect(try await next.asset(at: asset.url)?.id == asset.id)
    await next.close()
  }

  @Test func aLockThatIsAnotherFileIsNotWritten() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    let lock = scratch.pictures.path + "/.photome/lock"
    try? FileManager.default.removeItem(atPath: lock)
    let letter = scratch.url.appendingPathComponent("letter.odt")
    try Data("mine".utf8).write(to: letter)
    #expect(link(letter.path, lock) == 0)
    await #expect(throws: PhotoLibraryError.self) {
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    }
    #expect(try Data(contentsOf: letter) == Data("mine".utf8))
    await library.close()
  }
}
