// New pictures that have their names for a moment, until their folder can't be made durable.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct TakenBackNameTests {
  @Test(arguments: [ENOSPC, EIO]) func whoeverSawAPictureForAMomentDoesNotMissIt(code: Int32) async throws {
    let scratch = try Scratch()
    let looker = Mutex<PhotoLibrary?>(nil)
    let disk = Disk { step, path in
      guard step == .synchronize, path.hasSuffix("/2026-11"), let library = looker.withLock({ $0 }) else { return nil }
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      do { try library.reconciler.reindex(names.map { "2026-11/\($0)" }) } catch { Issue.record(error) }
      return code
    }
    let library = try await scratch.library(disk: disk)
    let kept = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(shade: 1), metadata: Samples.metadata()))
    try await library.refresh()
    looker.withLock { $0 = library }
    await #expect(throws: PhotoLibraryError.self) {
      try await library.createAsset(
        AssetCreationRequest(photo: Samples.jpeg(shade: 2), metadata: Samples.metadata()))
    }
    looker.withLock { $0 = nil }
    try await library.refresh()
    #expect(try await library.fetchAssets().map(\.id) == [kept.id])
    let checked = try await library.verify()
    #expect(checked.isClean, "\(checked.problems)")
    // What another program takes away is missed as before.
    try FileManager.default.removeItem(at: kept.url)
    try await library.refresh()
    #expect(try await library.verify().problems.map(\.kind) == [.gone])
    await library.close()
  }
}
