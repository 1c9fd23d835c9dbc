// Random moves, swaps and replacements of pictures while PhotoMe is closed.

import CameraCore
import ForeignDisks
import Foundation
import TestSupport
import Testing

@testable import PhotoLibrary

/// Pictures without dates, where only paths, contents and inode numbers tell who is who.
@Suite(.timeLimit(.minutes(30))) struct RandomMoveTests {
  private struct Picture {
    var path: String
    var id: Asset.ID?
    var isFavorite = false
    /// Whether something was done with it in this round.
    var isDone = false
  }

  /// The folder, and what should be in the library.
  private struct Ground {
    let scratch: Scratch
    /// `nil` for the kernel's own file system.
    let kind: FileSystemKind?
    var mount: UInt64 = 0
    var pictures: [Picture] = []
    /// The ids that pictures ever had.
    var ids: Set<Asset.ID> = []
    /// What was done in this round.
    var steps: [String] = []
    /// The last names of favorites that were removed, whose records still tell them.
    var orphanedNames: Set<String> = []
    /// The names that nothing new may get in this round.
    var taken: Set<String> = []
    private var count = 0
    var numbers: SeededNumbers

    init(_ kind: FileSystemKind?, _ numbers: SeededNumbers) throws {
      (scratch, self.kind, self.numbers) = (try Scratch(), kind, numbers)
    }

    /// Opens the library after another mount.
    mutating func open() async throws -> PhotoLibrary {
      let library = try await scratch.library(disk: disk())
      try await library.refresh()
      return library
    }

    /// The folder after another mount.
    mutating func disk() -> Disk {
      mount += 1
      let isOnly = Bool.random(using: &numbers)
      let system = kind.map { SimulatedFileSystem($0, at: scratch.pictures.path, mount: mount, isOnly: isOnly) }
      return system.map { Disk(system: $0) } ?? Disk()
    }

    mutating func freePath() -> String {
      while true {
        let month = ["2026-08", "2026-09", "2026-10", "2026-11"].randomElement(using: &numbers) ?? ""
        let path = "\(month)/\(Int.random(in: 0..<40, using: &numbers)).jpg"
        if taken.insert(path).inserted { return path }
      }
    }

    /// Of a size of its own, as some file systems have coarse times.
    mutating func putNew(_ path: String) throws {
      count += 1
      steps.append("new at \(path)")
      let picture = ForeignEditors.stripped(
        try Samples.jpeg(width: 64, height: 48 + count, shade: UInt8(count * 7 % 256)))
      let file = scratch.pictures.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try ForeignEditors.tagged(picture, String(repeating: "x", count: 200 * count)).write(to: file, options: .atomic)
    }

    mutating func add(_ path: String) throws {
      try putNew(path)
      pictures.append(Picture(path: path, isDone: true))
    }

    /// Pictures of which nothing was done yet.
    mutating func some(_ wanted: Int) -> [Int] {
      let free = pictures.indices.filter { !pictures[$0].isDone }.shuffled(using: &numbers).prefix(wanted)
      for index in free { pictures[index].isDone = true }
      return Array(free)
    }

    /// Moves pictures to these places at once.
    mutating func move(_ moves: [(index: Int, path: String)]) throws {
      for (number, move) in moves.enumerated() {
        try FileManager.default.moveItem(
          at: scratch.pictures.appendingPathComponent(pictures[move.index].path),
          to: scratch.url.appendingPathComponent("aside-\(number)"))
      }
      for (number, move) in moves.enumerated() {
        steps.append("\(pictures[move.index].path) to \(move.path)")
        let target = scratch.pictures.appendingPathComponent(move.path)
        try FileManager.default.createDirectory(
          at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: scratch.url.appendingPathComponent("aside-\(number)"), to: target)
        pictures[move.index].path = move.path
      }
    }

    mutating func change() throws {
      taken = Set(pictures.map(\.path))
      steps = []
      for index in pictures.indices { pictures[index].isDone = false }
      for _ in 0..<4 {
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: try add(freePath())
        case 1:
          // A swap, or a cycle.
          let some = some(Int.random(in: 2...4, using: &numbers))
          let paths = some.map { pictures[$0].path }
          try move(some.enumerated().map { ($0.element, paths[($0.offset + 1) % paths.count]) })
        case 2:
          for index in some(1) { try move([(index, freePath())]) }
        case 3:
          // Each gets the name of the next one, and a new picture the name that becomes free.
          let some = some(Int.random(in: 1...3, using: &numbers))
          guard let first = some.first else { continue }
          let free = pictures[first].path
          let paths = some.dropFirst().map { pictures[$0].path } + [freePath()]
          try move(Array(zip(some, paths)))
          try add(free)
        case 4:
          // An editor saves it with other pixels.
          for index in some(1) { try putNew(pictures[index].path) }
        default:
          guard let index = some(1).first else { continue }
          steps.append("\(pictures[index].path) removed")
          if pictures[index].isFavorite { orphanedNames.insert(pictures[index].path) }
          try FileManager.default.removeItem(at: scratch.pictures.appendingPathComponent(pictures[index].path))
          pictures.remove(at: index)
        }
      }
    }

    /// Compares another index with what the library should have.
    func check(_ observer: FolderReconciler, round: Int) async throws {
      try await observer.refresh()
      for picture in pictures {
        let file = try #require(try observer.index.file(path: picture.path))
        if let id = picture.id {
          #expect(
            file.id == id && file.isFavorite == picture.isFavorite,
            "round \(round), seen at once: “\(picture.path)” is \(file.id), not \(id), after \(steps)")
        } else {
          #expect(!ids.contains(file.id), "round \(round), seen at once: new “\(picture.path)” after \(steps)")
        }
      }
    }

    /// Compares an index that is made anew with what the records tell: those of favorites name their files. A new picture
    /// with the name of one that was removed may as well be that one, saved by an editor. Where an editor has saved one under
    /// a name that the record of a removed one tells as well, nobody can know which of the two it is.
    mutating func checkAnew(round: Int) async throws {
      let disk = disk()
      let reconciler = FolderReconciler(
        folder: LibraryFolder(scratch.pictures), disk: disk,
        index: try LibraryIndex(url: nil, folder: scratch.pictures, disk: disk))
      try await reconciler.refresh()
      for picture in pictures where picture.isFavorite || picture.id == nil {
        let file = try #require(try reconciler.index.file(path: picture.path))
        let isNobody = !pictures.contains { $0.id == file.id }
        let isAmbiguous = orphanedNames.contains(picture.path) && steps.contains("new at \(picture.path)")
        let isRight = picture.id.map { file.id == $0 && file.isFavorite || isAmbiguous && isNobody } ?? isNobody
        #expect(
          isRight,
          "round \(round), seen anew: “\(picture.path)” is \(file.id), not \(picture.id ?? "new"), after \(steps)")
      }
    }

    /// Compares the library with what it should have, and learns the ids of new pictures.
    mutating func check(_ library: PhotoLibrary, round: Int) async throws {
      let assets = try await library.fetchAssets()
      #expect(assets.count == pictures.count, "round \(round)")
      for index in pictures.indices {
        let picture = pictures[index]
        let asset = try #require(try await library.asset(at: scratch.pictures.appendingPathComponent(picture.path)))
        if let id = picture.id {
          #expect(
            asset.id == id && asset.isFavorite == picture.isFavorite,
            "round \(round): “\(picture.path)” is \(asset.id), not \(id), after \(steps)")
        } else {
          #expect(!ids.contains(asset.id) && !asset.isFavorite, "round \(round): new “\(picture.path)” after \(steps)")
          let isFavorite = Bool.random(using: &numbers)
          if isFavorite {
            try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
          }
          ids.insert(asset.id)
          (pictures[index].id, pictures[index].isFavorite) = (asset.id, isFavorite)
        }
      }
    }
  }

  @Test(arguments: [nil, .vfat, .exfat, .union] as [FileSystemKind?])
  func whoeverHadAnIDKeepsIt(kind: FileSystemKind?) async throws {
    var ground = try Ground(kind, SeededNumbers.fresh())
    for _ in 0..<8 { try ground.add(ground.freePath()) }
    // Another index of the same library, which sees everything at once.
    let observer = FolderReconciler(
      folder: LibraryFolder(ground.scratch.pictures), disk: ground.disk(),
      index: try LibraryIndex(url: nil, folder: ground.scratch.pictures, disk: ground.disk()))
    for round in 0..<12 {
      if round > 0 {
        try await ground.checkAnew(round: round)
        try await ground.check(observer, round: round)
      }
      let library = try await ground.open()
      try await ground.check(library, round: round)
      await library.close()
      // What was in progress is done.
      library.reconciler.queue.sync {}
      try await observer.refresh()
      try ground.change()
    }
  }
}
