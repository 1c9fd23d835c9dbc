// Names that a rename had reserved where nothing can be renamed without replacing, found while a library is open.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct ReservedNameTests {
  /// Another program died between the reservation of the name and the rename; this one finds its hidden file first.
  @Test func aReservedNameGoesWithItsFile() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let token = LibraryFolder.makeToken()
    let left = [".IMG_1.MP.jpg.\(token).2.tmp", "IMG_1.jpg", "IMG_1_2.jpg"]
    let empty = ["IMG_12.jpg", "IMG_1.txt", "IMG_1_3.todo"]
    // They come all at once: one after another, the library could look between two of them.
    let folder = scratch.url.appendingPathComponent("month")
    for one in [folder, scratch.pictures] {
      try FileManager.default.createDirectory(at: one, withIntermediateDirectories: true)
    }
    for name in left + empty {
      try Data((name.hasPrefix(".") ? "half" : "").utf8).write(to: folder.appendingPathComponent(name))
    }
    try FileManager.default.moveItem(at: folder, to: scratch.pictures.appendingPathComponent("2026-11"))
    try await library.refresh()
    let stayed = Set(scratch.files().filter { $0.hasPrefix("2026-11/") })
    #expect(stayed == Set(empty.map { "2026-11/\($0)" }))
    await library.close()
  }

  /// The still of a live photo was being put aside: nobody has been told of it yet.
  @Test func theReservedNameOfAStagedStillGoes() async throws {
    let scratch = try Scratch()
    try await scratch.library().close()
    let token = LibraryFolder.makeToken()
    let name = "IMG_20261121_101010_123_\(Asset.makeID()).jpg"
    try scratch.put(Data(), ".photome/incoming/\(token).lock")
    try scratch.put(Data(), ".photome/incoming/\(token)/\(name)")
    try scratch.put(Samples.jpeg(), ".photome/incoming/\(token)/.\(name).\(token).1.tmp")
    let library = try await scratch.library()
    #expect(Set(library.recovery.map(\.isLeftover)) == [true], "\(library.recovery)")
    #expect(try await library.verify().isClean)
    await library.close()
    #expect(scratch.remains().isEmpty, "\(scratch.remains())")
  }

  /// A long name is cut for the hidden one; what is left of it is the same for both pictures.
  @Test func aLongNameThatIsNotSureGivesNothingAway() async throws {
    let scratch = try Scratch()
    let stem = String(repeating: "A", count: 230)
    let (first, second) = (try Samples.jpeg(shade: 1), try Samples.jpeg(shade: 2))
    for isReserved in [true, false] {
      let aside = LibraryFolder.asideName(for: "\(stem)x1.jpg", token: LibraryFolder.makeToken(), number: 6)
      try scratch.put(first, "2026-11/\(aside)")
      if isReserved { try scratch.put(Data(), "2026-11/\(stem)x1.jpg") }
      try scratch.put(second, "2026-11/\(stem)x2.jpg")
      let library = try await scratch.library()
      try await library.refresh()
      let contents = try scratch.files().filter { $0.hasPrefix("2026-11/") }.map {
        try Data(contentsOf: scratch.pictures.appendingPathComponent($0))
      }
      #expect(contents.contains(first) && contents.contains(second) && contents.count == 2, "\(scratch.files())")
      await library.close()
      try FileManager.default.removeItem(at: scratch.pictures.appendingPathComponent("2026-11"))
    }
  }
}

extension RecoveryNote {
  fileprivate var isLeftover: Bool { if case .removedLeftover = self { true } else { false } }
}
