// Files that another program changes in their middle, and gives their old time.

import CameraCore
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct FileMarkTests {
  /// A picture whose middle is a comment.
  private func large() throws -> Data {
    let comment = String(repeating: "x", count: 60_000)
    return try (0..<4).reduce(Samples.jpeg()) { jpeg, _ in ForeignEditors.tagged(jpeg, comment) }
  }

  private static let word = "retouched"

  /// Changes a word in the middle of a file, in place, and keeps its size and time, as `touch -r` does.
  private static func retouch(_ path: String) -> Bool {
    var status = stat()
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return false }
    defer { close(descriptor) }
    guard pwrite(descriptor, word, word.utf8.count, status.st_size / 2) == word.utf8.count else { return false }
    return futimens(descriptor, [status.st_atim, status.st_mtim]) == 0
  }

  @Test func aFileIsKnownByAllOfItsBytes() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/a.jpg"
    try large().write(to: URL(fileURLWithPath: path))
    let disk = Disk()
    let mark = try FileMark(ReadableFile(path, disk: disk), readsAll: true)
    // Another name changes its time of change only.
    #expect(link(path, path + ".2") == 0)
    #expect(mark.isMark(of: path, disk: disk))
    #expect(Self.retouch(path))
    #expect(!mark.isMark(of: path, disk: disk))
    let decoded = try JSONDecoder().decode(FileMark.self, from: JSONEncoder().encode(mark))
    #expect(decoded == mark)
  }

  /// A journal of a killed process: the other program's version stays beside.
  @Test func whatWasChangedAfterTheJournalIsKept() async throws {
    let scratch = try Scratch()
    let asset = try await scratch.asset(large())
    let token = LibraryFolder.makeToken()
    let temporary = ".photome/incoming/\(token)/.new.\(token).1.tmp"
    let new = try Data(contentsOf: asset.url) + Data("new".utf8)
    try scratch.put(new, temporary)
    let mark = try FileMark(ReadableFile(asset.url.path, disk: Disk()), readsAll: true)
    let journal = Journal(steps: [.replace(temporary: temporary, path: "a.jpg", over: .file(mark))])
    #expect(Self.retouch(asset.url.path))
    let foreign = try Data(contentsOf: asset.url)
    try scratch.put(journal.json(), ".photome/journal/\(token).2.json")
    let next = try await scratch.library()
    try await next.refresh()
    let contents = try scratch.files().filter { $0.hasPrefix("a") }.map {
      try Data(contentsOf: scratch.pictures.appendingPathComponent($0))
    }
    #expect(contents.contains(foreign))
    #expect(contents.contains(new))
    #expect(next.recovery.contains { if case .keptVersion = $0 { true } else { false } })
    await next.close()
  }

  /// The same within a living process, between the look at the file and its replacement.
  @Test func whatIsChangedMeanwhileIsNotReplaced() async throws {
    let scratch = try Scratch()
    let path = Mutex("")
    let disk = Disk { step, touched in
      // The journal is written after the picture was looked at.
      let picture = path.withLock { $0 }
      guard !picture.isEmpty, step == .rename, touched.contains("/.photome/journal/") else { return nil }
      path.withLock { $0 = "" }
      #expect(Self.retouch(picture))
      return nil
    }
    let asset = try await scratch.asset(large())
    let library = try await scratch.library(disk: disk)
    try await library.refresh()
    path.withLock { $0 = asset.url.path }
    // It is looked at anew, and changed as it is by then.
    try await library.performChanges { $0.change(AssetChangeRequest(for: asset.id, isFavorite: true)) }
    #expect(path.withLock { $0.isEmpty })
    #expect(try Data(contentsOf: asset.url).range(of: Data(Self.word.utf8)) != nil)
    #expect(try await library.asset(id: asset.id)?.isFavorite == true)
    await library.close()
  }
}
