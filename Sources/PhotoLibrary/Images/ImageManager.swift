// Images of assets at requested sizes.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import Synchronization

/// Creates images of assets, upright and opaque, at requested sizes, and caches the latest in memory.
///
/// The EXIF thumbnail is used if it is large enough, then the desktop's shared thumbnail; otherwise the JPEG is decoded
/// at the smallest sufficient fraction. For a video, the first frame is used. A few images are created at a time; see
/// `ImageRequestOptions.Priority` for their order. Hidden assets get no shared thumbnail.
///
///     for try await result in images.requestImage(for: asset, targetSize: PixelSize(width: 256, height: 256)) {
///       cell.show(result.image)  // twice when `result.isDegraded` the first time
///     }
public final class ImageManager: Sendable {
  let cache: ImageCache
  let thumbnails: DesktopThumbnails?
  let movieFrames: (any MovieReader)?
  let disk = Disk()
  private let stills: ImageQueue
  /// A movie's decoder has its own threads.
  private let movies = ImageQueue(limit: 1, patience: .seconds(1), mostAway: 2)

  /// - Parameters:
  ///   - cacheByteLimit: The maximum size of decoded images in memory, in bytes.
  ///   - thumbnailFolder: The desktop's thumbnail cache, `UserFolders().thumbnails`; `nil` for none.
  ///   - movieFrames: Decodes movies; without it they have no images.
  ///   - jobCount: The number of photos that are decoded at the same time; by default half the cores, as where a camera runs.
  public init(
    cacheByteLimit: Int = 32 << 20, thumbnailFolder: URL? = nil, movieFrames: (any MovieReader)? = nil,
    jobCount: Int = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
  ) {
    stills = ImageQueue(limit: jobCount)
    cache = ImageCache(byteLimit: cacheByteLimit)
    ConcealedPictures.shared.add(cache)
    thumbnails = thumbnailFolder.map(DesktopThumbnails.init)
    self.movieFrames = movieFrames
  }

  /// The current size of decoded images in memory, in bytes.
  public var cachedByteCount: Int { cache.byteCount }

  /// The maximum size of decoded images in memory, in bytes.
  public var cacheByteLimit: Int { cache.byteLimit }

  /// Clears the cache in memory.
  public func removeCachedImages() { cache.removeAll() }

