// The strip under the viewfinder: the newest pictures first, including shots that are still being saved.

import CameraCore
import Foundation
import Localization
import Observation
import PhotoLibrary

/// One picture of the strip. A shot and the asset that it becomes have the same ID, so the picture keeps its position
/// when it has been saved.
public struct StripItem: Identifiable, Hashable, Sendable {
  /// The state of a strip's picture.
  public enum Content: Hashable, Sendable {
    /// The shot is being saved; the data is its thumbnail, a JPEG.
    case saving(thumbnail: Data)
    case asset(Asset)
  }

  public let id: Asset.ID
  public let isLive: Bool
  public let content: Content
  /// The number of pictures that it stands for: more than 1 for a burst, also while it is taken.
  public var count = 1

  /// The picture in the library; `nil` while it is being saved.
  public var asset: Asset? {
    if case .asset(let asset) = content { asset } else { nil }
  }

  /// The accessible name.
  public var spokenName: String {
    if count > 1, asset?.groupCount != count {
      return localized("\(PictureInfo.burstName(count)), being saved")
    }
    return switch content {
    case .saving: localized("\(PictureInfo.kindName(isLive: isLive)), being saved")
    case .asset(let asset): PictureInfo.spokenName(of: asset)
    }
  }
}

/// The newest pictures of the library, kept up to date.
@MainActor @Observable
public final class ThumbnailStripModel {
  /// The pictures, newest first.
  public private(set) var items: [StripItem] = []
  /// The selected picture, which has a ring around it; of several, the one that is opened. Set, it is the only one.
  public var selectedID: Asset.ID? {
    didSet { selection = selectedID.map { [$0] } ?? [] }
  }
  /// The selected pictures.
  public internal(set) var selection: Set<Asset.ID> = []
  /// Whether the library was read once, so that an empty strip is an empty library.
  public private(set) var isLoaded = false

  public var selectedItem: StripItem? { items.first { $0.id == selectedID } }

  /// The selected picture, or the newest when none is selected.
  public var currentItem: StripItem? { selectedID == nil ? items.first : selectedItem }

  /// The number of pictures that are fetched at first, and again each time the end is reached.
  public static let pageSize = 200

  @ObservationIgnored public var viewedListChanged: (() -> Void)?
  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let images: ImageManager
  @ObservationIgnored private var fetched: FetchResult?
  @ObservationIgnored private var assets: [Asset] = []
  @ObservationIgnored private var shots: [Shot] = []
  @ObservationIgnored private var limit = ThumbnailStripModel.pageSize
  @ObservationIgnored private var listening: Task<Void, Never>?
  @ObservationIgnored private var reloading: Task<Void, Never>?
  /// The pictures for a drag of some of the strip's.
  @ObservationIgnored private var prepared: (ids: Set<Asset.ID>, assets: [Asset])?

  private struct Shot {
    let id: Asset.ID
    let isLive: Bool
    let burstID: String?
    var thumbnail: Data?
  }

  /// The cache limit of the strip's image manager, in bytes. Cells keep the images they show, so this is for those that
  /// scroll away and come back.
  public static let imageCacheByteLimit = 4 << 20

  /// - Parameter images: Makes the thumbnails.
  public init(library: PhotoLibrary, images: ImageManager) {
    self.library = library
    self.images = images
  }

  deinit { listening?.cancel() }

  /// Fills the strip from the library, and keeps it up to date from then on.
  public func start() async {
    guard listening == nil else { return }
    let changes = library.changes()
    listening = Task { [weak self] in
      for await _ in changes {
        guard let self else { return }
        await self.reload()
      }
    }
    await reload()
  }

  /// The end of the strip is about to be visible: fetches older pictures.
  public func loadMore() async {
    guard assets.count >= limit else { return }
    limit += Self.pageSize
    await reload()
  }

  /// The thumbnail of an item, decoded off the main thread, at least as large as `size` if the file is; a video's first
  /// frame. `nil` when the file can't be read.
  public func image(for item: StripItem, size: PixelSize) async -> DecodedImage? {
    do {
      switch item.content {
      case .saving(let thumbnail): return try await images.decode(thumbnail, targetSize: size)
      case .asset(let asset): return try await images.image(for: asset, targetSize: size)
      }
    } catch {
      // The strip shows a placeholder; opening the picture reports the reason.
      return nil
    }
  }

  // MARK: Bursts and drags

  /// The pictures, with all of the bursts that one stands for.
  public func members(of assets: [Asset]) async throws(PhotoLibraryError) -> [Asset] {
    try await library.ungrouped(assets)
  }

