// Versions of pictures that other programs have made, kept beside: said, indexed, and as private as the picture.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct KeptVersionTests {
  /// What a process has left that wanted to replace a picture, which another program has changed since.
  private func leaveJournal(_ scratch: Scratch, _ asset: Asset) throws {
    let token = LibraryFolder.makeToken()
    let old = try Data(contentsOf: asset.url)
    let mark = try FileMark(of: asset.url.path, disk: Disk())
    let temporary = ".photome/incoming/\(token)/.new.\(token).1.tmp"
    try scratch.put(old + Data("new".utf8), temporary)
    let path = "2026-11/\(asset.url.lastPathComponent)"
    let journal = Journal(steps: [.replace(temporary: temporary, path: path, over: .file(mark))])
    try ForeignEditors.tagged(old, "retouched").write(to: asset.url)
    try scratch.put(journal.json(), ".photome/journal/\(token).2.json")
  }

  // MARK: Hidden pictures

  @Test func theKeptVersionOfAHiddenPictureIsHidden() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    try await library.editPhoto(asset.id, shade: 10)
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    try ForeignEditors.tagged(Data(contentsOf: asset.url), "me").write(to: asset.url)
    try await library.refresh()
    try await library.editPhoto(asset.id, shade: 30)
    try await library.refresh()
    let names = scratch.files().filter { $0.hasPrefix("2026-11/") }
    #expect(names.count == 2, "\(names)")
    let shown = try await library.fetchAssets()
    #expect(shown.isEmpty, "\(shown)")
    #expect(try await library.verify().isClean)
    await library.close()
    // A new index finds the same.
    try scratch.removeIndex()
    let next = try await scratch.library()
    try await next.refresh()
    #expect(try await next.fetchAssets().isEmpty)
    await next.close()
  }

  @discardableResult
  private func leaveJournalOfHiddenPicture(_ scratch: Scratch) async throws -> Asset {
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
    await library.close()
    try leaveJournal(scratch, asset)
    return asset
  }

  /// The library after a start that has kept a version beside the picture: neither is shown.
  private func openedWithTwoHidden(_ scratch: Scratch) async throws -> PhotoLibrary {
    let library = try await scratch.library()
    try await library.refresh()
    let names = scratch.files().filter { $0.hasPrefix("2026-11/") }
    #expect(names.count == 2, "\(names)")
    let shown = try await library.fetchAssets()
    #expect(shown.isEmpty, "\(shown)")
    return library
  }

  @Test func theVersionThatAJournalKeepsOfAHiddenPictureIsHidden() async throws {
    let scratch = try Scratch()
    try await leaveJournalOfHiddenPicture(scratch)
    let next = try await openedWithTwoHidden(scratch)
    let checked = try await next.verify()
    #expect(checked.isClean, "\(checked.problems)")
    await next.close()
  }

  /// Records of earlier versions don't name their files, and what can't be read may say that it is hidden.
  @Test(arguments: [#"{"version": 1, "hidden": true}"#, #"{"version": 99}"#])
  func theVersionOfAPictureWithAnOlderOrNewerRecordIsHidden(record: String) async throws {
    let scratch = try Scratch()
    let asset = try await leaveJournalOfHiddenPicture(scratch)
    try scratch.put(Data(record.utf8), ".photome/assets/\(asset.id).json")
    let next = try await openedWithTwoHidden(scratch)
    await next.close()
  }

  // MARK: Saying so

  /// A journal may be finished by whoever takes the lock, also by the work in the background.
  @Test func whatTheBackgroundHasFinishedIsSaidAndIndexed() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let (asset, other) = (try await library.addPhoto(), try await library.addPhoto(shade: 10, second: 10))
    try await library.refresh()
    try leaveJournal(scratch, asset)
    // A picture without its metadata, which only a record can tell from a new one.
    try ForeignEditors.stripped(Data(contentsOf: other.url)).write(to: other.url)
    try await library.refresh()
    #expect(!scratch.files().contains { $0.hasPrefix(".photome/journal/") }, "nothing took the lock")
    let count = try await library.count()
    await library.close()
    var said: [LibraryWarning] = []
    for await warning in library.warnings() { said.append(warning) }
    #expect(said.contains(.recovered(.finishedChange)), "\(said)")
    #expect(
      said.contains { if case .recovered(.keptVersion) = $0 { true } else { false } }, "\(said)")
    #expect(count == 3)
  }
}
