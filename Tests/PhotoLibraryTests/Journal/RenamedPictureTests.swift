// Interrupted changes to pictures that somebody has renamed before they are finished.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct RenamedPictureTests {
  private func includingHidden(_ library: PhotoLibrary) async throws -> [Asset] {
    var options = FetchOptions()
    options.includesHidden = true
    return try await library.fetch(options).allAssets()
  }

  private func isHot(_ scratch: Scratch) -> Bool {
    scratch.files().contains { $0.hasPrefix(".photome/journal/") }
  }

  private func move(_ from: String, to: String) throws {
    try FileManager.default.createDirectory(atPath: Disk.parent(of: to), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: from, toPath: to)
  }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  // MARK: Deleting

  enum Deletion: CaseIterable {
    case trash, permanently, permanentlyInTrash
  }

  /// An edited and hidden picture is being deleted; before the next start somebody has given it another name.
  @Test(arguments: Deletion.allCases, ["2026-11/rescued.jpg", "Rescued/rescued.jpg"])
  func aPictureThatWasRescuedStaysAsItIs(deletion: Deletion, name: String) async throws {
    var number = 1
    var rescued = 0
    while true {
      let scratch = try Scratch()
      let death = Death(at: number)
      let dying = try await scratch.library(disk: death.disk)
      let asset = try await dying.addPhoto()
      let original = try Data(contentsOf: asset.url)
      try await dying.editPhoto(asset.id, shade: 10)
      try await dying.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
      let edited = try Data(contentsOf: asset.url)
      try await dying.refresh()
      let trashed = deletion == .permanentlyInTrash ? try await dying.trash([asset.id]) : []
      death.arm()
      do {
        switch deletion {
        case .trash: _ = try await dying.trash([asset.id])
        case .permanently: try await dying.performChanges { $0.deletePermanently([asset.id]) }
        case .permanentlyInTrash: try await dying.deletePermanently(trashed)
        }
      } catch { #expect(death.hasCome, "\(error)") }
      await Death.bury(dying)
      let place = "killed at \(number)"
      let isLast = !death.hasCome
      number += 1
      let path = trashed.first?.trashedURL.path ?? asset.url.path
      if isHot(scratch), exists(path) {
        rescued += 1
        let target = scratch.pictures.path + "/" + name
        try move(path, to: target)
        for turn in 1...2 {
          let library = try await scratch.library()
          try await library.refresh()
          #expect(try await library.fetchAssets().isEmpty, "\(place): shown")
          let found = try await includingHidden(library)
          #expect(found.map(\.id) == [asset.id] && found.first?.isEdited == true, "\(place): \(found)")
          let isSaid = library.recovery.contains { $0.description.contains("rescued.jpg") }
          #expect(isSaid == (turn == 1), "\(place): \(library.recovery)")
          #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == edited, "\(place)")
          await library.close()
        }
        let library = try await scratch.library()
        try await library.refresh()
        try await library.performChanges { $0.change(.revert(asset.id)) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == original, "\(place)")
        #expect(scratch.remains().isEmpty, "\(place): \(scratch.remains())")
        await library.close()
      }
      if isLast { break }
    }
    #expect(rescued > 0)
  }

  // MARK: Changing

  enum Change: CaseIterable {
    case favorite, edit, revert
  }

  /// The picture's new name, and whether another picture gets its old one.
  enum Move: CaseIterable {
    case renamed, moved, exchanged
  }

  /// A hidden picture is being changed; before the next start somebody has given it another name.
  @Test(arguments: Change.allCases, Move.allCases)
  func aHiddenPictureThatWasRenamedIsChangedAndStaysHidden(change: Change, move: Move) async throws {
    var number = 1
    var finished = 0
    while true {
      let scratch = try Scratch()
      let death = Death(at: number)
      let dying = try await scratch.library(disk: death.disk)
      let asset = try await dying.addPhoto()
      if change == .revert { try await dying.editPhoto(asset.id, shade: 10) }
      try await dying.performChanges { $0.change(AssetChangeRequest(for: asset.id, isHidden: true)) }
      try await dying.refresh()
      let before = try Data(contentsOf: asset.url)
      death.arm()
      do {
        switch change {
        case .favorite:
          try await dying.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
        case .edit: try await dying.editPhoto(asset.id, shade: 30)
        case .revert: try await dying.performChanges { $0.change(.revert(asset.id)) }
        }
      } catch { #expect(death.hasCome, "\(error)") }
      await Death.bury(dying)
      let place = "killed at \(number)"
      let isLast = !death.hasCome
      number += 1
      let isHot = isHot(scratch)
      if isHot, try Data(contentsOf: asset.url) == before {
        finished += 1
        let target = scratch.pictures.path + (move == .moved ? "/Beach/beach.jpg" : "/2026-11/beach.jpg")
        try self.move(asset.url.path, to: target)
        let other = try Samples.jpeg(shade: 200)
        if move == .exchanged { try other.write(to: asset.url) }
        let library = try await scratch.library()
        try await library.refresh()
        let shown = try await library.fetchAssets().map(\.url.lastPathComponent)
        #expect(shown == (move == .exchanged ? [asset.url.lastPathComponent] : []), "\(place): \(shown)")
        if move == .exchanged { #expect(try Data(contentsOf: asset.url) == other, "\(place)") }
        let names = scratch.files().filter { !$0.hasPrefix(".") }
        #expect(names.count == (move == .exchanged ? 2 : 1), "\(place): \(names)")
        let found = try #require(try await library.asset(id: asset.id), "\(place)")
        #expect(found.url.path == target && found.isHidden, "\(place): \(found)")
        switch change {
        case .favorite: #expect(found.isFavorite, "\(place)")
        case .edit: #expect(found.isEdited, "\(place)")
        case .revert: #expect(!found.isEdited, "\(place)")
        }
        #expect(try Data(contentsOf: found.url) != before, "\(place)")
        #expect(scratch.remains().isEmpty, "\(place): \(scratch.remains())")
        let checked = try await library.verify()
        #expect(checked.isClean, "\(place): \(checked.problems)")
        await library.close()
      }
      if isLast { break }
    }
    #expect(finished > 0)
  }

  // MARK: Copies

  /// A copy with the picture's time isn't taken for the picture, which the change itself has put aside.
  @Test(arguments: [true, false], [true, false])
  func aCopyIsNotTakenForThePicture(deletes: Bool, hasLinks: Bool) async throws {
    let system: any FileSystem = hasLinks ? KernelFileSystem() : InterruptedChangeTests.Linkless(renamesNew: true)
    var number = 1
    var hot = 0
    while true {
      let scratch = try Scratch()
      let death = Death(at: number)
      let dying = try await scratch.library(disk: Disk(system: system, fault: death.disk.fault))
      let asset = try await dying.addPhoto()
      if deletes { try await dying.editPhoto(asset.id, shade: 10) }
      try await dying.refresh()
      let copy = scratch.pictures.path + "/2026-11/copy.jpg"
      let before = try Data(contentsOf: asset.url)
      try before.write(to: URL(fileURLWithPath: copy))
      var status = stat()
      #expect(lstat(asset.url.path, &status) == 0)
      #expect(utimensat(AT_FDCWD, copy, [status.st_atim, status.st_mtim], 0) == 0)
      try await dying.refresh()
      death.arm()
      do {
        if deletes {
          try await dying.performChanges { $0.deletePermanently([asset.id]) }
        } else {
          try await dying.editPhoto(asset.id, shade: 30)
        }
      } catch { #expect(death.hasCome, "\(error)") }
      await Death.bury(dying)
      let place = "killed at \(number), \(scratch.files())"
      let isLast = !death.hasCome
      number += 1
      let isHot = isHot(scratch)
      if isHot { hot += 1 }
      let library = try await scratch.library(disk: Disk(system: system))
      try await library.refresh()
      #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == before, "\(place)")
      if isHot, deletes {
        #expect(!exists(asset.url.path), "\(place)")
        #expect(!scratch.files().contains { $0.hasPrefix(".photome/originals/") }, "\(place): \(library.recovery)")
      } else if isHot {
        #expect(try await library.asset(id: asset.id)?.url == asset.url, "\(place)")
        #expect(try Data(contentsOf: asset.url) != before, "\(place)")
      }
      #expect(scratch.remains().isEmpty, "\(place): \(scratch.remains())")
      await library.close()
      if isLast { break }
    }
    #expect(hot > 0)
  }

  // MARK: Folders

  /// Several pictures are being changed; before the next start somebody has renamed their folder.
  @Test func aChangeIsFinishedInAFolderThatWasRenamed() async throws {
    var number = 1
    var finished = 0
    while true {
      let scratch = try Scratch()
      let death = Death(at: number)
      let dying = try await scratch.library(disk: death.disk)
      var ids: [Asset.ID] = []
      for shade in 1...3 { ids.append(try await dying.addPhoto(shade: UInt8(shade * 60), second: Double(shade)).id) }
      try await dying.refresh()
      let chosen = ids
      death.arm()
      do {
        try await dying.performChanges { changes in
          for id in chosen { changes.change(AssetChangeRequest(for: id, isFavorite: true)) }
        }
      } catch { #expect(death.hasCome, "\(error)") }
      await Death.bury(dying)
      let place = "killed at \(number)"
      let isLast = !death.hasCome
      number += 1
      if isHot(scratch) {
        finished += 1
        try move(scratch.pictures.path + "/2026-11", to: scratch.pictures.path + "/Bern")
        let library = try await scratch.library()
        try await library.refresh()
        let found = try await library.fetchAssets()
        #expect(Set(found.map(\.id)) == Set(ids) && found.allSatisfy(\.isFavorite), "\(place): \(found)")
        #expect(found.allSatisfy { $0.url.path.contains("/Bern/") }, "\(place): \(found)")
        #expect(!scratch.files().contains { $0.hasPrefix(".photome/kept/") }, "\(place): \(library.recovery)")
        #expect(scratch.remains().isEmpty, "\(place): \(scratch.remains())")
        let checked = try await library.verify()
        #expect(checked.isClean, "\(place): \(checked.problems)")
        await library.close()
      }
      if isLast { break }
    }
    #expect(finished > 0)
  }
}
