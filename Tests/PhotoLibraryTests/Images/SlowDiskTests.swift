// Pictures on a slow disk: other requests go on, the progress is told, and canceling takes effect at once.

import CameraCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite(
  "Pictures on a slow disk", .enabled(if: SlowDisk.isPossible, "only root with /dev/fuse and Python may mount one"),
  .timeLimit(.minutes(30)))
struct SlowDiskTests {
  private let scratch: Scratch
  private let library: PhotoLibrary
  /// On the fast disk.
  private let asset: Asset
  /// The same picture on the slow one.
  private let slow: Asset
  private let disk: SlowDisk
  private static let target = PixelSize(width: 4000, height: 3000)

  init() async throws {
    scratch = try Scratch()
    library = try await scratch.library()
    // Noise: a file of about a megabyte.
    let metadata = try Samples.metadata()
    let photo = try PhotoAssembly.photo(
      jpeg: Samples.jpeg(width: 1600, height: 1200), metadata: metadata, id: Asset.makeID())
    try scratch.put(photo, "2026-11/slow.jpg")
    try await library.refresh()
    asset = try #require(try await library.fetchAssets().first)
    disk = try SlowDisk(of: scratch.pictures, in: scratch.url)
    var slow = asset
    slow.url = disk.folder.appendingPathComponent("2026-11/slow.jpg")
    self.slow = slow
  }

  /// The parts that were told.
  private final class Parts: Sendable {
    private let parts = Mutex<[Double]>([])
    var all: [Double] { parts.withLock { $0 } }
    func append(_ part: Double) { parts.withLock { $0.append(part) } }
  }

  @Test("The progress ascends to all of the file")
  func progress() async throws {
    // More than one piece.
    let file = scratch.pictures.appendingPathComponent("large.bin")
    let bytes = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
    try bytes.write(to: file)
    try disk.setDelay(seconds: 0.01)
    let url = disk.folder.appendingPathComponent("large.bin")
    let resource = AssetResource(kind: .photo, url: url, byteRange: 100..<UInt64(bytes.count), name: "large.bin")
    let parts = Parts()
    #expect(try await library.data(of: resource) { parts.append($0) } == bytes.dropFirst(100))
    #expect(parts.all == parts.all.sorted() && parts.all.last == 1 && parts.all.count >= 4, "\(parts.all)")
    #expect(parts.all.allSatisfy { (0...1).contains($0) })

    let images = ImageManager()
    let pictureParts = Parts()
    var last: ImageResult?
    for try await result in images.requestImage(
      for: slow, targetSize: Self.target, progress: { pictureParts.append($0) })
    { last = result }
    #expect(last?.isDegraded == false && last?.image.size == asset.size)
    #expect(pictureParts.all.last == 1 && pictureParts.all == pictureParts.all.sorted(), "\(pictureParts.all)")
    await library.close()
    disk.end()
  }

  @Test("The input of an editor has a progress, and is canceled at once")
  func editingInput() async throws {
    await library.close()
    let slow = try await PhotoLibrary.open(
      at: disk.folder, index: scratch.url.appendingPathComponent("slow.sqlite"), disk: Disk())
    try await slow.refresh()
    try disk.setDelay(seconds: 0.01)
    let parts = Parts()
    let input = try await slow.contentEditingInput(for: asset.id, progress: { parts.append($0) }) { _ in true }
    #expect(input.size == asset.size && input.photoRange == 0..<asset.fileSize)
    #expect(parts.all.last == 1 && parts.all == parts.all.sorted() && parts.all.count >= 2, "\(parts.all)")
    #expect(parts.all.allSatisfy { (0...1).contains($0) } && Set(parts.all).count == parts.all.count)
    // Longer than the test may take.
    try disk.setDelay(seconds: 60)
    let request = Task { [id = asset.id] in try await slow.contentEditingInput(for: id) { _ in true } }
    request.cancel()
    await #expect(throws: PhotoLibraryError.cancelled) { try await request.value }
    disk.disconnect()
    await slow.close()
    disk.end()
  }

  @Test("Requests that wait for a slow disk don’t hold up others, and end at once when they are canceled")
  func others() async throws {
    let images = ImageManager()
    // Longer than the test may take.
    try disk.setDelay(seconds: 60)
    let begun = ContinuousClock.now
    // More than there are places: at most one for each processor.
    let requests = (0..<8).map { index in
      Task { [slow] in
        let size = PixelSize(width: 1000 + index, height: 1000 + index)
        for try await _ in images.requestImage(for: slow, targetSize: size) {}
        return Task.isCancelled
      }
    }
    let content = Task { [library, slow] in
      let count = slow.fileSize
      return try await library.data(
        of: AssetResource(kind: .photo, url: slow.url, byteRange: 0..<count, name: "slow.jpg"))
    }
    // The picture on the fast disk is there meanwhile.
    let image = try await images.image(for: asset, targetSize: Self.target)
    #expect(image?.size == asset.size)
    content.cancel()
    await #expect(throws: PhotoLibraryError.cancelled) { try await content.value }
    for request in requests { request.cancel() }
    for request in requests { _ = try? await request.value }
    #expect(ContinuousClock.now - begun < .seconds(40))
    // A slow disk that is gone lets all threads go.
    disk.disconnect()
    await images.becomesIdle()
    await library.close()
    disk.end()
  }

  @Test("A share whose server is gone is an error, not a missing picture")
  func disconnected() async throws {
    let images = ImageManager()
    disk.disconnect()
    let error = await #expect(throws: PhotoLibraryError.self) {
      try await images.image(for: slow, targetSize: Self.target)
    }
    #expect(error?.description.contains(String(cString: strerror(ENOTCONN))) == true, "\(String(describing: error))")
    await library.close()
    disk.end()
  }

  @Test("A library on a share that is lost is unavailable, and keeps all that it has")
  func lostLibrary() async throws {
    await library.close()
    let lost = try await PhotoLibrary.open(
      at: disk.folder, index: scratch.url.appendingPathComponent("lost.sqlite"), disk: Disk())
    try await lost.refresh()
    #expect(try await lost.count() == 1)
    var states = lost.availability().makeAsyncIterator()
    #expect(await states.next() == .available)
    disk.disconnect()
    // Nobody has to ask for it: a share is looked at now and then.
    #expect(await states.next()?.reason?.description.contains("doesn’t respond") == true)
    #expect(try await lost.count() == 1)
    await lost.close()
    disk.end()
  }
}
