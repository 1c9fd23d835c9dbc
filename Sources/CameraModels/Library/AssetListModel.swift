// A list of assets that is on screen: fetched, followed through every change, and read a page at a time.

import Foundation
import Observation
import PhotoLibrary

/// One stretch of a list that gives way to another.
///
/// Applied one after another, edits bring a list from one state to the next; positions are those of the list as the
/// edits before have left it.
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
  /// The asset `step` positions after another one, or before it for a negative step; `nil` where there is none.
  func neighbor(of id: Asset.ID, by step: Int) -> Asset?

  /// Called when assets were inserted, removed or moved.
  var viewedListChanged: (() -> Void)? { get set }

  /// The viewer shows this asset now: the list's own selection moves along.
  func viewerShows(_ id: Asset.ID)
}

/// What is shown of the library: eight bytes an asset, and the assets of the pages that were looked at last.
@MainActor @Observable
public final class AssetListModel {
  public private(set) var count = 0
  /// Whether the first fetch is done.
  public private(set) var isLoaded = false
  /// Why the library can't be read; `nil` while it can.
  public private(set) var failure: String?

  /// Called at each change, when the list has changed already: what to do to a copy of it, and which of its assets, by
  /// their new indexes, have other facts than before.
  @ObservationIgnored public var edited: ((_ edits: [ListEdit], _ renewed: [Int]) -> Void)?

  /// Called when a page is there that `assetIfRead` has asked for.
  @ObservationIgnored public var pageArrived: (() -> Void)?

  /// How many assets are read at once.
  public nonisolated static let pageSize = 64
  /// How many pages are kept: more than any screen shows, so that scrolling back and forth reads nothing twice.
  private static let pageLimit = 48
  /// With more stretches than this to exchange, one large one costs less.
  private static let editLimit = 64
  /// How many pages are read with a change: as many as a screen shows.
  private nonisolated static let refreshLimit = 12

  /// Grows when the list, or what is known of its assets, changes: whoever asks for an asset is told so.
  public private(set) var revision = 0

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private var result: FetchResult?
  @ObservationIgnored private var pages: [Int: [Asset?]] = [:]
  /// Numbers of the pages that somebody looked at since the list changed last.
  @ObservationIgnored private var lookedAt: Set<Int> = []
  /// Numbers of the pages that are being read.
  @ObservationIgnored private var reading: Set<Int> = []
  @ObservationIgnored private var generation = 0

  public init(library: PhotoLibrary) { self.library = library }

  /// Shows another list. Of two calls the later one counts, whichever is answered first. What changes while it is fetched
  /// comes with the next `follow`.
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
      lookedAt = [0, 1]
      edited?([ListEdit(position: 0, removedCount: before, insertedCount: fetched.count)], [])
      return true
    } catch {
      guard mine == generation else { return false }
      fail(error)
      isLoaded = true
      return false
    }
  }

  /// Brings the list along with the library.
  ///
  /// - Parameter selection: Places that follow their assets; those of assets that are gone are taken out.
  public func follow(_ selection: inout IndexSet) async {
    // A list that was changed or replaced meanwhile is brought along itself: no notice must be lost to it.
    while let result {
      let mine = revision
      do {
        let details = try await library.changeDetails(for: result)
        if details.isEmpty, failure == nil, mine == revision {
          self.result = details.after
          return
        }
        // What is on the screen stays there, however often the list changes.
        let pages = await Self.read(lookedAt, of: details.after)
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

  private func take(_ new: FetchResult, _ read: [Int: [Asset?]]) {
    result = new
    revision += 1
    pages = read
    reading.removeAll(keepingCapacity: true)
    lookedAt.removeAll(keepingCapacity: true)
    if failure != nil { failure = nil }
    if !isLoaded { isLoaded = true }
    if count != new.count { count = new.count }
  }

  /// The asset at an index; `nil` outside of the list and for one that is gone since. Reads at most one page.
  public func asset(at index: Int) -> Asset? {
    _ = revision
    guard let result, (0..<result.count).contains(index) else { return nil }
    let number = index / Self.pageSize
    let first = number * Self.pageSize
    if let page = pages[number] { return page[index - first] }
    let page: [Asset?]
    do throws(PhotoLibraryError) {
      page = try result.assets(in: first..<min(first + Self.pageSize, result.count))
    } catch {
      // The next change, or whoever tries again, reads it anew.
      fail(error)
      return nil
    }
    keep(page, number)
    return page[index - first]
  }

  /// The asset at an index when its page has been read, for whoever scrolls and waits for no disk. Else the page is read off
  /// the main thread, and `pageArrived` is called when it is there.
  public func assetIfRead(at index: Int) -> Asset? {
    _ = revision
    guard let result, (0..<result.count).contains(index) else { return nil }
    let number = index / Self.pageSize
    let first = number * Self.pageSize
    lookedAt.insert(number)
    if let page = pages[number] { return page[index - first] }
    guard reading.insert(number).inserted else { return nil }
    let (mine, range) = (revision, first..<min(first + Self.pageSize, result.count))
    Task { [weak self] in
      let read = await Task.detached(priority: .userInitiated) { () -> Result<[Asset?], PhotoLibraryError> in
        do throws(PhotoLibraryError) { return .success(try result.assets(in: range)) } catch { return .failure(error) }
      }.value
      // A list that has changed meanwhile has other pages.
      guard let self, mine == revision else { return }
      reading.remove(number)
      switch read {
      case .success(let page):
        keep(page, number)
        pageArrived?()
      case .failure(let error): fail(error)
      }
    }
    return nil
  }

  /// The latest pages of those, read off the main thread; without those that can't be read, which whoever asks for them is
  /// told of.
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

  /// Where an asset is; `nil` when it isn't in the list, or can't be looked up, which `failure` tells then.
  public func index(of id: Asset.ID) -> Int? {
    do throws(PhotoLibraryError) { return try result?.firstIndex(of: id) } catch {
      fail(error)
      return nil
    }
  }

  private func fail(_ error: PhotoLibraryError) {
    // Whoever reads the failure is told of it once, however many indexes can't be read.
    if failure != error.description { failure = error.description }
  }

  /// The assets at these indexes, without those that are gone; read off the main thread.
  public func assets(at indexes: IndexSet) async throws(PhotoLibraryError) -> [Asset] {
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
  /// The change as edits: first what goes, from the end, then what comes, from the beginning.
  var edits: [ListEdit] {
    let leaving = Self.runs((removed + moves.map(\.from)).sorted())
    let coming = Self.runs((inserted + moves.map(\.to)).sorted())
    return leaving.reversed().map { ListEdit(position: $0.lowerBound, removedCount: $0.count, insertedCount: 0) }
      + coming.map { ListEdit(position: $0.lowerBound, removedCount: 0, insertedCount: $0.count) }
  }

  /// The same edits, or one that exchanges all from the first of them on.
  func coalesced(_ edits: [ListEdit], limit: Int, countBefore: Int) -> [ListEdit] {
    guard edits.count > limit, let first = edits.map(\.position).min() else { return edits }
    return [ListEdit(position: first, removedCount: countBefore - first, insertedCount: after.count - first)]
  }

  /// Where selected indexes are after the change.
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

  /// Neighbouring numbers of a rising list as ranges.
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
