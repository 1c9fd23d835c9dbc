// Folders of the library's own that somebody has replaced by something else.

import CameraCore
import Foundation
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct LinkedFolderTests {
  @Test(arguments: ["assets", "albums", "originals", "journal", "kept", "waiting"], [true, false])
  func aLinkInThePlaceOfAFolderIsSaid(name: String, isLink: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    _ = try await library.shoot()
    let path = "\(scratch.pictures.path)/.photome/\(name)"
    try? FileManager.default.removeItem(atPath: path)
    if isLink {
      let outside = "\(scratch.path)/outside"
      try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
    } else {
      try scratch.put(Data(), ".photome/\(name)")
    }
    let found = try await library.verify()
    #expect(found.problems.map(\.path) == [path] && found.problems.first?.kind == .folderUnreadable, "\(found)")
    #expect(found.problems.first?.advice.contains("link") == isLink, "\(found)")
    await library.close()
  }

  /// An interrupted change waits for a disk, or is given up.
  @Test(arguments: ["waiting", "kept"], [true, false])
  func whatIsInTheWayOfAJournalIsSaidInSentences(name: String, isLink: Bool) async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    _ = try await library.shoot()
    await library.close()
    let path = "\(scratch.pictures.path)/.photome/\(name)"
    if isLink {
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: scratch.path)
    } else {
      try scratch.put(Data(), ".photome/\(name)")
    }
    let token = LibraryFolder.makeToken()
    var journal = Journal(steps: [.remove(path: name == "kept" ? "/etc/a" : "2027-01/a.jpg", number: 1)])
    journal.disks = ["2027-01"]
    try scratch.put(journal.json(), ".photome/journal/\(token).1.json")
    let next = try await scratch.library()
    let words = next.recovery.map(\.description).joined(separator: "\n")
    #expect(words.contains("can’t be finished") && !words.contains(".."), "\(words)")
    #expect(scratch.files().contains { $0.hasPrefix(".photome/kept") && $0.hasSuffix("\(token).1.json") })
    await next.close()
  }

  @Test func theAdviceFitsWhatIsThere() async throws {
    let scratch = try Scratch()
    let file = try scratch.put(Data(), "a")
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await PhotoLibrary.open(at: file, index: scratch.index)
    }
    #expect(error?.description.contains("Create it") == false, "\(error as Any)")
    let missing = PhotoLibraryError.folderUnavailable(path: "/a", reason: .missing).description
    #expect(missing.hasSuffix("Create it, or choose another folder."))
    // The reason may be a sentence.
    let note = RecoveryNote.couldNotRecover(path: "/a", reason: "“/a” can’t be used: it isn’t a file.")
    #expect(!note.description.hasSuffix(".."))
  }
}
