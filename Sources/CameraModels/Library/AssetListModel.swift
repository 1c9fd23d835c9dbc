// A fetched list of assets as a page shows it: kept up to date with the library, and read page by page.

import CameraCore
import Foundation
import Observation
import PhotoLibrary

/// A splice of a list: one range that gives way to another.
///
/// Applied in order, edits turn one state of a list into the next. Positions refer to the list as the previous edits
/// have left it.
public struct ListEdit: Hashable, Sendable {
  public var position: Int
  public var removedCount: Int
  public var insertedCount: Int

  public init(position: Int, removedCount: Int, insertedCount: Int) {
    self.position = position
    self.removedCount = removedCount
    self.insertedCount = insertedCount
  }
}

/// A list that the viewer moves through: the strip, or the library's grid.
@MainActor public protocol ViewedList: AnyObject {
  /// The asset `step` positions after another one, or before it for a negative step; `nil` where there is none. For a
  /// picture of a burst that another one stands for, its neighbors count.
  func neighbor(of asset: Asset, by step: Int) -> Asset?

  /// Called when assets were inserted, removed or moved.
  var viewedListChanged: (() -> Void)? { get set }

  /// The viewer shows this asset now: the list's own selection moves along.
  func viewerShows(_ asset: Asset)

  /// An asset has changed, or is gone (`nil`): for lists that don't follow the library themselves.
  ///
  /// - Returns: The asset in its place; `nil` for none.
  @discardableResult func viewedAssetChanged(_ id: Asset.ID, to asset: Asset?) -> Asset?
}

extension ViewedList {
  @discardableResult public func viewedAssetChanged(_ id: Asset.ID, to asset: Asset?) -> Asset? { asset }
}

/// A fetch result on screen: eight bytes per asset, plus the pages of assets that were read recently.
@MainActor @Observable
public final class AssetListModel {
  public private(set) var count = 0
  /// Whether the first fetch has ended.
  public private(set) var isLoaded = false
  /// The reason that the library can't be read; `nil` while it can.
  public private(set) var failure: String?

  /// Whether the list was set by `show(fixed:)`.
  public var isFixed: Bool { fixed != nil }

  /// Called after each change, with the edits that turn a copy of the old list into the new one, and the new indexes of
  /// the assets whose attributes have changed.
  @ObservationIgnored public var edited: ((_ edits: [ListEdit], _ renewed: [Int]) -> Void)?

  /// Called when a page that `assetIfRead` requested has been read: for the grid, and for the viewer.
  @ObservationIgnored public var pageArrived: (() -> Void)?
  @ObservationIgnored var pageRead: (() -> Void)?

  /// The number of assets in a page.
  public nonisolated static let pageSize = 64
  /// The number of pages that are kept: more than any screen shows, so that scrolling back and forth reads nothing twice.
  private static let pageLimit = 48
  /// A change with more edits than this is replaced by a single large one, which costs less.
  private static let editLimit = 64
  /// The number of pages that are read again after a change: as many as a screen shows.
  private nonisolated static let refreshLimit = 12

  /// Grows whenever the list or an asset's attributes change, so that observers of an asset are notified.
  public private(set) var revision = 0

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private var result: FetchResult?
  /// The assets of a list that isn't in the index, all of them in memory; `nil` for a fetched list.
  @ObservationIgnored private var fixed: [Asset]?
  @ObservationIgnored private var pages: [Int: [Asset?]] = [:]
  /// The pages that were looked at since the last change of the list.
  @ObservationIgnored private var lookedAt: Set<Int> = []
  /// The pages that are read again after a change before which nobody looked at any.
  @ObservationIgnored private var lookedAtBefore: Set<Int> = []
  /// The pages that are being read.
  @ObservationIgnored private var reading: Set<Int> = []
  @ObservationIgnored private var generation = 0
  /// The last asset that `indexIfRead` found, in a state of the list.
  @ObservationIgnored private var found: (id: Asset.ID, revision: Int, index: Int)?

  public init(library: PhotoLibrary) { self.library = library }

  /// Shows another list. When called twice, the later call wins, whichever fetch ends first. Changes during the fetch
  /// are applied by the next `follow`.
  ///
  /// - Returns: Whether this list is shown now.
  @discardableResult
  public func show(_ options: FetchOptions, in collection: AssetCollection?) async -> Bool {
    generation += 1
    let mine = generation
    do {
      let fetched = try await library.fetch(options, in: collection)
      let pages = await Self.read([0, 1], of: fetched)
      guard mine == generation else { return false }
      let before = count
      take(fetched, pages)
      lookedAtBefore = [0, 1]
      edited?([ListEdit(position: 0, removedCount: before, insertedCount: fetched.count)], [])
      return true
    } catch {
      guard mine == generation else { return false }
      fail(error)
      isLoaded = true
      return false
    }
  }