  /// Requests an image: first a degraded one if there is one at once, then the final one, depending on the delivery
  /// mode. The final image is at least as large as the target if the file has as many pixels, and less than twice as
  /// large.
  ///
  /// The stream ends after that. It is empty for a video when the manager can't decode movies. It throws
  /// `PhotoLibraryError`, or for a video `CameraError`. Ending the iteration cancels the request, at once even while the disk
  /// doesn't answer.
  ///
  /// - Parameters:
  ///   - targetSize: In device pixels.
  ///   - progress: Called with the part of the photo's file that was read, 0…1, ascending; any thread. Not for images that are
  ///     there without reading all of it.
  public func requestImage(
    for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions(), progress: (@Sendable (Double) -> Void)? = nil
  ) -> AsyncThrowingStream<ImageResult, any Error> {
    let (stream, continuation) = AsyncThrowingStream<ImageResult, any Error>.makeStream()
    let (version, needed) = (ImageCache.Version(asset), contentMode.neededSize(of: asset.size, for: targetSize))
    let kept = options.isKept ? nil : cache.image(version, needed: needed)
    if let kept {
      let isAnswer = kept.isRight || options.deliveryMode == .fastFormat
      if isAnswer || options.deliveryMode == .opportunistic {
        continuation.yield(ImageResult(image: kept.image, isDegraded: !kept.isRight))
      }
      if isAnswer {
        continuation.finish()
        return stream
      }
    }
    // An image with fewer pixels than the first would be a step back.
    let shown = kept?.image.size.area ?? 0
    let rough: ImageQueue.Rough = { image in
      if image.size.area > shown { continuation.yield(ImageResult(image: image, isDegraded: true)) }
    }
    let task = Task {
      do {
        let outcome = try await make(
          asset, version, targetSize, contentMode, options,
          rough: options.deliveryMode == .opportunistic ? rough : nil, progress: progress)
        if let outcome { continuation.yield(ImageResult(image: outcome.image, isDegraded: outcome.isRough)) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// The cached image that `requestImage` would deliver first; `nil` when there is none. Any thread.
  ///
  /// - Parameter targetSize: In device pixels.
  public func cachedImage(
    for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit
  ) -> ImageResult? {
    cache.image(ImageCache.Version(asset), needed: contentMode.neededSize(of: asset.size, for: targetSize)).map {
      ImageResult(image: $0.image, isDegraded: !$0.isRight)
    }
  }

  /// The final image only.
  ///
  /// - Parameter targetSize: In device pixels.
  /// - Returns: `nil` for a video when the manager can't decode movies.
  /// - Throws: `PhotoLibraryError`, for a video `CameraError`, or `CancellationError` when the task was canceled
  ///   before it was decoded.
  public func image(
    for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit,
    priority: ImageRequestOptions.Priority = .visible, isShared: Bool = true
  ) async throws -> DecodedImage? {
    try await image(
      for: asset, targetSize: targetSize, contentMode: contentMode,
      options: ImageRequestOptions(deliveryMode: .highQualityFormat, priority: priority, isShared: isShared))
  }

  /// The same with all options.
  ///
  /// - Parameter options: The delivery mode is `highQualityFormat`.
  func image(
    for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit, options: ImageRequestOptions
  ) async throws -> DecodedImage? {
    let (version, needed) = (ImageCache.Version(asset), contentMode.neededSize(of: asset.size, for: targetSize))
    if !options.isKept, let kept = cache.image(version, needed: needed), kept.isRight { return kept.image }
    return try await make(asset, version, targetSize, contentMode, options, rough: nil)?.image
  }

  /// The image of a JPEG that isn't in the library yet. It isn't cached.
  ///
  /// - Throws: `PhotoLibraryError`, or `CancellationError`.
  public func decode(_ jpeg: Data, targetSize: PixelSize) async throws -> DecodedImage {
    try await stills.run(.single(UUID()), priority: .visible) { isCancelled, _ in
      try await Blocking.run {
        try isCancelled.check()
        let head = try JPEGSegments(parsing: jpeg)
        let needed = ImageContentMode.aspectFit.neededSize(of: head.size, for: targetSize)
        let image = try ScaledJPEG.decode(jpeg, needed: needed, path: localized("The new photo"), unless: isCancelled)
        return ImageQueue.Outcome(image: image.reduced(toNeeded: needed))
      }
    }.image
  }

  /// The frame of a live photo's movie or of a video at a time.
  ///
  /// - Parameters:
  ///   - time: In seconds from the movie's start; beyond its end, the last frame is used.
  ///   - targetSize: In device pixels. The frame fits inside and is not enlarged.
  /// - Returns: `nil` for an asset without a movie, and when the manager can't decode movies.
  /// - Throws: `PhotoLibraryError`, `CameraError`, or `CancellationError`.
  public func movieFrame(of asset: Asset, at time: Double, targetSize: PixelSize) async throws -> DecodedImage? {
    guard let movieFrames, asset.movieRange != nil else { return nil }
    let key = ImageQueue.Key.asset(
      ImageCache.Version(asset), needed: targetSize, time: time, acceptsRough: false, isShared: false,
      isKept: false)
    let monitor = ReadMonitor()
    return try await movies.run(key, priority: .visible, reading: monitor) { [self] _, _ in
      guard let movie = try await movie(of: asset, monitor: monitor) else { throw CancellationError() }
      let frame = try await Self.frame(of: movie, at: time, fitting: targetSize, movieFrames, monitor)
      return ImageQueue.Outcome(image: frame)
    }.image
  }

  /// Returns when no image is being created and no thumbnail is being written.
  func becomesIdle() async {
    await stills.becomesIdle()
    await movies.becomesIdle()
  }

  /// Creates an image from the asset's file, and caches it.
  private func make(
    _ asset: Asset, _ version: ImageCache.Version, _ target: PixelSize, _ mode: ImageContentMode,
    _ options: ImageRequestOptions, rough: ImageQueue.Rough?, progress: ImageQueue.Progress? = nil
  ) async throws -> ImageQueue.Outcome? {
    let needed = mode.neededSize(of: asset.size, for: target)
    // Hidden and deleted pictures leave no thumbnail.
    let isShared = options.isShared && !asset.isHidden && !DesktopTrash.isTrashed(asset.url.path)
    var allowed = options
    allowed.isShared = isShared
    let options = allowed
    let key = ImageQueue.Key.asset(
      version, needed: needed, time: nil, acceptsRough: options.deliveryMode == .fastFormat,
      isShared: options.isShared, isKept: options.isKept)
    let queue = asset.mediaType == .photo ? stills : movies
    let monitor = ReadMonitor { [weak queue] in queue?.report($0, key) }
    let work: ImageQueue.Work
    switch asset.mediaType {
    case .photo:
      work = { [self] isCancelled, rough in
        try await Blocking.run {
          try self.still(asset, target, mode, options, isCancelled: isCancelled, monitor: monitor, rough: rough)
        }
      }
    case .video:
      guard let movieFrames else { return nil }
      work = { [self] _, rough in
        try await firstFrame(asset, needed, options, movieFrames, monitor: monitor, rough: rough)
      }
    }
    return try await queue.run(
      key, priority: options.priority, rough: rough, progress: progress, reading: monitor
    ) { [cache] isCancelled, rough in
      let outcome = try await work(isCancelled, rough)
      // It was hidden while it was decoded.
      if !asset.isHidden, ConcealedPictures.shared.contains(asset.url.path) { return outcome }
      cache.insert(outcome.image, version, needed: outcome.isRough ? outcome.image.size : needed)
      return outcome
    }
  }
}
