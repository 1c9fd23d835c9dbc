// Failing disks: nothing partly written under a final name, nothing lost, and helpful messages.

import CameraCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct FaultTests {
  /// Makes one step fail, the n-th time it comes.
  private final class Fault: Sendable {
    let step: Disk.Step
    let number: Int
    let code: Int32
    private let count = Atomic<Int>(0)
    private let isArmed = Atomic<Bool>(false)
    private let hit = Atomic<Bool>(false)

    init(_ step: Disk.Step, number: Int, code: Int32) {
      (self.step, self.number, self.code) = (step, number, code)
    }

    var wasHit: Bool { hit.load(ordering: .sequentiallyConsistent) }
    func arm(_ on: Bool) { isArmed.store(on, ordering: .sequentiallyConsistent) }

    var disk: Disk {
      Disk { [self] step, path in
        guard step == self.step, isArmed.load(ordering: .sequentiallyConsistent) else { return nil }
        guard count.add(1, ordering: .sequentiallyConsistent).newValue == number else { return nil }
        hit.store(true, ordering: .sequentiallyConsistent)
        return code
      }
    }
  }

  /// Every step of writing, at every place where it comes.
  @Test(arguments: [Disk.Step.makeFolder, .create, .write, .synchronize, .rename], [ENOSPC, EIO, EROFS])
  func aFailedStepLeavesNothing(step: Disk.Step, code: Int32) async throws {
    var number = 1
    while true {
      let scratch = try Scratch()
      let fault = Fault(step, number: number, code: code)
      let library = try await scratch.library(disk: fault.disk)
      try await library.refresh()
      let movie = scratch.url.appendingPathComponent("movie.mp4")
      try Samples.mp4().write(to: movie)
      let request = try AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: movie)
      fault.arm(true)
      var failure: PhotoLibraryError?
      do throws(PhotoLibraryError) { _ = try await library.createAsset(request) } catch { failure = error }
      fault.arm(false)
      guard fault.wasHit else {
        #expect(failure == nil)
        // There are no more places; at least one was met.
        #expect(number > 1)
        break
      }
      let error = try #require(failure, "Step \(number) failed in silence.")
      switch (code, error) {
      case (ENOSPC, .diskFull), (EIO, .inputOutput), (EROFS, .readOnly): break
      default: Issue.record("\(error) for \(code)")
      }
      #expect(scratch.files().isEmpty)
      #expect(FileManager.default.fileExists(atPath: movie.path))
      // The next one is saved as if nothing had been.
      let asset = try await library.createAsset(request)
      #expect(try await library.fetchAssets() == [asset])
      #expect(scratch.files() == ["2026-11/IMG_20261121_073106_123.MP.jpg"])
      await library.close()
      number += 1
    }
  }

  @Test func aFailedStagingLeavesNothing() async throws {
    for step in [Disk.Step.create, .write, .synchronize, .rename] {
      let scratch = try Scratch()
      let fault = Fault(step, number: 1, code: ENOSPC)
      let library = try await scratch.library(disk: fault.disk)
      try await library.prepareForCapture()
      fault.arm(true)
      await #expect(throws: PhotoLibraryError.self) {
        try await library.stage(Samples.jpeg(), metadata: Samples.metadata())
      }
      #expect(fault.wasHit)
      #expect(scratch.files().isEmpty)
    }
  }

  @Test(.enabled(if: Command.canMount, "mounting needs privileges")) func aDiskThatIsFullForReal() async throws {
    let scratch = try Scratch()
    let disk = scratch.pictures.path
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    try #require(mount("tmpfs", disk, "tmpfs", 0, "size=64k") == 0)
    defer { umount2(disk, Int32(MNT_DETACH)) }
    let library = try await scratch.library()
    let big = try Samples.jpeg(width: 1280, height: 720)
    #expect(big.count < 64 << 10)
    var saved: [Asset] = []
    var failure: PhotoLibraryError?
    while failure == nil {
      do throws(PhotoLibraryError) {
        saved.append(try await library.createAsset(request(big)))
      } catch {
        failure = error
      }
    }
    guard case .diskFull(let path) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(path.hasPrefix(disk))
    #expect(failure?.description.contains("is full") == true)
    #expect(scratch.files().count == saved.count)
    #expect(try await library.count() == saved.count)
    await library.close()
  }

  private func request(_ jpeg: Data) throws(PhotoLibraryError) -> AssetCreationRequest {
    AssetCreationRequest(
      photo: jpeg,
      metadata: PhotoMetadata(date: Samples.date, utcOffset: 0, size: PixelSize(width: 1280, height: 720)))
  }

  @Test func aFileInTheFoldersPlaceIsSaid() async throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(
      at: scratch.pictures.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: scratch.pictures)
    await #expect(throws: PhotoLibraryError.self) { try await scratch.library() }
    // Further up, where only writing finds it.
    let below = scratch.pictures.appendingPathComponent("below")
    let library = try await PhotoLibrary.open(at: below, index: scratch.index)
    let error = await #expect(throws: PhotoLibraryError.self) { try await library.prepareForCapture() }
    #expect(
      error == .folderUnavailable(path: scratch.pictures.path, reason: .notFolder)
    )
  }

  @Test func aFileInTheMonthsPlaceIsSaid() async throws {
    let scratch = try Scratch()
    try scratch.put(Data("in the way".utf8), "2026-11")
    let library = try await scratch.library()
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await library.createAsset(AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    }
    guard case .folderUnavailable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(scratch.files() == ["2026-11"])
  }

  @Test func anIndexThatCannotBeKeptIsHeldInMemory() async throws {
    let scratch = try Scratch()
    try Data().write(to: scratch.url.appendingPathComponent("file"))
    let library = try await PhotoLibrary.open(
      at: scratch.pictures, index: scratch.url.appendingPathComponent("file/index.sqlite"))
    guard case .indexInMemory = library.recovery.first else {
      Issue.record("\(library.recovery)")
      return
    }
    var follower = try await Follower(library)
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    try await follower.wait { $0 == [asset] }
  }
}