  /// Brings the list up to date with the library.
  ///
  /// - Parameter selection: Indexes that follow their assets; those of deleted assets are removed.
  public func follow(_ selection: inout IndexSet) async {
    // A list that was changed or replaced during the wait is brought up to date itself: no notification may be lost to
    // it.
    while let result {
      let mine = revision
      do {
        let details = try await library.changeDetails(for: result)
        if details.isEmpty, failure == nil, mine == revision {
          self.result = details.after
          return
        }
        // The visible pages stay in memory, however often the list changes.
        if !lookedAt.isEmpty { lookedAtBefore = lookedAt }
        let pages = await Self.read(lookedAtBefore, of: details.after)
        guard mine == revision else { continue }
        let countBefore = count
        take(details.after, pages)
        let edits = details.edits
        selection = details.following(selection, edits: edits)
        edited?(details.coalesced(edits, limit: Self.editLimit, countBefore: countBefore), details.changed)
        return
      } catch {
        guard mine == revision else { continue }
        return fail(error)
      }
    }
  }

  /// Shows a list that isn't in the index: the pictures in the trash, or none while they are locked. `follow` leaves it
  /// alone; it is called again with each change.
  public func show(fixed assets: [Asset]) {
    generation += 1
    let before = count
    // Only the range that differs is replaced, so that the grid keeps its place.
    let old = fixed ?? []
    let shorter = fixed == nil ? 0 : min(old.count, assets.count)
    var (prefix, suffix) = (0, 0)
    while prefix < shorter, old[prefix] == assets[prefix] { prefix += 1 }
    while suffix < shorter - prefix, old[old.count - 1 - suffix] == assets[assets.count - 1 - suffix] { suffix += 1 }
    fixed = assets
    take(nil, [:])
    if count != assets.count { count = assets.count }
    let edit = ListEdit(
      position: prefix, removedCount: before - prefix - suffix, insertedCount: assets.count - prefix - suffix)
    if edit.removedCount > 0 || edit.insertedCount > 0 { edited?([edit], []) }
  }

  private func take(_ new: FetchResult?, _ read: [Int: [Asset?]]) {
    result = new
    if new != nil { fixed = nil }
    revision += 1
    pages = read
    reading.removeAll(keepingCapacity: true)
    lookedAt.removeAll(keepingCapacity: true)
    if failure != nil { failure = nil }
    if !isLoaded { isLoaded = true }
    if let new, count != new.count { count = new.count }
  }

  /// The asset at an index; `nil` outside the list, for an asset that is gone, and when it can't be read, which sets
  /// `failure`. Read off the main thread if it isn't in memory.
  public func asset(at index: Int) async -> Asset? {
    if let fixed { return fixed.indices.contains(index) ? fixed[index] : nil }
    while let result, (0..<result.count).contains(index) {
      let number = index / Self.pageSize
      if let page = pages[number] { return page[index % Self.pageSize] }
      let mine = revision
      do throws(PhotoLibraryError) {
        let page = try await Self.page(number, of: result)
        // A list that has changed in the meantime has other pages.
        if mine == revision { keep(page, number) }
      } catch {
        guard mine == revision else { continue }
        // The next change, or the next attempt, reads it again.
        fail(error)
        return nil
      }
    }
    return nil
  }

  /// The asset at an index if its page has been read: for scrolling, which must not wait for a disk. Otherwise the page
  /// is read off the main thread, and `pageArrived` is called afterward.
  public func assetIfRead(at index: Int) -> Asset? {
    _ = revision
    if let fixed { return fixed.indices.contains(index) ? fixed[index] : nil }
    guard let result, (0..<result.count).contains(index) else { return nil }
    let number = index / Self.pageSize
    let first = number * Self.pageSize
    lookedAt.insert(number)
    if let page = pages[number] { return page[index - first] }
    guard reading.insert(number).inserted else { return nil }
    let mine = revision
    Task { [weak self] in
      do throws(PhotoLibraryError) {
        let page = try await Self.page(number, of: result)
        // A list that has changed in the meantime has other pages.
        guard let self, mine == revision else { return }
        reading.remove(number)
        keep(page, number)
        pageArrived?()
        pageRead?()
      } catch {
        guard let self, mine == revision else { return }
        reading.remove(number)
        fail(error)
      }
    }
    return nil
  }

  /// Reads a page off the main thread.
  private nonisolated static func page(
    _ number: Int, of result: FetchResult
  ) async throws(PhotoLibraryError) -> [Asset?] {
    let first = number * pageSize
    let range = first..<min(first + pageSize, result.count)
    return try await Blocking.run { () throws(PhotoLibraryError) in try result.assets(in: range) }
  }

  /// Reads pages off the main thread. Those that can't be read are left out: whoever asks for them gets the error.
  private nonisolated static func read(_ numbers: Set<Int>, of result: FetchResult) async -> [Int: [Asset?]] {
    await Task.detached(priority: .userInitiated) {
      var pages: [Int: [Asset?]] = [:]
      for number in numbers.sorted().prefix(refreshLimit) where number * pageSize < result.count {
        let first = number * pageSize
        pages[number] = try? result.assets(in: first..<min(first + pageSize, result.count))
      }
      return pages
    }.value
  }

