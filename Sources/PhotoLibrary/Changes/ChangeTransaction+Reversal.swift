// The steps of reversing a change, and the description of a change from which it can be reversed.

import Foundation

extension ChangeTransaction {
  /// What this block changes in records. Pictures that it deletes for good are left out.
  var reversible: ReversibleChange {
    var change = ReversibleChange()
    for (id, record) in records where !removedAssets.contains(id) {
      var asset = ReversibleChange.AssetChange(record.before, record.after)
      asset.capture = captures[id]
      if !asset.isEmpty { change.assets[id] = asset }
    }
    for (id, record) in collections where record.before != record.after {
      change.collections[id] = .init(before: record.before.map(Self.text), after: record.after.map(Self.text))
    }
    return change
  }

  private static func text(_ record: CollectionRecord) -> String { String(decoding: record.json, as: UTF8.self) }

  /// Takes a change back, value by value: what was changed again since stays as it is.
  mutating func reverse(_ change: ReversibleChange) throws(PhotoLibraryError) {
    let parts = change.collections.sorted { $0.key < $1.key }
    // A folder must be there before anything is put into it, and its id may sort after those of its albums.
    var broughtBack: [String] = []
    for (id, part) in parts {
      if let before = part.before, part.after == nil, try bringBack(id, before) { broughtBack.append(id) }
    }
    for id in broughtBack { try place(id) }
    for (id, part) in parts {
      if let before = part.before, let after = part.after { try reverse(id, before, after) }
    }
    for (id, part) in change.assets.sorted(by: { $0.key < $1.key }) { try reverse(part, of: id) }
    // An album that was created has lost its pictures by now.
    for (id, part) in parts where part.after != nil && part.before == nil { try takeAway(id) }
  }

  // MARK: Albums and folders

  private func parsed(_ text: String, _ id: String) throws(PhotoLibraryError) -> CollectionRecord {
    try CollectionRecord(json: Data(text.utf8), path: folder.album(id))
  }

  /// An album or a folder was deleted.
  ///
  /// - Returns: Whether it is back.
  private mutating func bringBack(_ id: String, _ before: String) throws(PhotoLibraryError) -> Bool {
    // Untrusted input: the id becomes part of a path.
    guard AssetIdentity.isID(id) else {
      reversal.missing += 1
      return false
    }
    guard try collection(id) == nil else {
      reversal.overridden += 1
      return false
    }
    var record = try parsed(before, id)
    // Those beside it may be listed by title again.
    let beside = try members(of: record.parent)
    if !beside.isEmpty, beside.allSatisfy({ $0.position == nil }) { record.position = nil }
    set(record, of: id)
    return true
  }

  /// An album or a folder was renamed or moved.
  private mutating func reverse(_ id: String, _ before: String, _ after: String) throws(PhotoLibraryError) {
    guard var record = try collection(id) else { return reversal.missing += 1 }
    let (before, after) = (try parsed(before, id), try parsed(after, id))
    var isOverridden = false
    if before.title != after.title {
      if record.title == after.title { record.title = before.title } else { isOverridden = true }
    }
    if before.parent != after.parent {
      if record.parent == after.parent { record.parent = before.parent } else { isOverridden = true }
    }
    if before.isOrdered != after.isOrdered {
      if record.isOrdered == after.isOrdered { record.isOrdered = before.isOrdered } else { isOverridden = true }
    }
    if before.cover != after.cover {
      if record.cover == after.cover { record.cover = before.cover } else { isOverridden = true }
    }
    if before.search != after.search {
      if record.search == after.search { record.search = before.search } else { isOverridden = true }
    }
    if before.position != after.position {
      if record.position == after.position { record.position = before.position } else { isOverridden = true }
    }
    if isOverridden { reversal.overridden += 1 }
    let isRenamed = record.title != collections[id]?.after?.title
    set(record, of: id)
    try place(id)
    if isRenamed, record.kind == .album { try touchMembers(of: id) }
  }

  /// An album or a folder was created.
  private mutating func takeAway(_ id: String) throws(PhotoLibraryError) {
    guard let record = try collection(id) else { return reversal.missing += 1 }
    try deleteCollection(id, record.kind)
  }

  /// Puts an album or a folder to the top if its own folder is gone or lies in it by now.
  private mutating func place(_ id: String) throws(PhotoLibraryError) {
    guard var record = try collection(id), let parent = record.parent else { return }
    do throws(PhotoLibraryError) { try checkPlace(.list(parent), of: id) } catch {
      switch error {
      case .unknownCollection, .changesFailed:
        record.parent = nil
        set(record, of: id)
      default: throw error
      }
    }
  }

  // MARK: Pictures

  private mutating func reverse(
    _ change: ReversibleChange.AssetChange, of id: Asset.ID
  ) throws(PhotoLibraryError) {
    // Untrusted input, as above.
    guard AssetIdentity.isID(id) else { return reversal.missing += 1 }
    var record = try record(id)
    // A picture in the trash still has its record, and comes back with it.
    guard try library.index.asset(id: id) != nil || records[id]?.mark != nil else { return reversal.missing += 1 }
    var isOverridden = false
    func takeBack(_ mark: ReversibleChange.Mark?, _ value: inout Bool) {
      guard let mark, value != mark.before else { return }
      if value == mark.after { value = mark.before } else { isOverridden = true }
    }
    takeBack(change.favorite, &record.isFavorite)
    takeBack(change.hidden, &record.isHidden)
    takeBack(change.keyPhoto, &record.isKeyPhoto)
    for (album, membership) in change.albums {
      let isMember = record.albums[album] != nil
      if let before = membership.before, let after = membership.after {
        // Another place in the album's order.
        if record.albums[album] == after {
          record.albums[album] = before
        } else if record.albums[album] != before {
          isOverridden = true
        }
        continue
      }
      guard isMember != (membership.before != nil) else { continue }
      if let before = membership.before {
        // The album may have been deleted since.
        guard try collection(album)?.kind == .album else {
          isOverridden = true
          continue
        }
        record.albums[album] = before
      } else {
        record.albums[album] = nil
      }
    }
    set(record, of: id)
    if let capture = change.capture, try reverse(capture, of: id) { isOverridden = true }
    if isOverridden { reversal.overridden += 1 }
  }
}
