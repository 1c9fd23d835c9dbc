// Notifications of changes by other programs and other instances.

import CameraCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct FollowingTests {
  /// A tagged photo as PhotoMe writes it, to be put somewhere by hand.
  private func photo(second: Int = 0, shade: UInt8 = 128) throws -> Data {
    try PhotoAssembly.photo(
      jpeg: Samples.jpeg(shade: shade),
      metadata: Samples.metadata(date: Samples.date.addingTimeInterval(Double(second))), id: AssetIdentity.makeID())
  }

  @Test func aPhotoOfOurOwnIsToldOnce() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    try await library.refresh()
    var follower = try await Follower(library)
    let asset = try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata()))
    try await follower.wait { $0 == [asset] }
    // All events of the write have been seen, and change nothing.
    let changes = library.changes()
    try await library.refresh()
    let second = try await library.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(1))))
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next()?.inserted == [second.id])
  }

  @Test func aFileOfOurOwnIsNoticedWhereNothingIsReported() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    try await library.refresh()
    // As on a virtual machine's shared folder, whose files the kernel makes anew for each look.
    library.watcher.stop()
    var follower = try await Follower(library)
    let written = try scratch.put(photo(), "2026-12/written.jpg")
    library.noticeFile(at: written)
    try await follower.wait { $0.map(\.url) == [written] }
    // Nothing of others.
    library.noticeFile(at: URL(fileURLWithPath: "/etc/hostname"))
    try await library.refresh()
    #expect(try await library.fetchAssets().count == 1)
  }

  @Test func filesAreAddedRenamedReplacedAndRemoved() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var follower = try await Follower(library)
    // The folder itself isn't there yet.
    let first = try scratch.put(photo(second: 1), "first.jpg")
    try await follower.wait { $0.map(\.url) == [first] }
    let id = follower.shown[0].id
    // A new month.
    let second = try scratch.put(photo(second: 2), "2026-12/second.jpg")
    try await follower.wait { $0.map(\.url) == [second, first] }
    let third = try scratch.put(photo(second: 3), "2026-12/third.JPEG")
    try await follower.wait { $0.map(\.url) == [third, second, first] }

    let renamed = scratch.pictures.appendingPathComponent("2026-12/renamed, with spaces.jpg")
    try FileManager.default.moveItem(at: first, to: renamed)
    try await follower.wait { $0.last?.url == renamed }
    #expect(follower.shown.last?.id == id)

    // As an editor saves: another file under the same name.
    let replacement = try photo(second: 9)
    try replacement.write(to: third, options: .atomic)
    try await follower.wait { $0.first?.created == Samples.date.addingTimeInterval(9) && $0.count == 3 }
    // As a metadata program saves: the same file, longer.
    let handle = try FileHandle(forWritingTo: third)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(count: 10))
    try handle.close()
    try await follower.wait { $0.first?.fileSize == UInt64(replacement.count + 10) }

    try FileManager.default.removeItem(at: second)
    try await follower.wait { $0.count == 2 }
    // Moved into the library from elsewhere, without a write.
    let outside = scratch.url.appendingPathComponent("outside.jpg")
    try photo(second: 4).write(to: outside)
    try FileManager.default.moveItem(at: outside, to: scratch.pictures.appendingPathComponent("2026-12/inside.jpg"))
    try await follower.wait { $0.count == 3 }
    #expect(try await library.fetchAssets() == follower.shown)
  }

  @Test func foldersComeGoAndMove() async throws {
    let scratch = try Scratch()
    try scratch.put(photo(second: 1), "2026-10/a.jpg")
    try scratch.put(photo(second: 2), "2026-11/b.jpg")
    let library = try await scratch.library()
    var follower = try await Follower(library)
    try await follower.wait { $0.count == 2 }
    let ids = follower.shown.map(\.id)
    // A whole month under another name.
    try FileManager.default.moveItem(
      at: scratch.pictures.appendingPathComponent("2026-10"), to: scratch.pictures.appendingPathComponent("old"))
    try await follower.wait { $0.last?.url.path.hasSuffix("/old/a.jpg") == true }
    #expect(follower.shown.map(\.id) == ids)
    // It is still followed there.
    try scratch.put(photo(second: 3), "old/c.jpg")
    try await follower.wait { $0.count == 3 }
    try FileManager.default.removeItem(at: scratch.pictures.appendingPathComponent("old"))
    try await follower.wait { $0.count == 1 }
    // A month that comes with all its pictures.
    let outside = scratch.url.appendingPathComponent("2026-09")
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    for number in 0..<5 { try photo(second: 10 + number).write(to: outside.appendingPathComponent("\(number).jpg")) }
    try FileManager.default.moveItem(at: outside, to: scratch.pictures.appendingPathComponent("2026-09"))
    try await follower.wait { $0.count == 6 }
    #expect(try await library.fetchAssets() == follower.shown)
  }

  /// Has the first watch of a month wait, and notes what is done with that month. The watches may be set again later: when
  /// the kernel has lost events, of which all libraries of this process are told.
  private final class LateWatch: FileSystem {
    enum Act: Hashable {
      case watched
      case listed
    }
    let acts = Mutex<[Act]>([])
    /// Whether the first watch waits, or has waited.
    private let isWaiting = Mutex(false)
    let gate = DispatchSemaphore(value: 0)

    var disk: Disk {
      Disk(system: self) { [self] step, path in
        guard step == .watch, path.hasSuffix("/2026-11") else { return nil }
        // Whoever waits for it to open the gate fails, instead of hanging. On a busy machine the opening takes minutes.
        let isFirst = isWaiting.withLock { isWaiting in
          defer { isWaiting = true }
          return !isWaiting
        }
        if isFirst, gate.wait(timeout: .now() + 1200) == .timedOut { Issue.record("Opening waits for the watches.") }
        acts.withLock { $0.append(.watched) }
        return nil
      }
    }

    func opendir(_ path: UnsafePointer<CChar>) -> OpaquePointer? {
      if String(cString: path).hasSuffix("/2026-11") { acts.withLock { $0.append(.listed) } }
      return Glibc.opendir(path)
    }
  }

  /// The kernel takes its time with the watches of large folders. What comes before them is found by the first scan, which
  /// looks at no folder earlier; what comes later is reported.
  @Test func openingWaitsForNoWatchAndNothingIsMissed() async throws {
    let scratch = try Scratch()
    try scratch.put(photo(second: 1), "2026-11/a.jpg")
    let late = LateWatch()
    let library = try await scratch.library(disk: late.disk)
    let before = try scratch.put(photo(second: 2), "2026-11/b.jpg")
    late.gate.signal()
    var follower = try await Follower(library)
    try await follower.wait { $0.count == 2 && $0.first?.url == before }
    let after = try scratch.put(photo(second: 3), "2026-11/c.jpg")
    try await follower.wait { $0.count == 3 && $0.first?.url == after }
    #expect(late.acts.withLock { $0.prefix(2) } == [.watched, .listed])
    await library.close()
  }

  @Test func aFolderThatIsRemovedIsMadeAgain() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var follower = try await Follower(library)
    let metadata = try Samples.metadata()
    _ = try await library.createAsset(AssetCreationRequest(photo: Samples.jpeg(), metadata: metadata))
    let staged = try await library.stage(Samples.jpeg(shade: 3), metadata: metadata)
    try await follower.wait { $0.count == 1 }
    try FileManager.default.removeItem(at: scratch.pictures)
    try await follower.wait { $0.isEmpty }
    // A still that was being kept for its movie is not lost with it.
    let asset = try await library.createAsset(AssetCreationRequest(staged: staged))
    try await follower.wait { $0 == [asset] }
    // It is followed again.
    try scratch.put(photo(second: 5), "2026-12/new.jpg")
    try await follower.wait { $0.count == 2 }
    // Also after another program made it.
    try FileManager.default.removeItem(at: scratch.pictures.deletingLastPathComponent())
    try await follower.wait { $0.isEmpty }
    try scratch.put(photo(second: 6), "2026-12/again.jpg")
    try await follower.wait { $0.count == 1 }
  }

  @Test(arguments: [true, false]) func twoLibrariesOnOneFolderTellEachOther(haveOneIndex: Bool) async throws {
    let scratch = try Scratch()
    let here = try await scratch.library()
    let there = try await PhotoLibrary.open(
      at: scratch.pictures, index: haveOneIndex ? scratch.index : scratch.url.appendingPathComponent("other.sqlite"))
    var (hereFollower, thereFollower) = (try await Follower(here), try await Follower(there))
    var urls: [URL] = []
    for second in 0..<6 {
      let metadata = try Samples.metadata(date: Samples.date.addingTimeInterval(Double(second)))
      let library = second % 2 == 0 ? here : there
      urls.append(
        try await library.createAsset(AssetCreationRequest(photo: Samples.jpeg(), metadata: metadata)).url)
    }
    let expected = Array(urls.reversed())
    try await hereFollower.wait { $0.map(\.url) == expected }
    try await thereFollower.wait { $0.map(\.url) == expected }
    try FileManager.default.removeItem(at: urls[0])
    try await hereFollower.wait { $0.count == 5 }
    try await thereFollower.wait { $0.count == 5 }
    #expect(hereFollower.shown == thereFollower.shown)
    // One of them closes and takes nothing with it.
    await here.close()
    let last = try await there.createAsset(
      AssetCreationRequest(
        photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date.addingTimeInterval(60))))
    try await thereFollower.wait { $0.first == last }
  }

  @Test func manyRandomChangesInTheFolderEndInTheRightList() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    var follower = try await Follower(library)
    var generator = SeededNumbers.fresh()
    var files: [String] = []
    let photos = try (0..<12).map { try photo(second: $0, shade: UInt8($0 * 20)) }
    for _ in 0..<150 {
      let folder = ["", "2026-10/", "2026-11/"].randomElement(using: &generator) ?? ""
      let name = "\(folder)\(Int.random(in: 0..<20, using: &generator)).jpg"
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        // The same picture under several names is a copy.
        try scratch.put(photos[Int.random(in: 0..<photos.count, using: &generator)], name)
        if !files.contains(name) { files.append(name) }
      case 2:
        guard let old = files.randomElement(using: &generator), !files.contains(name) else { continue }
        let parent = scratch.pictures.appendingPathComponent(name).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try FileManager.default.moveItem(
          at: scratch.pictures.appendingPathComponent(old), to: scratch.pictures.appendingPathComponent(name))
        files.removeAll { $0 == old }
        files.append(name)
      default:
        guard let old = files.randomElement(using: &generator) else { continue }
        try FileManager.default.removeItem(at: scratch.pictures.appendingPathComponent(old))
        files.removeAll { $0 == old }
      }
    }
    let expected = Set(files.map { scratch.pictures.appendingPathComponent($0, isDirectory: false) })
    try await follower.wait { Set($0.map(\.url)) == expected && $0.count == expected.count }
    try await library.refresh()
    let fetched = try await library.fetchAssets()
    try await follower.wait { $0 == fetched }
    #expect(fetched == fetched.sorted(by: Asset.isNewer))
    #expect(Set(fetched.map(\.id)).count == fetched.count)
    // An index made anew from the same files says the same.
    let other = try await PhotoLibrary.open(
      at: scratch.pictures, index: scratch.url.appendingPathComponent("new.sqlite"))
    try await other.refresh()
    #expect(try await other.fetchAssets() == fetched)
  }

  @Test func streamsEndWithTheLibrary() async throws {
    let scratch = try Scratch()
    let library = try await scratch.library()
    let changes = library.changes()
    await library.close()
    for await _ in changes {}
    for await _ in library.changes() {}
    try await library.refresh()
  }
}
