// Interrupted changes whose files can't be seen for a moment, or are gone when they are to be finished.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct UnseenFileTests {
  /// A file system that can't look at one file, once.
  private final class Blinking: FileSystem {
    private let base: any FileSystem
    private let ending: String
    private let isArmed = Atomic<Bool>(true)

    init(_ base: any FileSystem, at ending: String) { (self.base, self.ending) = (base, ending) }

    func lstat(_ path: UnsafePointer<CChar>, _ status: inout Glibc.stat) -> Int32 {
      if String(cString: path).hasSuffix(ending), isArmed.exchange(false, ordering: .sequentiallyConsistent) {
        errno = EIO
        return -1
      }
      return base.lstat(path, &status)
    }

    func link(_ path: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>) -> Int32 { base.link(path, second) }
    func renameNew(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 { base.renameNew(from, to) }
  }

  enum Change: CaseIterable {
    case favorite
    case edit
  }

  /// The file system, and what becomes of a file that a journal names.
  enum Trouble: CaseIterable {
    case unseen
    case gone
    case unseenWithoutLinks
    case goneWithoutLinks

    var hasLinks: Bool { self == .unseen || self == .gone }
    var isGone: Bool { self == .gone || self == .goneWithoutLinks }
  }

  private func system(hasLinks: Bool) -> any FileSystem {
    hasLinks ? KernelFileSystem() : InterruptedChangeTests.Linkless(renamesNew: false)
  }

  private func change(_ library: PhotoLibrary, _ id: Asset.ID, _ change: Change) async throws {
    var request = AssetChangeRequest(for: id)
    switch change {
    case .favorite: request.isFavorite = true
    case .edit:
      request.contentEditingOutput = ContentEditingOutput(
        photo: try Samples.jpeg(shade: 10),
        adjustmentData: AdjustmentData(formatIdentifier: "test", formatVersion: "1", data: Data()))
    }
    let made = request
    try await library.performChanges { $0.change(made) }
  }

  /// A library with one picture, in the middle of whose change the process was killed.
  private struct Ground {
    let scratch: Scratch
    let asset: Asset
    let original: Data
    /// Whether the change was done before the process was to be killed.
    let isDone: Bool
  }

  private func ground(_ change: Change, hasLinks: Bool, killedAt number: Int) async throws -> Ground {
    let scratch = try Scratch()
    let death = Death(at: number)
    let library = try await scratch.library(disk: Disk(system: system(hasLinks: hasLinks), fault: death.disk.fault))
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    try await library.refresh()
    let original = try Data(contentsOf: asset.url)
    death.arm()
    do { try await self.change(library, asset.id, change) } catch { #expect(death.hasCome, "\(error)") }
    await Death.bury(library)
    return Ground(scratch: scratch, asset: asset, original: original, isDone: !death.hasCome)
  }

  /// The files that the journals of dead processes still have to rename, relative to the library's folder.
  private func temporaries(_ scratch: Scratch) throws -> [String] {
    var found: [String] = []
    for name in scratch.files() where name.hasPrefix(".photome/journal/") {
      let journal = try Journal(of: scratch.pictures.path + "/" + name, disk: Disk())
      found += journal.steps.flatMap(\.paths).filter { $0.hasSuffix(".tmp") }
    }
    return found.filter { FileManager.default.fileExists(atPath: scratch.pictures.path + "/" + $0) }
  }

  /// The contents of all files of the library.
  private func contents(_ scratch: Scratch) throws -> Set<Data> {
    Set(try scratch.files().map { try Data(contentsOf: scratch.pictures.appendingPathComponent($0)) })
  }

  @Test(arguments: Change.allCases, Trouble.allCases)
  func aStepWhoseFileCannotBeSeenIsNotDone(change: Change, trouble: Trouble) async throws {
    let (hasLinks, isGone) = (trouble.hasLinks, trouble.isGone)
    var number = 1
    var count = 0
    sweep: while true {
      var which = 0
      while true {
        let ground = try await ground(change, hasLinks: hasLinks, killedAt: number)
        if ground.isDone { break sweep }
        let scratch = ground.scratch
        let temporaries = try temporaries(scratch)
        guard which < temporaries.count else { break }
        let name = temporaries[which]
        let place = "killed at \(number), without \(Disk.name(of: name)), \(scratch.files())"
        let system = system(hasLinks: hasLinks)
        if isGone { try FileManager.default.removeItem(atPath: scratch.pictures.path + "/" + name) }
        let blinking = isGone ? system : Blinking(system, at: Disk.name(of: name))
        for turn in [blinking, system] {
          let library = try await scratch.library(disk: Disk(system: turn))
          try await library.refresh()
          await library.close()
          if change == .edit {
            #expect(try contents(scratch).contains(ground.original), "the original is gone: \(place)")
          }
        }
        #expect(try Data(contentsOf: ground.asset.url).isEmpty == false, "the picture is empty: \(place)")
        let library = try await scratch.library(disk: Disk(system: system))
        try await library.refresh()
        #expect(try await library.fetchAssets().map(\.id) == [ground.asset.id], "\(place)")
        if !isGone {
          let asset = try #require(try await library.asset(id: ground.asset.id))
          #expect(change == .edit ? asset.isEdited : asset.isFavorite, "\(place)")
          #expect(scratch.remains().isEmpty, "\(scratch.remains()), \(place)")
        }
        // Nothing keeps the next change from being made.
        try await library.performChanges { $0.change(AssetChangeRequest(for: ground.asset.id, isHidden: true)) }
        await library.close()
        count += 1
        which += 1
      }
      number += 1
    }
    #expect(count > 2)
  }

  /// The hidden folder is gone, and with it the journal that speaks of the file.
  @Test func aFileThatWasRenamedAsideComesBack() async throws {
    var number = 1
    while true {
      let ground = try await ground(.favorite, hasLinks: false, killedAt: number)
      let scratch = ground.scratch
      let hidden = scratch.pictures.appendingPathComponent(".photome")
      try FileManager.default.removeItem(at: hidden)
      try FileManager.default.createDirectory(at: hidden, withIntermediateDirectories: false)
      await scratch.waitUntilIndexIsClosed()
      try scratch.removeIndex()
      let library = try await scratch.library(disk: Disk(system: system(hasLinks: false)))
      try await library.refresh()
      #expect(
        (try? Data(contentsOf: ground.asset.url))?.isEmpty == false, "killed at \(number): \(scratch.files())")
      #expect(try await library.fetchAssets().map(\.id) == [ground.asset.id], "killed at \(number)")
      #expect(scratch.files().filter { $0.hasPrefix("2026-11/") }.count == 1, "killed at \(number): \(scratch.files())")
      await library.close()
      if ground.isDone { break }
      number += 1
    }
  }
}
