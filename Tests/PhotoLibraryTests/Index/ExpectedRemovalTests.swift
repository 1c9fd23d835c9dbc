// Pictures that a program is about to delete, and another one that looks at the library meanwhile.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ExpectedRemovalTests {
  /// Looks through everything while somebody is deleting a picture, before its file is gone.
  private func lookAmid(_ scratch: Scratch, _ library: PhotoLibrary, _ id: Asset.ID) async throws {
    let lock = try WriteLock(JournalRunner(folder: library.layout, disk: Disk(), trash: DesktopTrash(disk: Disk())))
    try library.index.expect([id: nil])
    let other = try await scratch.library()
    try await other.refresh()
    await other.close()
    lock.keep()
  }

  @Test func aLookAmidADeletionLeavesItsNote() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    try await lookAmid(scratch, library, asset.id)
    // Killed here: the program itself tells nobody.
    try FileManager.default.removeItem(at: asset.url)
    try await library.refresh()
    let checked = try await library.verify()
    #expect(checked.isClean, "\(checked.problems)")
    await library.close()
  }

  @Test func theNoteOfADeletionThatDidNotHappenIsForgotten() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let asset = try await library.addPhoto()
    try await lookAmid(scratch, library, asset.id)
    let next = try await scratch.library()
    try await next.refresh()
    try FileManager.default.removeItem(at: asset.url)
    try await next.refresh()
    let checked = try await next.verify()
    #expect(checked.problems.map(\.kind) == [.gone])
    await next.close()
    await library.close()
  }
}
