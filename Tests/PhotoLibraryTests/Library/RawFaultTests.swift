// Raw pictures that can't be saved: their pictures are.

import CameraCore
import Foundation
import MediaFormats
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct RawFaultTests {
  private static let name = "2026-11/IMG_20261121_073106_123"

  /// Has no room for DNGs while it is told so.
  private final class SmallDisk: Sendable {
    private let code = Mutex<Int32?>(nil)

    func refuse(with code: Int32?) { self.code.withLock { $0 = code } }

    var disk: Disk {
      Disk { [self] step, path in step == .write && path.contains(".dng") ? code.withLock { $0 } : nil }
    }
  }

  @Test(arguments: [ENOSPC, EDQUOT, EIO]) func aDNGDoesNotTakeItsPictureWithIt(code: Int32) async throws {
    let scratch = try Scratch()
    let small = SmallDisk()
    let library = try await scratch.library(disk: small.disk)
    small.refuse(with: code)
    let asset = try await library.addRawPhoto()
    #expect(scratch.files().filter { $0.hasPrefix("2026") } == ["\(Self.name).jpg"])
    #expect(await library.rawFile(of: asset) == nil)
    #expect(try await library.verify().isClean)
    small.refuse(with: nil)
    let next = try await library.addRawPhoto(second: 1)
    #expect(await library.rawFile(of: next) != nil)
    await library.close()
  }

  @Test(arguments: [ENOSPC, EIO]) func aStillIsStagedAloneWhereThereIsNoRoomForItsDNG(code: Int32) async throws {
    let scratch = try Scratch()
    let small = SmallDisk()
    let library = try await scratch.library(disk: small.disk)
    small.refuse(with: code)
    let staged = try await library.stage(
      Samples.jpeg(), metadata: Samples.metadata(), rawFrame: Samples.rawFrame())
    #expect(staged.raw == nil)
    #expect(FileManager.default.fileExists(atPath: staged.path))
    let asset = try await library.createAsset(AssetCreationRequest(staged: staged))
    #expect(scratch.files() == ["\(Self.name).jpg"])
    #expect(asset.id == staged.id)
    await library.close()
  }

  @Test func aStagedDNGIsMovedWhereThereIsNoRoomForTwo() async throws {
    let scratch = try Scratch()
    let small = SmallDisk()
    let library = try await scratch.library(disk: small.disk)
    let staged = try await library.stage(
      Samples.jpeg(), metadata: Samples.metadata(), rawFrame: Samples.rawFrame())
    small.refuse(with: ENOSPC)
    let asset = try await library.createAsset(AssetCreationRequest(staged: staged))
    #expect(scratch.files().filter { !$0.hasPrefix(".") } == ["\(Self.name).dng", "\(Self.name).jpg"])
    #expect(await library.rawFile(of: asset) != nil)
    await library.close()
  }

  @Test func aBetterStillKeepsItsDNG() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let first = try await library.stage(
      Samples.jpeg(), metadata: Samples.metadata(), rawFrame: Samples.rawFrame())
    let better = try await library.restage(first, with: Samples.jpeg(shade: 7))
    let asset = try await library.createAsset(AssetCreationRequest(staged: better))
    #expect(await library.rawFile(of: asset) != nil)
    #expect(scratch.files().filter { !$0.hasPrefix(".") } == ["\(Self.name).dng", "\(Self.name).jpg"])
    await library.close()
  }
}
