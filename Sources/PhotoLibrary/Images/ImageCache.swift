// A least-recently-used cache of decoded images with a limit in bytes.

import CameraCore
import Foundation
import Synchronization

/// Decoded images in memory. The least recently used are evicted first.
final class ImageCache: ForgettingCache {
  /// A state of an asset's file; another state has other pixels.
  struct Version: Hashable {
    var id: Asset.ID
    var url: URL
    var changed: Date
    var fileSize: UInt64

    init(_ asset: Asset) {
      id = asset.id
      url = asset.url
      changed = asset.changed
      fileSize = asset.fileSize
    }
  }

  private struct Entry {
    var image: DecodedImage
    /// The size that it was decoded for; the file may have been smaller.
    var needed: PixelSize
    var used: UInt64

    /// Whether it is the image that would be decoded for a size.
    func suits(_ wanted: PixelSize) -> Bool {
      if needed == wanted { return true }
      let isTwiceAsLarge = image.size.width / 2 >= wanted.width && image.size.height / 2 >= wanted.height
      return image.covers(wanted) && !isTwiceAsLarge
    }
  }

  private struct State {
    var entries: [Version: [Entry]] = [:]
    var byteCount = 0
    var clock: UInt64 = 0
  }

  let byteLimit: Int
  private let state = Mutex(State())

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  var byteCount: Int { state.withLock { $0.byteCount } }

  /// The image in the needed size, or a degraded one: the smallest larger one, or else the largest.
  func image(_ version: Version, needed: PixelSize) -> (image: DecodedImage, isRight: Bool)? {
    state.withLock { state in
      guard let entries = state.entries[version] else { return nil }
      let right = entries.firstIndex { $0.suits(needed) }
      let covering = entries.indices.filter { entries[$0].image.covers(needed) }
      let best =
        right ?? covering.min { entries[$0].image.size.area < entries[$1].image.size.area }
        ?? entries.indices.max { entries[$0].image.size.area < entries[$1].image.size.area }
      guard let best else { return nil }
      state.clock += 1
      state.entries[version]?[best].used = state.clock
      return (entries[best].image, right != nil)
    }
  }

  func insert(_ image: DecodedImage, _ version: Version, needed: PixelSize) {
    guard image.block.count <= byteLimit else { return }
    state.withLock { state in
      var entries = state.entries[version] ?? []
      for entry in entries where entry.needed == needed { state.byteCount -= entry.image.block.count }
      entries.removeAll { $0.needed == needed }
      state.clock += 1
      entries.append(Entry(image: image, needed: needed, used: state.clock))
      state.entries[version] = entries
      state.byteCount += image.block.count
      if state.byteCount > byteLimit { Self.shrink(&state, to: byteLimit / 4 * 3) }
    }
  }

  func forget(_ ids: Set<Asset.ID>) {
    state.withLock { state in
      for (version, entries) in state.entries where ids.contains(version.id) {
        state.byteCount -= entries.reduce(0) { $0 + $1.image.block.count }
        state.entries[version] = nil
      }
    }
  }

  func removeAll() {
    state.withLock { state in
      state.entries = [:]
      state.byteCount = 0
    }
  }

  /// Shrinks well below the limit, so that this doesn't happen for every image.
  private static func shrink(_ state: inout State, to limit: Int) {
    let all = state.entries.flatMap { version, entries in entries.map { (version, $0.used, $0.image.block.count) } }
    for (version, used, count) in all.sorted(by: { $0.1 < $1.1 }) {
      guard state.byteCount > limit else { break }
      state.entries[version]?.removeAll { $0.used == used }
      if state.entries[version]?.isEmpty == true { state.entries[version] = nil }
      state.byteCount -= count
    }
  }
}
