// The steps of changes to albums and folders of albums.

import Foundation
import Localization

extension ChangeTransaction {
  mutating func createCollection(
    _ id: String, _ kind: CollectionRecord.Kind, title: String, _ place: CollectionPlace, search: String? = nil
  ) throws(PhotoLibraryError) {
    let title = try cleaned(title)
    let search = try search.map { search throws(PhotoLibraryError) in try cleaned(search: search) }
    try checkPlace(place, of: id)
    _ = try collection(id)
    var record = CollectionRecord(
      kind: kind, title: title, parent: place.parent, created: library.now().millisecondsSince1970, search: search)
    record.position = try endPosition(in: place.parent, for: id)
    set(record, of: id)
  }

  mutating func change(_ request: AssetCollectionChangeRequest) throws(PhotoLibraryError) {
    var album = try existing(request.id, .album)
    if let title = request.title { album.title = try cleaned(title) }
    if let place = request.place {
      try checkPlace(place, of: request.id)
      if album.parent != place.parent { album.position = try endPosition(in: place.parent, for: request.id) }
      album.parent = place.parent
    }
    if album.search != nil {
      if let search = request.search { album.search = try cleaned(search: search) }
      guard request.addedAssets.isEmpty, request.removedAssets.isEmpty, request.move == nil,
        request.isOrdered != true
      else {
        throw .changesFailed(
          reason: localized("“\(album.title)” is a smart album, whose items are those that its search finds"))
      }
    }
    switch request.cover {
    case nil: break
    case .usual: album.cover = nil
    case .asset(let id): album.cover = try asset(id).id
    }
    if request.isOrdered == true || request.move != nil, !album.isOrdered {
      // What is seen stays where it is.
      try arrange(try library.index.members(of: request.id, isOrdered: false).map(\.0), in: request.id)
    }
    album.isOrdered = request.move == nil ? request.isOrdered ?? album.isOrdered : true
    set(album, of: request.id)
    if let move = request.move { try self.move(move, in: request.id) }
    // In the given order, a millisecond apart.
    let first = try request.addedAssets.isEmpty ? 0 : nextAdditionTime(in: request.id)
    for (index, id) in request.addedAssets.enumerated() {
      let isNew = records(of: id)
      if !isNew { _ = try asset(id) }
      var record = try record(id)
      if record.albums[request.id] == nil { record.albums[request.id] = first + Int64(index) }
      set(record, of: id)
    }
    for id in request.removedAssets {
      var record = try record(id)
      record.albums[request.id] = nil
      set(record, of: id)
    }
    // Its title is in the metadata of all members.
    if request.title != nil { try touchMembers(of: request.id) }
  }

  mutating func change(_ request: CollectionListChangeRequest) throws(PhotoLibraryError) {
    var list = try existing(request.id, .folder)
    if let title = request.title { list.title = try cleaned(title) }
    if let place = request.place {
      try checkPlace(place, of: request.id)
      if list.parent != place.parent { list.position = try endPosition(in: place.parent, for: request.id) }
      list.parent = place.parent
    }
    set(list, of: request.id)
  }

  mutating func deleteCollection(_ id: String, _ kind: CollectionRecord.Kind) throws(PhotoLibraryError) {
    let deleted = try existing(id, kind)
    let order = try kind == .folder ? members(of: id).map(\.id) : []
    set(nil, of: id)
    switch kind {
    case .album:
      for member in try library.index.members(of: id) {
        var record = try record(member)
        record.albums[id] = nil
        set(record, of: member)
      }
    case .folder:
      // Those in a folder that is in itself are listed elsewhere.
      for child in try order + library.index.children(of: id).filter({ !order.contains($0) }) {
        guard var record = try collection(child) else { continue }
        record.parent = deleted.parent
        record.position = try endPosition(in: deleted.parent, for: child)
        set(record, of: child)
      }
    }
  }

  /// Reads the records of all members, so that their metadata is updated.
  mutating func touchMembers(of id: AssetCollection.ID) throws(PhotoLibraryError) {
    for member in try library.index.members(of: id) { _ = try record(member) }
  }

  /// Whether this block adds the asset.
  private func records(of id: Asset.ID) -> Bool { createdIDs.contains(id) }

  private mutating func existing(_ id: String, _ kind: CollectionRecord.Kind) throws(PhotoLibraryError)
    -> CollectionRecord
  {
    guard let found = try collection(id), found.kind == kind else { throw .unknownCollection(id: id) }
    return found
  }

  /// A folder must exist, and must not be moved into itself.
  mutating func checkPlace(_ place: CollectionPlace, of id: String) throws(PhotoLibraryError) {
    var next = place.parent
    var steps = 0
    while let list = next {
      steps += 1
      guard list != id, steps < 100 else {
        throw .changesFailed(reason: localized("a folder can’t be moved into itself"))
      }
      next = try existing(list, .folder).parent
    }
  }

  private func cleaned(search: String) throws(PhotoLibraryError) -> String {
    let search = search.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !search.isEmpty else { throw .changesFailed(reason: localized("a smart album needs a search")) }
    return search
  }

  private func cleaned(_ title: String) throws(PhotoLibraryError) -> String {
    let title = title.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !title.isEmpty else { throw .changesFailed(reason: localized("an album needs a title")) }
    return title
  }
}