  private func keep(_ page: [Asset?], _ number: Int) {
    if pages.count >= Self.pageLimit { pages.removeAll(keepingCapacity: true) }
    pages[number] = page
  }

  /// The index of an asset that is in memory, or of the one that stands for its burst; `nil` when neither is, or is in the
  /// list.
  public func indexIfRead(of asset: Asset) -> Int? {
    let id = asset.id
    if let fixed { return fixed.firstIndex { $0.id == id } }
    // The viewer asks about the same asset several times.
    if let found, found.id == id, found.revision == revision { return found.index }
    let burst = result?.options.groupsBursts == true ? asset.burstID : nil
    for (number, page) in pages {
      let place = page.firstIndex { $0?.id == id || burst != nil && $0?.burstID == burst }
      guard let place else { continue }
      found = (id, revision, number * Self.pageSize + place)
      return found?.index
    }
    return nil
  }

  /// The index of an asset, or of the one that stands for its burst, looked up off the main thread; `nil` when neither is in
  /// the list, or when the lookup fails, which sets `failure`.
  public func index(of id: Asset.ID) async -> Int? {
    while true {
      if let fixed { return fixed.firstIndex { $0.id == id } }
      guard let result else { return nil }
      let mine = revision
      do throws(PhotoLibraryError) {
        let index = try await Blocking.run { () throws(PhotoLibraryError) in try result.firstIndex(of: id) }
        // In a list that has changed in the meantime it may be somewhere else.
        if mine == revision { return index }
      } catch {
        guard mine == revision else { continue }
        fail(error)
        return nil
      }
    }
  }

  private func fail(_ error: PhotoLibraryError) {
    // Observers are notified once, however many assets can't be read.
    if failure != error.description { failure = error.description }
  }

  /// The assets at these indexes, without those that are gone; `nil` unless all of them are in memory.
  public func assetsIfRead(at indexes: IndexSet) -> [Asset]? {
    if let fixed { return indexes.filter { fixed.indices.contains($0) }.map { fixed[$0] } }
    var assets: [Asset] = []
    for index in indexes where index < count {
      guard let page = pages[index / Self.pageSize] else { return nil }
      if let asset = page[index % Self.pageSize] { assets.append(asset) }
    }
    return assets
  }

  /// The assets at these indexes, without those that are gone; read off the main thread.
  ///
  /// - Throws: `PhotoLibraryError` when the index can't be read.
  public func assets(at indexes: IndexSet) async throws(PhotoLibraryError) -> [Asset] {
    if let fixed { return indexes.filter { fixed.indices.contains($0) }.map { fixed[$0] } }
    guard let result else { return [] }
    let ranges = indexes.rangeView.map { $0.clamped(to: 0..<result.count) }
    let reading = Task.detached { () -> Result<[Asset], PhotoLibraryError> in
      do throws(PhotoLibraryError) {
        var assets: [Asset] = []
        for range in ranges { assets += try result.assets(in: range).compactMap(\.self) }
        return .success(assets)
      } catch { return .failure(error) }
    }
    return try await reading.value.get()
  }
}

extension FetchResultChangeDetails {
  /// The change as edits: deletions first, from the end, then insertions, from the beginning.
  var edits: [ListEdit] {
    let leaving = Self.runs((removed + moves.map(\.from)).sorted())
    let coming = Self.runs((inserted + moves.map(\.to)).sorted())
    return leaving.reversed().map { ListEdit(position: $0.lowerBound, removedCount: $0.count, insertedCount: 0) }
      + coming.map { ListEdit(position: $0.lowerBound, removedCount: 0, insertedCount: $0.count) }
  }

  /// The same edits, or a single one from the first position on when there are too many.
  func coalesced(_ edits: [ListEdit], limit: Int, countBefore: Int) -> [ListEdit] {
    guard edits.count > limit, let first = edits.map(\.position).min() else { return edits }
    return [ListEdit(position: first, removedCount: countBefore - first, insertedCount: after.count - first)]
  }

  /// The selected indexes after the change.
  func following(_ selection: IndexSet, edits: [ListEdit]) -> IndexSet {
    guard !selection.isEmpty else { return selection }
    var indexes = selection
    for edit in edits {
      if edit.removedCount > 0 {
        let end = edit.position + edit.removedCount
        indexes.remove(integersIn: edit.position..<end)
        indexes.shift(startingAt: end, by: -edit.removedCount)
      } else {
        indexes.shift(startingAt: edit.position, by: edit.insertedCount)
      }
    }
    for move in moves where selection.contains(move.from) { indexes.insert(move.to) }
    return indexes
  }

  /// Adjacent numbers of an ascending list as ranges.
  private static func runs(_ indexes: [Int]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for index in indexes {
      if let last = runs.last, last.upperBound == index {
        runs[runs.count - 1] = last.lowerBound..<index + 1
      } else {
        runs.append(index..<index + 1)
      }
    }
    return runs
  }
}
