// Preparing the images around the visible range before they are requested.

import CameraCore
import Foundation
import Synchronization

/// An image manager that prepares images for assets that will be shown soon.
///
///     caching.startCaching(for: assets[visible.upperBound..<end], targetSize: size)
///     caching.stopCaching(for: assets[..<visible.lowerBound], targetSize: size)
///
/// The images are kept in the manager's cache with those that were requested, under its limit. At most half of the
/// limit is filled in advance: the rest waits until caching of others is stopped. Requested images always come first.
public final class CachingImageManager: Sendable {
  private struct Item: Hashable {
    let version: ImageCache.Version
    let target: PixelSize
    let mode: ImageContentMode
  }

  private struct Ahead {
    let asset: Asset
    let order: UInt64
    /// The maximum size of its image in bytes.
    let byteCount: Int
    /// `nil` while it waits for memory.
    var task: Task<Void, Never>?
  }

  private struct State {
    var items: [Item: Ahead] = [:]
    var byteCount = 0
    var clock: UInt64 = 0
  }

  /// The manager that creates the images and keeps them.
  public let images: ImageManager
  private let isShared: Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - images: May be shared with other users.
  ///   - isShared: As in `ImageRequestOptions`.
  public init(images: ImageManager, isShared: Bool = true) {
    self.images = images
    self.isShared = isShared
  }

  deinit { stopCachingAll() }

  /// See `ImageManager.requestImage`.
  public func requestImage(
    for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions(), progress: (@Sendable (Double) -> Void)? = nil
  ) -> AsyncThrowingStream<ImageResult, any Error> {
    images.requestImage(
      for: asset, targetSize: targetSize, contentMode: contentMode, options: options, progress: progress)
  }

  /// Prepares images in this order. Those that are being prepared already continue.
  ///
  /// - Parameter targetSize: In device pixels, as in the requests that will follow.
  public func startCaching(
    for assets: some Sequence<Asset>, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit
  ) {
    state.withLock { state in
      for asset in assets {
        let item = Item(version: ImageCache.Version(asset), target: targetSize, mode: contentMode)
        guard state.items[item] == nil else { continue }
        state.clock += 1
        // Up to twice as wide and twice as high, but no larger than the file; 4 bytes per pixel.
        let byteCount = 4 * min(4 * contentMode.neededSize(of: asset.size, for: targetSize).area, asset.size.area)
        state.items[item] = Ahead(asset: asset, order: state.clock, byteCount: byteCount)
      }
      startWaiting(&state)
    }
  }

  /// Stops preparing these images. Those that were prepared stay in memory until their space is needed.
  public func stopCaching(
    for assets: some Sequence<Asset>, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit
  ) {
    let tasks = state.withLock { state in
      let tasks = assets.compactMap { asset in
        let item = Item(version: ImageCache.Version(asset), target: targetSize, mode: contentMode)
        return remove(item, &state)
      }
      startWaiting(&state)
      return tasks
    }
    for task in tasks { task.cancel() }
  }

  /// Stops preparing images.
  public func stopCachingAll() {
    let tasks = state.withLock { state in
      let tasks = state.items.values.compactMap(\.task)
      state.items = [:]
      state.byteCount = 0
      return tasks
    }
    for task in tasks { task.cancel() }
  }

  /// The number of images to prepare, and the number of those that wait for memory.
  var counts: (all: Int, waiting: Int) {
    state.withLock { state in (state.items.count, state.items.values.count { $0.task == nil }) }
  }

  /// Returns when every image that had memory was prepared.
  public func finished() async {
    for task in tasks { await task.value }
  }

  private var tasks: [Task<Void, Never>] {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { state.withLock { $0.items.values.compactMap(\.task) } }
  }

  private func remove(_ item: Item, _ state: inout State) -> Task<Void, Never>? {
    guard let ahead = state.items.removeValue(forKey: item), let task = ahead.task else { return nil }
    state.byteCount -= ahead.byteCount
    return task
  }

  private func startWaiting(_ state: inout State) {
    let waiting = state.items.filter { $0.value.task == nil }.sorted { $0.value.order < $1.value.order }
    for (item, ahead) in waiting {
      // In order: a small image doesn't overtake.
      guard state.byteCount + ahead.byteCount <= images.cacheByteLimit / 2 else { return }
      state.byteCount += ahead.byteCount
      let (images, isShared) = (images, isShared)
      state.items[item]?.task = Task.detached(priority: .utility) {
        // A later request reports the error.
        _ = try? await images.image(
          for: ahead.asset, targetSize: item.target, contentMode: item.mode, priority: .ahead, isShared: isShared)
      }
    }
  }
}
