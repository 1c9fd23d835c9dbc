// Crashes at every step of a change: the next process finds all of it or nothing.

import CameraCore
import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

/// Every write, flush, rename and removal of each kind of change is once the last thing that a process does.
@Suite(.timeLimit(.minutes(30))) struct CrashTests {
  /// One kind of change.
  enum Scenario: String, CaseIterable, CustomTestStringConvertible {
    case favorite
    case album
    case renameAlbum
    case deleteAlbum
    case edit
    case editWithMovie
    case editAgain
    case revert
    case trash
    case restore
    case permanently
    case permanentlyInTrash
    case reverse
    case twoShots
    case takeOver
    case rawShot
    case rawTrash
    case rawRestore
    case rawPermanently
    case rawPermanentlyInTrash
    case gifEdit
    case gifRevert
    case editedDate
    case rawDate
    case pairImport
    case pairEdit
    case pairEditAgain
    case pairRevert
    case pairRename
    case pairRenameBack
    case pairTrash
    case pairRestore
    case pairPermanently
    case pairPermanentlyInTrash
    case pairDate

    var testDescription: String { rawValue }
  }

  /// The library's answers and contents, in a form that can be compared.
  struct Picture: Equatable {
    var assets: [String]
    var albums: [String]
    var files: [String: String]
  }

  func picture(_ library: PhotoLibrary, _ scratch: Scratch) async throws -> Picture {
    // In the background, a record may be told the new name of its file just now.
    try await library.refresh()
    var options = FetchOptions()
    options.includesHidden = true
    let assets = try await library.fetch(options).allAssets()
    var files: [String: String] = [:]
    // What the background scan is just writing comes and goes; `remains` finds what stays.
    for file in scratch.files() where file != ".photome/lock" && !file.hasSuffix(".tmp") {
      files[file] = AssetIdentity.digest(try Data(contentsOf: scratch.pictures.appendingPathComponent(file)))
    }
    for file in FileManager.default.enumerator(atPath: scratch.path + "/Trash")?.compactMap({ $0 as? String }) ?? []
    where [".jpg", ".dng", ".mov"].contains(where: file.lowercased().hasSuffix) {
      files["Trash/" + file] = AssetIdentity.digest(
        try Data(contentsOf: URL(fileURLWithPath: "\(scratch.path)/Trash/\(file)")))
    }
    return Picture(
      assets: assets.map { "\($0.id) \($0.url.lastPathComponent) \($0.isFavorite) \($0.isEdited) \($0.isLive)" },
      albums: try await library.fetchAlbums().map { "\($0.id) \($0.title)" }, files: files)
  }

  /// A library with something in it; the same each time, but for ids.
  private func fill(_ library: PhotoLibrary, _ scenario: Scenario) async throws -> (
    asset: Asset, trashed: [TrashedAsset]
  ) {
    let asset =
      switch scenario.rawValue {
      case let name where name.hasPrefix("gif"): try await addGIF(to: library)
      case let name where name.hasPrefix("pairRename"): try await addRawPair(to: library)
      case let name where name.hasPrefix("pair"): try await addPair(to: library)
      default: try await addLivePhoto(to: library, scenario)
      }
    switch scenario {
    case .pairEditAgain, .pairRevert: try await perform(.pairEdit, on: asset, [], in: library, try Scratch())
    case .pairRenameBack: try await perform(.pairRename, on: asset, [], in: library, try Scratch())
    case .gifRevert: try await perform(.gifEdit, on: asset, [], in: library, try Scratch())
    case .revert: try await perform(.editWithMovie, on: asset, [], in: library, try Scratch())
    case .editAgain, .editedDate: try await perform(.edit, on: asset, [], in: library, try Scratch())
    case .renameAlbum, .deleteAlbum, .reverse: try await perform(.album, on: asset, [], in: library, try Scratch())
    default: break
    }
    let isTrashed = ["estore", "InTrash"].contains(where: scenario.rawValue.hasSuffix)
    return (asset, isTrashed ? try await library.trash([asset.id]) : [])
  }

  private func addLivePhoto(to library: PhotoLibrary, _ scenario: Scenario) async throws -> Asset {
    let movie = try await Samples.movie(in: library)
    var request = try AssetCreationRequest(
      id: String(repeating: "a", count: 32), photo: Samples.jpeg(), metadata: Samples.metadata(), pairedVideo: movie,
      photoDisplayTime: 1.5)
    if scenario.rawValue.hasPrefix("raw") { request.rawFrame = try Samples.rawFrame() }
    return try await library.createAsset(request)
  }

  private func addGIF(to library: PhotoLibrary) async throws -> Asset {
    let frames = [UInt8(20), 40].map { HandMadeGIF.Frame(width: 64, height: 48, color: $0) }
    let scratch = try Scratch()
    let file = scratch.url.appendingPathComponent("Dance.gif")
    try HandMadeGIF(width: 64, height: 48, frames: frames).data.write(to: file)
    // The time of the file is that of the picture.
    try FileManager.default.setAttributes([.modificationDate: Samples.date], ofItemAtPath: file.path)
    return try await library.createAsset(AssetCreationRequest(file: file))
  }

  private func perform(
    _ scenario: Scenario, on asset: Asset, _ trashed: [TrashedAsset], in library: PhotoLibrary, _ scratch: Scratch
  ) async throws {
    switch scenario {
    case .favorite:
      try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    case .album:
      try await library.performChanges { changes in
        let album = changes.createAlbum(title: "Bern")
        changes.change(AssetCollectionChangeRequest(for: album.id, addAssets: [asset.id]))
        changes.change(AssetChangeRequest(for: asset.id, isHidden: true))
      }
    case .renameAlbum:
      let albums = try await library.fetchAlbums().map { AssetCollectionChangeRequest(for: $0.id, title: "Thun") }
      try await library.performChanges { changes in for album in albums { changes.change(album) } }
    case .deleteAlbum:
      let albums = try await library.fetchAlbums().map(\.id)
      try await library.performChanges { $0.deleteAlbums(albums) }
    case .edit, .editWithMovie, .editAgain, .gifEdit, .pairEdit, .pairEditAgain, .pairRename:
      let movie =
        Self.editsWithMovie.contains(scenario)
        ? try await Samples.movie(in: library, name: "edit.mp4", seconds: 2) : nil
      var request = AssetChangeRequest(for: asset.id, isFavorite: true)
      var output = ContentEditingOutput(
        photo: try Samples.jpeg(shade: scenario.rawValue.hasSuffix("Again") ? 30 : 10), pairedVideo: movie,
        photoDisplayTime: 1,
        adjustmentData: AdjustmentData(
          formatIdentifier: "test", formatVersion: "1", data: Data(scenario.rawValue.utf8)))
      let matte = RampMattes.matte(of: PixelSize(width: 64, height: 48), presence: scenario == .editAgain ? 0.5 : 1)
      output.mattes = StillMattes(found: matte, rendered: matte)
      request.contentEditingOutput = output
      let change = request
      try await library.performChanges { $0.change(change) }
    case .editedDate, .rawDate, .pairDate:
      // All files of an asset change, or none.
      let change = AssetChangeRequest(
        for: asset.id, creationDate: Date(timeIntervalSince1970: 1_600_000_000), timeZone: .gmt,
        location: GeoLocation(latitude: 46.948, longitude: 7.447).map { .set($0) })
      try await library.performChanges { $0.change(change) }
    case .revert, .gifRevert, .pairRevert, .pairRenameBack:
      try await library.performChanges { $0.change(.revert(asset.id)) }
    case .rawShot:
      var request = try AssetCreationRequest(
        id: String(repeating: "3", count: 32), photo: Samples.jpeg(), metadata: Samples.metadata())
      request.rawFrame = try Samples.rawFrame()
      _ = try await library.createAsset(request)
    case .trash, .rawTrash, .pairTrash:
      try await library.trash([asset.id])
    case .restore, .rawRestore, .pairRestore:
      try await library.restore(trashed)
    case .permanently, .rawPermanently, .pairPermanently:
      try await library.performChanges { $0.deletePermanently([asset.id]) }
    case .permanentlyInTrash, .rawPermanentlyInTrash, .pairPermanentlyInTrash:
      try await library.deletePermanently(trashed)
    case .reverse:
      // Takes the scenario `album` back.
      var change = ReversibleChange()
      var after = AssetRecord()
      after.isHidden = true
      for album in try await library.fetchAlbums() {
        change.collections[album.id] = .init(before: nil, after: "{}")
        after.albums[album.id] = 1
      }
      change.assets[asset.id] = .init(AssetRecord(), after)
      _ = try await library.reverse(change)
    case .twoShots:
      let requests = try (1...2).map { second in
        try AssetCreationRequest(
          id: String(repeating: "\(second)", count: 32), photo: Samples.jpeg(),
          metadata: Samples.metadata(date: Samples.date.addingTimeInterval(Double(second))))
      }
      try await library.performChanges { changes in for request in requests { changes.create(request) } }
    case .takeOver:
      let file = scratch.url.appendingPathComponent("Holiday.jpg")
      try Samples.jpeg(shade: 50).write(to: file)
      _ = try await library.createAsset(AssetCreationRequest(file: file))
    case .pairImport: try await importPair(into: library, scratch)
    }
  }

  private static let editsWithMovie: [Scenario] = [.editWithMovie, .pairEdit, .pairRename]

  private static func isSameButForAlbumIDs(_ left: Picture, _ right: Picture) -> Bool {
    // The id of a new album is another one each time; it is in the names and the contents of two files.
    func plain(_ picture: Picture) -> Picture {
      var plain = picture
      plain.albums = picture.albums.map { String($0.dropFirst(33)) }
      plain.files = picture.files.filter {
        !$0.key.hasPrefix(".photome/albums/") && !$0.key.hasPrefix(".photome/assets/")
      }
      return plain
    }
    return plain(left) == plain(right)
  }

  @Test(arguments: Scenario.allCases) func everyStepMayBeTheLast(scenario: Scenario) async throws {
    // Undisturbed, for comparison.
    let model = try Scratch()
    let untouched = try await model.library()
    let (asset, trashed) = try await fill(untouched, scenario)
    let before = try await picture(untouched, model)
    try await perform(scenario, on: asset, trashed, in: untouched, model)
    let after = try await picture(untouched, model)
    #expect(before != after)

    var number = 1
    var outcomes: Set<Bool> = []
    while true {
      let scratch = try Scratch()
      let death = Death(at: number)
      let dying = try await scratch.library(disk: death.disk)
      let (asset, trashed) = try await fill(dying, scenario)
      try await dying.refresh()
      death.arm()
      var failure: (any Error)?
      do { try await perform(scenario, on: asset, trashed, in: dying, scratch) } catch { failure = error }
      await Death.bury(dying)
      guard death.hasCome else {
        #expect(failure == nil)
        break
      }
      let next = try await scratch.library()
      try await next.refresh()
      let found = try await picture(next, scratch)
      let isNew = Self.isSameButForAlbumIDs(found, after)
      #expect(isNew || Self.isSameButForAlbumIDs(found, before), "step \(number): \(found)")
      // A change that was reported as done is done.
      if failure == nil { #expect(isNew, "step \(number)") }
      outcomes.insert(isNew)
      #expect(scratch.remains().isEmpty, "step \(number)")
      let checked = try await next.verify()
      #expect(checked.isClean, "step \(number): \(checked.problems)")
      // And it works again.
      if !isNew { try await perform(scenario, on: asset, trashed, in: next, scratch) }
      let end = try await picture(next, scratch)
      #expect(Self.isSameButForAlbumIDs(end, after), "step \(number): \(end), not \(after)")
      await next.close()
      number += 1
    }
    await untouched.close()
    // Both outcomes occurred.
    #expect(number > 3)
    #expect(outcomes.contains(false))
  }

  @Test(arguments: ["../outside.txt", "/etc/hostname", "a/../../outside.txt"])
  func aJournalOfOthersReachesForNothingOutside(path: String) async throws {
    let scratch = try Scratch()
    let outside = scratch.pictures.deletingLastPathComponent().appendingPathComponent("outside.txt")
    let journal = "\(scratch.pictures.path)/.photome/journal/\(String(repeating: "1", count: 16)).1.json"
    try FileManager.default.createDirectory(atPath: Disk.parent(of: journal), withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: outside)
    let file = try scratch.put(Data("theirs".utf8), "theirs.txt")
    let steps: [JournalStep] = [.replace(temporary: "theirs.txt", path: path)]
    try JSONEncoder().encode(Journal(steps: steps)).write(to: URL(fileURLWithPath: journal))
    let library = try await scratch.library()
    #expect(try Data(contentsOf: outside) == Data("mine".utf8))
    #expect(FileManager.default.fileExists(atPath: file.path))
    // It is given up.
    #expect(!FileManager.default.fileExists(atPath: journal))
    #expect(library.recovery.contains { if case .couldNotRecover(library.layout.kept, _) = $0 { true } else { false } })
  }
}
