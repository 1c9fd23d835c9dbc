// An index that is made anew finds the ids that another one has: they are in the files and in the records.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct NewIndexTests {
  private let content = String(repeating: "0", count: 31) + "1"

  /// A picture that has its own id in it.
  private func photo(_ id: Asset.ID? = nil) throws -> Data {
    try PhotoAssembly.photo(jpeg: Samples.jpeg(), metadata: Samples.metadata(), id: id ?? content)
  }

  private func ids(_ library: PhotoLibrary) async throws -> [String: Asset.ID] {
    try await library.refresh()
    let assets = try await library.fetchAssets()
    return Dictionary(assets.map { (library.layout.relative($0.url.path) ?? "", $0.id) }) { $1 }
  }

  /// The ids that a new index finds, and those that a second one finds after it.
  private func foundAnew(_ scratch: Scratch) async throws -> [[String: Asset.ID]] {
    var found: [[String: Asset.ID]] = []
    for number in 1...2 {
      let library = try await PhotoLibrary.open(
        at: scratch.pictures, index: scratch.url.appendingPathComponent("new-\(number).sqlite"), disk: Disk(),
        trash: scratch.trash)
      found.append(try await ids(library))
      await library.close()
    }
    return found
  }

  private func move(_ scratch: Scratch, _ old: String, to new: String) throws {
    try FileManager.default.moveItem(
      at: scratch.pictures.appendingPathComponent(old), to: scratch.pictures.appendingPathComponent(new))
  }

  private func remove(_ scratch: Scratch, _ name: String) throws {
    try FileManager.default.removeItem(at: scratch.pictures.appendingPathComponent(name))
  }

  /// A library with a picture, “a.jpg”, and a copy of it that was moved from “b.jpg” to “c.jpg”.
  private func libraryWithMovedCopy(_ scratch: Scratch) async throws -> PhotoLibrary {
    try scratch.put(photo(), "a.jpg")
    let library = try await scratch.library()
    _ = try await ids(library)
    try scratch.put(photo(), "b.jpg")
    _ = try await ids(library)
    try move(scratch, "b.jpg", to: "c.jpg")
    _ = try await ids(library)
    return library
  }

  /// The record of a copy that was moved names it, and nothing else.
  @Test(arguments: [true, false]) func aMovedCopyInheritsForGood(isFavorite: Bool) async throws {
    let scratch = try Scratch()
    try scratch.put(photo(), "a.jpg")
    let library = try await scratch.library()
    _ = try await ids(library)
    if isFavorite {
      let content = content
      try await library.performChanges { $0.change(AssetChangeRequest(for: content, isFavorite: true)) }
    }
    try scratch.put(photo(), "b.jpg")
    try scratch.put(photo(), "longer.jpg")
    _ = try await ids(library)
    try move(scratch, "b.jpg", to: "c.jpg")
    let before = try await ids(library)
    #expect(before["c.jpg"] == AssetIdentity.id(ofCopy: content, at: "b.jpg"))
    try remove(scratch, "a.jpg")
    let after = try await ids(library)
    #expect(after["c.jpg"] == content)
    #expect(try await library.asset(id: content)?.isFavorite == isFavorite)
    #expect(after["longer.jpg"] == before["longer.jpg"])
    #expect(try await ids(library) == after)
    #expect(try await library.verify().isClean)
    for found in try await foundAnew(scratch) { #expect(found == after) }
    #expect(try await ids(library) == after)
    await library.close()
  }

  /// Another index of the library, which knows the copy by its record alone, follows.
  @Test func aMovedCopyInheritsInAllIndexes() async throws {
    let scratch = try Scratch()
    let library = try await libraryWithMovedCopy(scratch)
    await library.close()
    // It never sees the picture itself.
    try remove(scratch, "a.jpg")
    #expect(try await foundAnew(scratch)[0] == ["c.jpg": AssetIdentity.id(ofCopy: content, at: "b.jpg")])
    let again = try await scratch.library()
    let after = try await ids(again)
    #expect(after == ["c.jpg": content])
    for _ in 0..<2 {
      for found in try await foundAnew(scratch) { #expect(found == after) }
      #expect(try await ids(again) == after)
    }
    await again.close()
  }

  /// The picture and its copy are gone at once; one comes back elsewhere.
  @Test func whatComesBackIsThePictureItself() async throws {
    let scratch = try Scratch()
    var library = try await libraryWithMovedCopy(scratch)
    await library.close()
    for name in ["a.jpg", "c.jpg"] { try remove(scratch, name) }
    library = try await scratch.library()
    #expect(try await ids(library).isEmpty)
    try scratch.put(photo(), "d.jpg")
    let after = try await ids(library)
    #expect(after == ["d.jpg": content])
    for found in try await foundAnew(scratch) { #expect(found == after) }
    await library.close()
  }

  /// A favorite in the trash comes back as such; its copy gets nothing of it meanwhile.
  @Test func theCopyOfAPictureInTheTrashIsACopy() async throws {
    let scratch = try Scratch()
    try scratch.put(photo(), "a.jpg")
    let library = try await scratch.library()
    _ = try await ids(library)
    let content = content
    try await library.performChanges { $0.change(AssetChangeRequest(for: content, isFavorite: true)) }
    try scratch.put(photo(), "b.jpg")
    let copy = try #require(try await ids(library)["b.jpg"])
    let trashed = try await library.trash([content])
    let after = try await ids(library)
    #expect(after == ["b.jpg": copy])
    for found in try await foundAnew(scratch) { #expect(found == after) }
    try await library.restore(trashed)
    let restored = try await ids(library)
    #expect(restored == ["a.jpg": content, "b.jpg": copy])
    for found in try await foundAnew(scratch) { #expect(found == restored) }
    await library.close()
  }

  /// What was kept for a picture that is gone isn't another one's that has its name.
  @Test func anotherPictureUnderADepartedName() async throws {
    let scratch = try Scratch()
    let plain = try Samples.jpeg(shade: 10)
    try scratch.put(plain, "a.jpg")
    var library = try await scratch.library()
    let old = try #require(try await ids(library)["a.jpg"])
    try await library.performChanges { $0.change(AssetChangeRequest(for: old, isFavorite: true)) }
    try remove(scratch, "a.jpg")
    _ = try await ids(library)
    try scratch.put(Samples.jpeg(shade: 200), "a.jpg")
    let after = try await ids(library)
    #expect(after["a.jpg"] != old)
    for found in try await foundAnew(scratch) { #expect(found == after) }
    await library.close()
    library = try await scratch.library()
    #expect(try await ids(library) == after)
    await library.close()
  }
}
