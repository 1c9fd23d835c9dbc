// Pictures of assets at the size that is wanted.

import CameraCore
import Foundation
import Synchronization

/// A picture as far as it is ready.
public struct ImageResult: Sendable {
  public var image: DecodedImage
  /// A rough one: the right one follows.
  public var isDegraded: Bool

  public init(image: DecodedImage, isDegraded: Bool) {
    self.image = image
    self.isDegraded = isDegraded
  }
}

/// Makes pictures of assets: upright, opaque, at the size that is wanted, and keeps the latest in memory.
///
/// The EXIF thumbnail is taken when it is large enough; else the JPEG is decoded at the smallest fraction that is. A few
/// are decoded at a time, in the order of their asking.
public final class ImageManager: Sendable {
  private let cache: ImageCache
  private let queue: OperationQueue
  private let disk = Disk()

  /// Bytes of a file that are read for its picture; a JPEG that is longer is not shown.
  private static let largestFile = 256 << 20
  /// A thumbnail of another shape than its picture has black bars or is cut.
  private static let aspectTolerance = 0.03

  /// - Parameter cacheByteLimit: How many bytes of decoded pixels are kept.
  public init(cacheByteLimit: Int = 32 << 20) {
    cache = ImageCache(byteLimit: cacheByteLimit)
    queue = OperationQueue()
    queue.name = "photome.library.images"
    queue.maxConcurrentOperationCount = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
  }

  /// How many bytes of decoded pixels are kept now.
  public var cachedByteCount: Int { cache.byteCount }

  /// The picture, at least as large as the target where the file has as many pixels, and less than twice as large.
  ///
  /// - Parameter targetSize: In device pixels.
  /// - Returns: `nil` for an asset without a still, which is to say a video.
  /// - Throws: `PhotoLibraryError`, or `CancellationError` when the task was cancelled before it was decoded.
  public func requestImage(
    for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit
  ) async throws -> DecodedImage? {
    guard asset.mediaType == .photo else { return nil }
    let key = ImageCache.Key(asset, targetSize, contentMode)
    if let image = cache[key] { return image }
    return try await decode(asset, key: key, rough: nil)
  }

  /// First a rough picture when there is one at once, then the right one. Ends after that; empty for a video.
  ///
  /// Nothing is decoded any more once nobody listens.
  public func requestImages(
    for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit
  ) -> AsyncThrowingStream<ImageResult, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        guard asset.mediaType == .photo else { return continuation.finish() }
        let key = ImageCache.Key(asset, targetSize, contentMode)
        do {
          var image = cache[key]
          if image == nil {
            image = try await decode(asset, key: key) { rough in
              continuation.yield(ImageResult(image: rough, isDegraded: true))
            }
          }
          if let image { continuation.yield(ImageResult(image: image, isDegraded: false)) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// The picture of a JPEG that is in no library yet, as `requestImage` makes it. It isn't kept.
  public func decode(_ jpeg: Data, targetSize: PixelSize) async throws -> DecodedImage {
    try await withCheckedThrowingContinuation { continuation in
      queue.addOperation {
        continuation.resume(
          with: Result {
            let head = try JPEGSegments(parsing: jpeg)
            let needed = ImageContentMode.aspectFit.neededSize(of: head.size, for: targetSize)
            return try ScaledJPEG.decode(jpeg, needed: needed, path: "the new photo")
          })
      }
    }
  }

  /// - Parameter rough: Called with a thumbnail that is too small, before the right picture is made.
  private func decode(
    _ asset: Asset, key: ImageCache.Key, rough: (@Sendable (DecodedImage) -> Void)?
  ) async throws -> DecodedImage {
    let isCancelled = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.addOperation { [self] in
          continuation.resume(
            with: Result {
              try isCancelled.check()
              let image = try picture(asset, key: key, isCancelled: isCancelled, rough: rough)
              cache[key] = image
              return image
            })
        }
      }
    } onCancel: {
      isCancelled.set()
    }
  }

