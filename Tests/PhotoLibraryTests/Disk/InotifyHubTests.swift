// One inotify instance for all libraries: listeners get their events, and leave nothing behind.

import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct InotifyHubTests {
  private let scratch: Scratch
  private let hub = InotifyHub()
  private static let mask = UInt32(IN_CREATE | IN_MOVED_TO)

  init() throws { scratch = try Scratch() }

  private func folder(_ name: String) throws -> String {
    let url = scratch.url.appendingPathComponent(name, isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url.path
  }

  /// A listener whose events can be awaited.
  private final class Ear: Sendable {
    let listener: InotifyHub.Listener
    let events: AsyncStream<InotifyHub.Event>

    init(_ hub: InotifyHub) {
      let (events, sink) = AsyncStream.makeStream(of: InotifyHub.Event.self)
      self.events = events
      listener = hub.listen { for event in $0 { sink.yield(event) } }
    }

    func next() async -> InotifyHub.Event? {
      for await event in events { return event }
      return nil
    }
  }

  /// As many as the kernel keeps for the hub.
  private func watchCount() throws -> Int {
    guard let descriptor = hub.descriptor else { return 0 }
    let text = try String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
    return text.split(separator: "\n").count { $0.hasPrefix("inotify") }
  }

  @Test func twoOnOneFolderAreToldWhatTheyAskedFor() async throws {
    let folder = try folder("shared")
    let (first, second) = (Ear(hub), Ear(hub))
    let watch = try first.listener.watch(folder, UInt32(IN_CREATE)).get()
    #expect(try second.listener.watch(folder, UInt32(IN_DELETE)).get() == watch)
    #expect(try watchCount() == 1)
    try Data().write(to: URL(fileURLWithPath: folder + "/a"))
    try FileManager.default.removeItem(atPath: folder + "/a")
    #expect(await first.next() == InotifyHub.Event(watch: watch, mask: UInt32(IN_CREATE), name: "a"))
    #expect(await second.next() == InotifyHub.Event(watch: watch, mask: UInt32(IN_DELETE), name: "a"))
    // One goes; the other is still told.
    first.listener.end()
    #expect(try watchCount() == 1)
    try Data().write(to: URL(fileURLWithPath: folder + "/b"))
    try FileManager.default.removeItem(atPath: folder + "/b")
    #expect(await second.next()?.name == "b")
    second.listener.stopWatching(watch)
    #expect(try watchCount() == 0)
    #expect(first.listener.watch(folder, Self.mask) == .failure(.noFolder))
  }

  @Test func aFolderThatGoesIsToldToAll() async throws {
    let folder = try folder("short-lived")
    let ears = [Ear(hub), Ear(hub)]
    for ear in ears { _ = try ear.listener.watch(folder, UInt32(IN_DELETE_SELF)).get() }
    rmdir(folder)
    for ear in ears {
      #expect(await ear.next().map { $0.mask & UInt32(IN_DELETE_SELF) != 0 } == true)
      #expect(await ear.next().map { $0.mask & UInt32(IN_IGNORED) != 0 } == true)
    }
    #expect(try watchCount() == 0)
    // It may be made again.
    _ = try self.folder("short-lived")
    let watch = try ears[0].listener.watch(folder, Self.mask).get()
    ears[0].listener.stopWatching(watch)
    #expect(try watchCount() == 0)
  }

  @Test func lostNoticesAreToldToAll() async throws {
    let ears = [Ear(hub), Ear(hub)]
    _ = try ears[0].listener.watch(folder("a"), Self.mask).get()
    hub.deliver([InotifyHub.Event(watch: -1, mask: UInt32(IN_Q_OVERFLOW), name: nil)])
    for ear in ears { #expect(await ear.next()?.isOverflow == true) }
  }

  /// The kernel allows 128 instances per user.
  @Test func moreWatchersThanInstancesFollowTheirFolders() async throws {
    let (arrivals, sink) = AsyncStream.makeStream(of: Int.self)
    var watchers: [FolderWatcher] = []
    for number in 0..<200 {
      let layout = LibraryFolder(URL(fileURLWithPath: try folder("library-\(number)"), isDirectory: true))
      watchers.append(
        FolderWatcher(folder: layout, disk: Disk(), hub: hub) { events in
          if events.paths.contains(PathBytes("a.jpg")) { sink.yield(number) }
        })
    }
    for watcher in watchers { watcher.drain() }
    // Each of its own folder; the one above is everyone's.
    #expect(try watchCount() == 201)
    for number in 0..<200 {
      try Samples.jpeg(width: 16, height: 16).write(to: scratch.url.appendingPathComponent("library-\(number)/a.jpg"))
    }
    var missing = Set(0..<200)
    for await number in arrivals {
      missing.remove(number)
      if missing.isEmpty { break }
    }
    watchers.removeLast(100)
    #expect(try watchCount() == 101)
    for watcher in watchers { watcher.stop() }
    #expect(try watchCount() == 0)
  }

  @Test func noMoreWatchesAreSaidOnce() async throws {
    let isFull = Mutex(true)
    let library = try await scratch.library(
      disk: Disk { step, _ in step == .watch && isFull.withLock { $0 } ? ENOSPC : nil })
    var warnings = library.warnings().makeAsyncIterator()
    let expected = LibraryWarning.notFollowed(folder: scratch.pictures.path, limit: "fs.inotify.max_user_watches")
    #expect(await warnings.next() == expected)
    #expect(expected.description.contains("fs.inotify.max_user_watches"))
    // Changes are found by scanning.
    try scratch.put(Samples.jpeg(), "a.jpg")
    try await library.refresh()
    #expect(try await library.count() == 1)
    await library.close()
    #expect(await warnings.next() == nil)
    var later = library.warnings().makeAsyncIterator()
    #expect(await later.next() == expected)
    #expect(await later.next() == nil)
  }
}
