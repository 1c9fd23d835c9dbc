// The order of the pictures of an album, by the times at which they count as added.

import Foundation
import Localization

extension ChangeTransaction {
  /// In milliseconds, between two pictures that are put in order: there is room for others.
  private static let spacing: Int64 = 1000

  /// Gives pictures of an album other places.
  ///
  /// - Throws: `changesFailed` when one of them, or the one before which they come, isn't in the album.
  mutating func move(
    _ move: AssetCollectionChangeRequest.Move, in album: AssetCollection.ID
  ) throws(PhotoLibraryError) {
    var order: [(id: Asset.ID, added: Int64)] = []
    for (id, _) in try library.index.members(of: album, isOrdered: true) {
      // This block may have put them in order.
      if let added = try record(id).albums[album] { order.append((id, added)) }
    }
    let known = Set(order.map(\.id))
    for (id, record) in records where !known.contains(id) {
      if let added = record.after.albums[album] { order.append((id, added)) }
    }
    order.sort { ($0.added, $0.id) < ($1.added, $1.id) }
    let members = Set(order.map(\.id))
    var seen: Set<Asset.ID> = []
    for id in move.assets + [move.next].compactMap(\.self) where !members.contains(id) {
      let name = try library.index.asset(id: id).map { Disk.name(of: $0.url.path) } ?? id
      let title = try collection(album)?.title ?? album
      throw .changesFailed(reason: localized("“\(name)” isn’t in the album “\(title)”"))
    }
    let moved = move.assets.filter { seen.insert($0).inserted }
    guard !moved.isEmpty else { return }
    let rest = order.filter { !seen.contains($0.id) }
    // Where the picture before which they come is moved as well, it is the first behind it that isn't.
    let from = move.next.flatMap { next in order.firstIndex { $0.id == next } } ?? order.count
    let next = order[from...].first { !seen.contains($0.id) }?.id
    let at = next.flatMap { next in rest.firstIndex { $0.id == next } } ?? rest.count
    let (before, after) = (at > 0 ? rest[at - 1].added : nil, at < rest.count ? rest[at].added : nil)
    let count = Int64(moved.count)
    // Between the two there is mostly room, and no other record changes.
    let first = before ?? (after ?? 0).subtractingReportingOverflow((count + 1) * Self.spacing).partialValue
    let (room, isTooMuch) = (after ?? first.addingReportingOverflow((count + 1) * Self.spacing).partialValue)
      .subtractingReportingOverflow(first)
    guard !isTooMuch, room > count else {
      return try arrange(rest[..<at].map(\.id) + moved + rest[at...].map(\.id), in: album)
    }
    for (index, id) in moved.enumerated() { try set(first + room / (count + 1) * Int64(index + 1), of: id, in: album) }
  }

  /// Gives all pictures of an album times in this order.
  mutating func arrange(_ ids: [Asset.ID], in album: AssetCollection.ID) throws(PhotoLibraryError) {
    let end = library.now().millisecondsSince1970
    for (index, id) in ids.enumerated() {
      try set(end - Int64(ids.count - index) * Self.spacing, of: id, in: album)
    }
  }

  private mutating func set(_ added: Int64, of id: Asset.ID, in album: AssetCollection.ID) throws(PhotoLibraryError) {
    var record = try record(id)
    guard record.albums[album] != nil else { return }
    record.albums[album] = added
    set(record, of: id)
  }
}
