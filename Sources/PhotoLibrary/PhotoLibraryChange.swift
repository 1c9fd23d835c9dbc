// What changed in the library, as values, and what that means for a list that someone shows.

import Foundation

/// One notice: the differences that one or more transactions made, whoever made them.
///
/// A notice carries asset values, not indexes, so that it can be applied to any list: all assets, the newest hundred,
/// a search. `details(from:limit:)` turns it into indexes for one list.
///
/// Start listening first, then fetch: what happens in between is in both, and applying it twice does no harm.
public struct PhotoLibraryChange: Sendable, Equatable {
  /// New assets, newest first.
  public var inserted: [Asset]
  /// Assets whose file or facts changed, as they are now, newest first.
  public var changed: [Asset]
  /// Assets that are gone.
  public var removed: Set<Asset.ID>
  /// `inserted` is all that the library holds, and everything else is gone. Happens to a process that was stopped for so
  /// long that the history of changes was forgotten meanwhile.
  public var isWholeLibrary: Bool

  public init(
    inserted: [Asset] = [], changed: [Asset] = [], removed: Set<Asset.ID> = [], isWholeLibrary: Bool = false
  ) {
    self.inserted = inserted
    self.changed = changed
    self.removed = removed
    self.isWholeLibrary = isWholeLibrary
  }

  public var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && removed.isEmpty && !isWholeLibrary }

  /// What this notice means for a list in newest-first order.
  ///
  /// - Parameters:
  ///   - before: The list as it is shown, in the order of `Asset.isNewer`.
  ///   - limit: The list is the newest `limit` assets, and is cut to that again. A list that was cut and then loses
  ///     assets grows shorter: fetch again when that matters.
  /// - Complexity: O(n + m log n) for n assets in the list and m in the notice.
  public func details(from before: [Asset], limit: Int? = nil) -> FetchResultChangeDetails {
    let isCut = !isWholeLibrary && (limit.map { before.count >= $0 } ?? false)
    var updates: [Asset.ID: Asset] = [:]
    for asset in inserted { updates[asset.id] = asset }
    for asset in changed { updates[asset.id] = asset }
    var removed = removed
    if isWholeLibrary { for asset in before where updates[asset.id] == nil { removed.insert(asset.id) } }
    for id in removed { updates[id] = nil }
    return FetchResultChangeDetails(before: before, updates: updates, removed: removed, isCut: isCut, limit: limit)
  }
}

/// The difference between two states of one list, as indexes.
///
/// To bring a shown list along: take out `removed` and each `moves.from` (all indexes into `before`), from the highest
/// to the lowest; put in `inserted` and each `moves.to` (all indexes into `after`), from the lowest to the highest;
/// then renew `changed` (indexes into `after`).
public struct FetchResultChangeDetails: Sendable, Equatable {
  public struct Move: Sendable, Hashable {
    /// Into `before`.
    public var from: Int
    /// Into `after`.
    public var to: Int

    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// The list as it is now.
  public var after: [Asset]
  /// Into the list before, rising.
  public var removed: [Int] = []
  /// Into `after`, rising.
  public var inserted: [Int] = []
  /// Into `after`, rising: assets with other facts than before, moved ones included.
  public var changed: [Int] = []
  /// Assets that changed their place among those that stay, rising by `to`.
  public var moves: [Move] = []

  public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && changed.isEmpty && moves.isEmpty }

  init(before: [Asset], updates: [Asset.ID: Asset], removed: Set<Asset.ID>, isCut: Bool, limit: Int?) {
    var indexBefore: [Asset.ID: Int] = [:]
    // Assets that keep their place, and those that need to be put in, with where they come from.
    var staying: [Asset] = []
    staying.reserveCapacity(before.count)
    var arriving: [Asset] = []
    for (index, asset) in before.enumerated() {
      if removed.contains(asset.id) {
        self.removed.append(index)
        continue
      }
      indexBefore[asset.id] = index
      guard let update = updates[asset.id] else {
        staying.append(asset)
        continue
      }
      if update.created == asset.created && update.url == asset.url {
        staying.append(update)
      } else {
        arriving.append(update)
      }
    }
    arriving += updates.values.filter { indexBefore[$0.id] == nil }
    arriving.sort(by: Asset.isNewer)

    var merged: [Asset] = []
    merged.reserveCapacity(staying.count + arriving.count)
    var next = arriving.startIndex
    for asset in staying {
      while next < arriving.endIndex, Asset.isNewer(arriving[next], asset) {
        merged.append(arriving[next])
        next += 1
      }
      merged.append(asset)
    }
    // What sorts behind the end of a list that was cut may have unknown assets before it: it stays outside.
    if isCut {
      for asset in arriving[next...] {
        if let index = indexBefore[asset.id] { self.removed.append(index) }
      }
    } else {
      merged += arriving[next...]
    }
    if let limit, merged.count > limit {
      for asset in merged[limit...] {
        if let index = indexBefore[asset.id] { self.removed.append(index) }
      }
      merged.removeSubrange(limit...)
    }
    self.removed.sort()
    after = merged

    let arrivingIDs = Set(arriving.map(\.id))
    for (index, asset) in merged.enumerated() {
      guard let from = indexBefore[asset.id] else {
        inserted.append(index)
        continue
      }
      if arrivingIDs.contains(asset.id) { moves.append(Move(from: from, to: index)) }
      if before[from] != asset { changed.append(index) }
    }
  }
}