  /// Reads what a drag from an item would carry, which has to be known at once when it begins.
  public func prepareDrag(at index: Int) {
    guard items.indices.contains(index) else { return }
    let id = items[index].id
    let ids = selection.contains(id) ? selection : [id]
    let assets = items.filter { ids.contains($0.id) }.compactMap(\.asset)
    guard assets.contains(where: \.representsBurst) else { return prepared = (ids, assets) }
    prepared = nil
    Task { [weak self] in
      do throws(PhotoLibraryError) {
        if let members = try await self?.members(of: assets) { self?.prepared = (ids, members) }
      } catch { self?.failure = error.description }
    }
  }

  /// The selected pictures for a drag, of bursts all of them; `nil` while they are being read.
  public var draggedAssets: [Asset]? { prepared.flatMap { $0.ids == selection ? $0.assets : nil } }

  // MARK: Shots under way

  func shotBegan(_ id: Asset.ID, resolved: ResolvedPhotoSettings) {
    shots.append(Shot(id: id, isLive: resolved.isLive, burstID: resolved.group?.id))
  }

  func shotHasThumbnail(_ id: Asset.ID, jpeg: Data) {
    guard let index = shots.firstIndex(where: { $0.id == id }) else { return }
    shots[index].thumbnail = jpeg
    rebuild()
  }

  /// The shot is an asset now. It stays among the shots until the library's list contains it, so that nothing flickers.
  func shotWasSaved(_ id: Asset.ID) {
    Task { await reload() }
  }

  func shotFailed(_ id: Asset.ID) {
    shots.removeAll { $0.id == id }
    rebuild()
  }

  // MARK: The library

  /// Reads the list again, after those who asked before: a list that was read earlier must not replace a later one.
  private func reload() async {
    let task = Task { [before = reloading, weak self] in
      await before?.value
      await self?.reloadNow()
    }
    reloading = task
    await task.value
  }

  private func reloadNow() async {
    do throws(PhotoLibraryError) {
      let current: FetchResult
      if let fetched, fetched.options.limit == limit {
        let details = try await library.changeDetails(for: fetched)
        // The change concerns nothing in the strip.
        if details.isEmpty, failure == nil {
          self.fetched = details.after
          return
        }
        current = details.after
      } else {
        var options = FetchOptions(limit: limit)
        options.groupsBursts = true
        current = try await library.fetch(options)
      }
      let fetchedAssets = try await Blocking.run { () throws(PhotoLibraryError) in try current.allAssets() }
      let saved = try await savedFrames(among: fetchedAssets)
      assets = fetchedAssets
      // Only now: after a failure the next change reads the assets again.
      fetched = current
      failure = nil
      isLoaded = true
      let known = saved.union(assets.map(\.id))
      shots.removeAll { known.contains($0.id) }
      rebuild()
    } catch {
      failure = error.description
    }
  }

  /// The saved pictures of the bursts that are being taken: the list has one of each.
  private func savedFrames(among assets: [Asset]) async throws(PhotoLibraryError) -> Set<Asset.ID> {
    let bursts = Set(shots.compactMap(\.burstID))
    let taken = assets.filter { $0.burstID.map(bursts.contains) == true }
    return Set(try await library.ungrouped(taken).map(\.id))
  }

  /// The reason that the library can't be read; `nil` while it can.
  public private(set) var failure: String?

  private func rebuild() {
    var waiting: [String: Int] = [:]
    for shot in shots where shot.thumbnail != nil { if let burst = shot.burstID { waiting[burst, default: 0] += 1 } }
    let stored = assets.map { asset in
      // A burst that is being taken grows in its place.
      let more = asset.burstID.flatMap { waiting.removeValue(forKey: $0) } ?? 0
      return StripItem(id: asset.id, isLive: asset.isLive, content: .asset(asset), count: asset.groupCount + more)
    }
    var saving: [StripItem] = []
    for shot in shots {
      guard let thumbnail = shot.thumbnail else { continue }
      var count = 1
      if let burst = shot.burstID {
        // The first stands for all of them, until one is saved.
        guard let all = waiting.removeValue(forKey: burst) else { continue }
        count = all
      }
      saving.append(
        StripItem(id: shot.id, isLive: shot.isLive, content: .saving(thumbnail: thumbnail), count: count))
    }
    let new = saving.reversed() + stored
    guard new != items else { return }
    items = new
    viewedListChanged?()
    let left = selection.intersection(items.map(\.id))
    if left.count < selection.count { select(left, current: selectedID) }
  }
}

extension ThumbnailStripModel: ViewedList {
  public func neighbor(of asset: Asset, by step: Int) -> Asset? {
    guard let index = index(of: asset), items.indices.contains(index + step) else { return nil }
    return items[index + step].asset
  }

  public func viewerShows(_ asset: Asset) { selectedID = index(of: asset).map { items[$0].id } ?? asset.id }

  /// The index of a picture, or of the one that stands for its burst.
  private func index(of asset: Asset) -> Int? {
    items.firstIndex { $0.id == asset.id }
      ?? asset.burstID.flatMap { burst in items.firstIndex { $0.asset?.burstID == burst } }
  }
}