  private func picture(
    _ asset: Asset, key: ImageCache.Key, isCancelled: CancellationFlag, rough: ((DecodedImage) -> Void)?
  ) throws -> DecodedImage {
    let path = asset.url.path
    let file = try ReadableFile(path, disk: disk)
    guard let head = try JPEGHead(file) else {
      throw PhotoLibraryError.unusableFile(path: path, reason: "it is no picture")
    }
    let facts = head.exif.flatMap { MetadataToolkit.facts(exif: $0, wantsThumbnail: true) } ?? ExifFacts()
    // The target is upright, the file's pixels may not be.
    let isTurned = facts.orientation >= 5
    let target =
      isTurned ? PixelSize(width: key.target.height, height: key.target.width) : key.target
    let needed = key.contentMode.neededSize(of: head.size, for: target)
    if let thumbnail = facts.thumbnail.flatMap({ self.thumbnail($0, of: head.size, needed: needed, path: path) }) {
      if thumbnail.size.width >= needed.width, thumbnail.size.height >= needed.height {
        return thumbnail.upright(orientation: facts.orientation)
      }
      rough?(thumbnail.upright(orientation: facts.orientation))
    }
    try isCancelled.check()
    let end = asset.movieRange?.lowerBound ?? file.size
    guard end <= UInt64(Self.largestFile), !ScaledJPEG.isTooLarge(head) else {
      throw PhotoLibraryError.unusableFile(path: path, reason: "it is too large to be shown")
    }
    let jpeg = try file.data(at: 0, count: Int(end))
    return try ScaledJPEG.decode(jpeg, needed: needed, path: path).upright(orientation: facts.orientation)
  }

  /// - Returns: `nil` when the embedded picture is broken, or has another shape than the picture.
  private func thumbnail(_ jpeg: Data, of picture: PixelSize, needed: PixelSize, path: String) -> DecodedImage? {
    let aspect = Double(picture.width) / Double(picture.height)
    guard let image = try? ScaledJPEG.decode(jpeg, needed: needed, path: path) else { return nil }
    let own = Double(image.size.width) / Double(image.size.height)
    // A pixel more or less is much for a small picture.
    let tolerance = Self.aspectTolerance + 1 / Double(min(image.size.width, image.size.height))
    return abs(own / aspect - 1) <= tolerance ? image : nil
  }
}

/// Set once, from any thread.
private final class CancellationFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  func set() { flag.store(true, ordering: .relaxed) }

  func check() throws(CancellationError) {
    if flag.load(ordering: .relaxed) { throw CancellationError() }
  }
}

/// The pictures that were used last, up to a number of bytes.
private final class ImageCache: Sendable {
  struct Key: Hashable {
    var id: Asset.ID
    var url: URL
    var modified: Date
    var target: PixelSize
    var contentMode: ImageContentMode

    init(_ asset: Asset, _ target: PixelSize, _ contentMode: ImageContentMode) {
      id = asset.id
      url = asset.url
      modified = asset.modified
      self.target = target
      self.contentMode = contentMode
    }
  }

  private struct Entry {
    var image: DecodedImage
    var used: UInt64
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var byteCount = 0
    var clock: UInt64 = 0
  }

  private let byteLimit: Int
  private let state = Mutex(State())

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  var byteCount: Int { state.withLock { $0.byteCount } }

  subscript(key: Key) -> DecodedImage? {
    get {
      state.withLock { state in
        state.clock += 1
        state.entries[key]?.used = state.clock
        return state.entries[key]?.image
      }
    }
    set {
      state.withLock { state in
        if let old = state.entries.removeValue(forKey: key) { state.byteCount -= old.image.block.count }
        guard let newValue, newValue.block.count <= byteLimit else { return }
        state.clock += 1
        state.entries[key] = Entry(image: newValue, used: state.clock)
        state.byteCount += newValue.block.count
        guard state.byteCount > byteLimit else { return }
        // Down to three quarters, so that this is not done at every picture.
        for (key, entry) in state.entries.sorted(by: { $0.value.used < $1.value.used }) {
          guard state.byteCount > byteLimit / 4 * 3 else { break }
          state.entries[key] = nil
          state.byteCount -= entry.image.block.count
        }
      }
    }
  }
}
