// Makes the pictures around the visible range before they are looked at.

import CameraCore
import Foundation
import Synchronization

/// An image manager that is told what will be looked at soon.
///
///     caching.startCaching(for: assets[visible.upperBound..<end], targetSize: size)
///     caching.stopCaching(for: assets[..<visible.lowerBound], targetSize: size)
///
/// The pictures lie in the manager's memory with those that were shown, under its limit. At most half of that is filled
/// ahead: of more, the rest waits until caching of others is stopped. What is on the screen is always made first.
public final class CachingImageManager: Sendable {
  private struct Item: Hashable {
    let version: ImageCache.Version
    let target: PixelSize
    let mode: ImageContentMode
  }

  private struct Ahead {
    let asset: Asset
    let order: UInt64
    /// As many bytes as its picture takes at most.
    let byteCount: Int
    /// `nil` while it waits for room.
    var task: Task<Void, Never>?
  }

  private struct State {
    var items: [Item: Ahead] = [:]
    var byteCount = 0
    var clock: UInt64 = 0
  }

  /// What makes the pictures, and keeps them.
  public let images: ImageManager
  private let isShared: Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - images: May be in use by others.
  ///   - isShared: As in `ImageRequestOptions`.
  public init(images: ImageManager, isShared: Bool = true) {
    self.images = images
    self.isShared = isShared
  }

  deinit { stopCachingAll() }

  /// As `ImageManager.requestImage`.
  public func requestImage(
    for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions()
  ) -> AsyncThrowingStream<ImageResult, any Error> {
    images.requestImage(for: asset, targetSize: targetSize, contentMode: contentMode, options: options)
  }

  /// Makes pictures ahead, in this order. What is being made ahead already goes on.
  ///
  /// - Parameter targetSize: In device pixels; as in the requests that will follow.
  public func startCaching(
    for assets: some Sequence<Asset>, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit
  ) {
    state.withLock { state in
      for asset in assets {
        let item = Item(version: ImageCache.Version(asset), target: targetSize, mode: contentMode)
        guard state.items[item] == nil else { continue }
        state.clock += 1
        // Up to twice as wide and twice as high, but no larger than the file; 4 bytes a pixel.
        let byteCount = 4 * min(4 * contentMode.neededSize(of: asset.size, for: targetSize).area, asset.size.area)
        state.items[item] = Ahead(asset: asset, order: state.clock, byteCount: byteCount)
      }
      startWaiting(&state)
    }
  }

  /// Makes no more of these ahead. Those that were made stay in memory until their place is needed.
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

  /// Makes nothing ahead any more.
  public func stopCachingAll() {
    let tasks = state.withLock { state in
      let tasks = state.items.values.compactMap(\.task)
      state.items = [:]
      state.byteCount = 0
      return tasks
    }
    for task in tasks { task.cancel() }
  }

  /// How many are asked for and not stopped, and how many of them wait for room.
  var counts: (all: Int, waiting: Int) {
    state.withLock { state in (state.items.count, state.items.values.count { $0.task == nil }) }
  }

  /// Returns when everything that had room was made.
  public func finished() async {
    for task in state.withLock({ $0.items.values.compactMap(\.task) }) { await task.value }
  }

  private func remove(_ item: Item, _ state: inout State) -> Task<Void, Never>? {
    guard let ahead = state.items.removeValue(forKey: item), let task = ahead.task else { return nil }
    state.byteCount -= ahead.byteCount
    return task
  }

  private func startWaiting(_ state: inout State) {
    let waiting = state.items.filter { $0.value.task == nil }.sorted { $0.value.order < $1.value.order }
    for (item, ahead) in waiting {
      // In order: a small one doesn't overtake.
      guard state.byteCount + ahead.byteCount <= images.cacheByteLimit / 2 else { return }
      state.byteCount += ahead.byteCount
      let (images, isShared) = (images, isShared)
      state.items[item]?.task = Task.detached(priority: .utility) {
        // Whoever asks for it is told what is wrong with it.
        _ = try? await images.image(
          for: ahead.asset, targetSize: item.target, contentMode: item.mode, priority: .ahead, isShared: isShared)
      }
    }
  }
}
