// SIGINT and SIGTERM during an import and during captures.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct InterruptionTests {
  /// Of a report, what these tests need.
  private struct Imported: Decodable {
    struct File: Decodable {
      var path: String
      var source: String
    }
    var imported: [File]
  }

  private struct Shot: Decodable { var path: String }

  private struct Checked: Decodable {
    var clean: Bool
    var assets: Int
  }

  private func start(_ place: Place, _ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(
      Command.products.appendingPathComponent("photomectl").path, arguments + place.library,
      environment: place.environment, in: place.folder)
  }

  private func end(_ child: ChildProcess, by signal: Int32) {
    if signal == SIGINT { child.interrupt() } else { child.terminate() }
  }

  /// Everything that a dead process would have left.
  private func remains(_ place: Place) throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: place.folder.path + "/Library")
    return names.filter { $0.hasSuffix(".tmp") || $0.contains("/incoming/") || $0.contains("/journal/") }
  }

  private func pictures(_ place: Place) throws -> Set<String> {
    let folder = place.folder.resolvingSymlinksInPath().path + "/Library"
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    return Set(names.filter { $0.hasSuffix(".jpg") && !$0.hasPrefix(".") }.map { "\(folder)/\($0)" })
  }

  @Test(arguments: [SIGINT, SIGTERM]) func anImportEndsBetweenTwoFiles(signal: Int32) async throws {
    let place = try Place()
    let count = 300
    let card = place.folder.appendingPathComponent("card", isDirectory: true)
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    for number in 0..<count {
      // No two alike: the sides differ, or what follows the picture does.
      let picture = HandMadeJPEG(side: 16 * (1 + number % 20)).data + Data("\(number)".utf8)
      let file = card.appendingPathComponent("\(1000 + number).jpg")
      try picture.write(to: file)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_795_242_666)], ofItemAtPath: file.path)
    }
    let library = place.folder.path + "/Library"
    try FileManager.default.createDirectory(atPath: library + "/.photome", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: library + "/2026-11", withIntermediateDirectories: true)
    let arrivals = try FolderArrivals(library + "/2026-11")
    let child = try start(place, ["library", "import", card.path, "--json"])
    // A picture is there: the import is under way. Then it is held up where it can be interrupted, before another file; on
    // the thread that saw the picture, as others may have to wait for their turn.
    let lock = await arrivals.first(where: { $0.hasSuffix(".jpg") && !$0.hasPrefix(".") }) { _ in
      let lock = open(library + "/.photome/lock", O_RDWR | O_CLOEXEC)
      while flock(lock, LOCK_EX) != 0, errno == EINTR {}
      return lock
    }
    #expect(lock >= 0)
    end(child, by: signal)
    close(lock)
    var output = ""
    for await line in child.lines { output += line + "\n" }
    #expect(try await child.exitStatus() == 128 + signal, "\(child.errorText)")
    let report = try JSONDecoder().decode(Imported.self, from: Data(output.utf8))
    #expect(report.imported.count > 0 && report.imported.count < count)
    let saved = try pictures(place)
    #expect(Set(report.imported.map(\.path)) == saved)
    #expect(child.errorText.contains("The import was interrupted. The \(report.imported.count) file"))
    // On a slow machine it has said before that it waits for the lock.
    let said = child.errorText.split(separator: "\n").filter {
      !$0.contains("another program that is changing the library")
    }
    #expect(said.count == 1)
    for one in report.imported {
      #expect(
        try Data(contentsOf: URL(fileURLWithPath: one.path)) == Data(contentsOf: URL(fileURLWithPath: one.source)))
    }
    #expect(try remains(place) == [])
    let checked = try place.decode(Checked.self, ["library", "verify", "--json"] + place.library)
    #expect(checked.clean && checked.assets == report.imported.count)
    // Again, to the end.
    let rest = try place.decode(Imported.self, ["library", "import", card.path, "--json"] + place.library)
    #expect(rest.imported.count == count - report.imported.count)
    #expect(try place.decode(Checked.self, ["library", "verify", "--json"] + place.library).assets == count)
  }

  @Test(arguments: [SIGINT, SIGTERM]) func photosThatAreUnderWayAreSaved(signal: Int32) async throws {
    let place = try Place()
    let child = try start(
      place, ["capture", "--camera", "test", "--count", "10000", "--interval", "0.02", "--json"])
    var shots: [Shot] = []
    for await line in child.lines {
      shots.append(try JSONDecoder().decode(Shot.self, from: Data(line.utf8)))
      if shots.count == 3 { end(child, by: signal) }
    }
    #expect(try await child.exitStatus() == 128 + signal, "\(child.errorText)")
    #expect(child.errorText.contains("Interrupted. \(shots.count) of 10,000 photos were taken"), "\(child.errorText)")
    let saved = try pictures(place)
    #expect(Set(shots.map(\.path)) == saved)
    #expect(try remains(place) == [])
    let checked = try place.decode(Checked.self, ["library", "verify", "--json"] + place.library)
    #expect(checked.clean && checked.assets == shots.count)
  }

  @Test func liveShotsThatAreUnderWayAreFinished() async throws {
    let place = try Place()
    let incoming = place.folder.path + "/Library/.photome/incoming"
    try FileManager.default.createDirectory(atPath: incoming, withIntermediateDirectories: true)
    let sessions = try FolderArrivals(incoming)
    // Each shot that begins before this test gets a thread again has to be finished: few of them.
    let child = try start(
      place, ["capture", "--camera", "test", "--microphone", "none", "--live", "--count", "10000", "--interval", "5"])
    // The still of the first is safe: its movie is still being gathered.
    let session = await sessions.first { !$0.hasSuffix(".lock") }
    let stills = try FolderArrivals("\(incoming)/\(session)")
    if !(try FileManager.default.contentsOfDirectory(atPath: "\(incoming)/\(session)")).contains(where: Self.isStill) {
      _ = await stills.first(where: Self.isStill)
    }
    child.terminate()
    var paths: Set<String> = []
    for await line in child.lines { paths.insert(line) }
    #expect(try await child.exitStatus() == 128 + SIGTERM, "\(child.errorText)")
    let saved = try pictures(place)
    #expect(!paths.isEmpty && paths == saved && paths.allSatisfy { $0.hasSuffix(".MP.jpg") })
    #expect(try remains(place) == [])
    let checked = try place.decode(Checked.self, ["library", "verify", "--json"] + place.library)
    #expect(checked.clean && checked.assets == paths.count)
  }

  private static func isStill(_ name: String) -> Bool { name.hasPrefix("IMG_") && name.hasSuffix(".jpg") }
}

/// Names that appear in a folder, as they do.
private final class FolderArrivals: Sendable {
  private let descriptor: Int32

  init(_ folder: String) throws {
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0, inotify_add_watch(descriptor, folder, UInt32(IN_CREATE | IN_MOVED_TO)) >= 0 else {
      throw CommandFailure(output: "\(folder) can't be watched: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// Waits for a name on a thread of its own.
  func first(where isWanted: @escaping @Sendable (String) -> Bool) async -> String {
    await first(where: isWanted) { $0 }
  }

  /// The same, and does something with the name at once, on that thread.
  func first<R: Sendable>(
    where isWanted: @escaping @Sendable (String) -> Bool, then body: @escaping @Sendable (String) -> R
  ) async -> R {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in continuation.resume(returning: body(wait(for: isWanted))) }
    }
  }

  private func wait(for isWanted: (String) -> Bool) -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return "" }
      var offset = 0
      while offset < count {
        let length = buffer.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)) }
        let name = buffer[offset + 16..<offset + 16 + length].prefix { $0 != 0 }
        let text = String(decoding: name, as: UTF8.self)
        if isWanted(text) { return text }
        offset += 16 + length
      }
    }
  }
}
