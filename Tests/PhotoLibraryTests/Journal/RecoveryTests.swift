// Recovery after a crash: leftovers are saved or removed, and reported.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct RecoveryTests {
  /// Creates what a killed process leaves: its folder, under a token whose lock is free.
  private func kill(_ library: PhotoLibrary, in scratch: Scratch) async throws -> String {
    let token = LibraryFolder.makeToken()
    let incoming = scratch.pictures.appendingPathComponent(".photome/incoming")
    try FileManager.default.moveItem(at: library.movieFolder, to: incoming.appendingPathComponent(token))
    await library.close()
    return token
  }

  @Test func aStagedStillIsSavedAndItsMovieRemoved() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let staged = try await library.stage(Samples.jpeg(), metadata: Samples.metadata())
    _ = try await Samples.movie(in: library, name: "half.mp4")
    let token = try await kill(library, in: scratch)
    let temporary = LibraryFolder.temporaryName(for: "IMG_20261121_073106_123", token: token, number: 4)
    try scratch.put(Data("half".utf8), "2026-11/\(temporary)")
    let next = try await scratch.library()
    let url = scratch.pictures.appendingPathComponent("2026-11/IMG_20261121_073106_123.jpg", isDirectory: false)
    #expect(
      Set(next.recovery) == [.recoveredPhoto(url), .removedMovie(name: "half.mp4"), .removedLeftover(name: temporary)])
    #expect(scratch.files() == ["2026-11/IMG_20261121_073106_123.jpg"])
    try await next.refresh()
    #expect(try await next.fetchAssets().map(\.id) == [staged.id])
    let third = try await scratch.library()
    #expect(third.recovery.isEmpty)
  }

  @Test func aBetterStillReplacesTheStagedOneAndIsRecovered() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let staged = try await library.stage(Samples.jpeg(shade: 3), metadata: Samples.metadata())
    let first = try Data(contentsOf: URL(fileURLWithPath: staged.path))
    await #expect(throws: PhotoLibraryError.self) { try await library.restage(staged, with: Data("none".utf8)) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: staged.path)) == first)
    let better = try await library.restage(staged, with: Samples.jpeg(shade: 9))
    #expect(better.id == staged.id && better.path == staged.path)
    let second = try Data(contentsOf: URL(fileURLWithPath: staged.path))
    #expect(second != first)
    _ = try await kill(library, in: scratch)
    let next = try await scratch.library()
    let url = scratch.pictures.appendingPathComponent("2026-11/IMG_20261121_073106_123.jpg", isDirectory: false)
    #expect(next.recovery == [.recoveredPhoto(url)])
    #expect(try Data(contentsOf: url) == second)
    #expect(scratch.files() == ["2026-11/IMG_20261121_073106_123.jpg"])
  }

  @Test func whatALivingProcessWritesIsLeftAlone() async throws {
    let scratch = try Scratch()
    let living = try await scratch.library()
    let staged = try await living.stage(Samples.jpeg(), metadata: Samples.metadata())
    let movie = try await Samples.movie(in: living)
    let temporary = living.session.temporaryName(for: "IMG_20261121_073106_123")
    let half = try scratch.put(Data("half".utf8), "2026-11/\(temporary)")
    let other = try await scratch.library()
    try await other.refresh()
    #expect(other.recovery.isEmpty)
    #expect(FileManager.default.fileExists(atPath: half.path))
    let asset = try await living.createAsset(AssetCreationRequest(staged: staged, pairedVideo: movie))
    #expect(asset.isLive)
  }

  @Test func aShotThatWasFinishedIsNotSavedTwice() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let staged = try await library.stage(Samples.jpeg(), metadata: Samples.metadata())
    let left = try Data(contentsOf: URL(fileURLWithPath: staged.path))
    let movie = try await Samples.movie(in: library)
    let asset = try await library.createAsset(AssetCreationRequest(staged: staged, pairedVideo: movie))
    // The process ended after the final name was given and before the staged still was removed.
    try left.write(to: URL(fileURLWithPath: staged.path))
    _ = try await kill(library, in: scratch)
    let next = try await scratch.library()
    #expect(next.recovery.isEmpty)
    try await next.refresh()
    #expect(try await next.fetchAssets() == [asset])
    #expect(scratch.files() == ["2026-11/IMG_20261121_073106_123.MP.jpg"])
  }

  @Test func aStillThatIsBrokenIsKeptAndSaid() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let staged = try await library.stage(Samples.jpeg(), metadata: Samples.metadata())
    try Data("not a picture".utf8).write(to: URL(fileURLWithPath: staged.path))
    let token = try await kill(library, in: scratch)
    let path = scratch.pictures.path + "/.photome/incoming/\(token)/" + (staged.path as NSString).lastPathComponent
    for _ in 0..<2 {
      let next = try await scratch.library()
      #expect(
        next.recovery == [.couldNotRecover(path: path, reason: "“\(path)” can’t be used: it isn’t a complete picture.")]
      )
    }
  }

  @Test func leftoversOfUnknownSessionsGoWithTheFirstLook() async throws {
    let scratch = try Scratch()
    let name = LibraryFolder.temporaryName(for: "IMG", token: LibraryFolder.makeToken(), number: 1)
    try scratch.put(Data("half".utf8), "2026-11/\(name)")
    let library = try await scratch.library()
    try await library.refresh()
    #expect(scratch.files().isEmpty)
  }

  @Test func aLibraryThatIsClosedLeavesNothing() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    try await library.prepareForCapture()
    #expect(FileManager.default.fileExists(atPath: library.movieFolder.path))
    await library.close()
    let incoming = scratch.pictures.appendingPathComponent(".photome/incoming").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: incoming).isEmpty)
  }

  @Test(.enabled(if: Command.areInstalled("flock"), "flock is not installed")) func theProcessIsKilledForReal()
    async throws
  {
    // A child takes a lock and dies with SIGKILL while it holds it.
    let scratch = try Scratch()
    let token = LibraryFolder.makeToken()
    let incoming = scratch.pictures.appendingPathComponent(".photome/incoming")
    let folder = incoming.appendingPathComponent(token)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Samples.mp4().write(to: folder.appendingPathComponent("movie.mp4"))
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    child.arguments = [
      "flock", "--no-fork", "--exclusive", incoming.appendingPathComponent("\(token).lock").path, "cat",
    ]
    let (input, output) = (Pipe(), Pipe())
    child.standardInput = input
    child.standardOutput = output
    try child.runAlone()
    // Once cat answers, the lock is held.
    try input.fileHandleForWriting.write(contentsOf: Data("ready".utf8))
    _ = output.fileHandleForReading.availableData
    #expect(try await scratch.library().recovery.isEmpty)
    #expect(Glibc.kill(child.processIdentifier, SIGKILL) == 0)
    child.waitUntilExit()
    #expect(try await scratch.library().recovery == [.removedMovie(name: "movie.mp4")])
  }
}
