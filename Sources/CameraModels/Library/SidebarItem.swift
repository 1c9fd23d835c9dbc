// The rows of the sidebar: smart albums, albums in their folders, places, and months with their days.

import Localization
import PhotoLibrary

/// A row of the sidebar.
public struct SidebarItem: Hashable, Identifiable, Sendable {
  /// The kinds of rows.
  public enum Content: Hashable, Sendable {
    /// The heading of the rows below it.
    case heading(String)
    /// - count: The number of assets, where it is known without a query.
    case collection(AssetCollection, count: Int?)
    /// A month or a country. Its days or cities follow, one level deeper, when it is expanded.
    case group(AssetCollection, count: Int, isExpanded: Bool)
    /// A folder of albums. Its contents follow, one level deeper, when it is expanded.
    case list(CollectionList, isExpanded: Bool)
  }

  public let content: Content
  /// The number of folders around it.
  public let depth: Int

  init(_ content: Content, depth: Int = 0) {
    self.content = content
    self.depth = depth
  }

  public var id: String {
    switch content {
    case .heading(let title): "heading:\(title)"
    case .collection(let collection, _), .group(let collection, _, _): collection.id
    case .list(let list, _): list.id
    }
  }

  public var collection: AssetCollection? {
    switch content {
    case .collection(let collection, _), .group(let collection, _, _): collection
    case .heading, .list: nil
    }
  }

  /// The ID of a folder, a month or a country, whose contents can be shown and hidden, and whether they are shown.
  public var expansion: (id: ID, isExpanded: Bool)? {
    switch content {
    case .list(let list, let isExpanded): (list.id, isExpanded)
    case .group(let group, _, let isExpanded): (group.id, isExpanded)
    case .heading, .collection: nil
    }
  }

  /// The ID of an album or a folder that the user created; `nil` for all other rows.
  public var madeID: String? {
    switch content {
    case .heading, .group: nil
    case .collection(let collection, _): collection.isOwn ? collection.id : nil
    case .list(let list, _): list.id
    }
  }

  /// The place at which a dragged album or folder goes when it is dropped on the row of another.
  public enum DropSpot: Hashable, Sendable {
    case before
    case into
    case after
  }

  /// The place at which a dragged album or folder goes when it is dropped on this row; `nil` where it can't be dropped.
  ///
  /// - Parameter height: From the top, as a part of the row's height, 0…1.
  public func dropSpot(atHeight height: Double) -> DropSpot? {
    switch content {
    case .heading: self == .albumsHeading ? .into : nil
    case .group: nil
    case .collection(let collection, _): !collection.isOwn ? nil : height < 0.5 ? .before : .after
    case .list(_, let isExpanded):
      // Below an expanded folder is what is in it.
      height < 0.25 ? .before : height >= 0.75 && !isExpanded ? .after : .into
    }
  }

  /// The heading of the albums, which also stands for the top level outside all folders.
  public static var albumsHeading: SidebarItem { SidebarItem(.heading(localized("Albums"))) }
}

/// Albums and the folders that contain them.
public struct AlbumTree: Equatable, Sendable {
  /// By title.
  public let albums: [AssetCollection]
  /// By title.
  public let lists: [CollectionList]
  /// The number of assets of each album; empty albums are left out.
  let counts: [AssetCollection.ID: Int]
  /// What each folder lists.
  let order: CollectionOrder

  init(albums: [AssetCollection] = [], lists: [CollectionList] = [], counts: [AssetCollection.ID: Int] = [:]) {
    (self.albums, self.lists, self.counts) = (albums, lists, counts)
    order = CollectionOrder(albums: albums, lists: lists)
  }

  /// The rows, in the order of each folder. Items whose folder is missing, or which are inside themselves, stand at the top
  /// level.
  func items(collapsed: Set<CollectionList.ID>) -> [SidebarItem] {
    let albums = Dictionary(albums.map { ($0.id, $0) }) { first, _ in first }
    let lists = Dictionary(lists.map { ($0.id, $0) }) { first, _ in first }
    var items: [SidebarItem] = []
    func rows(in list: CollectionList.ID?, _ depth: Int) -> [(member: CollectionOrder.Member, depth: Int)] {
      order.members(of: list).reversed().map { ($0, depth) }
    }
    // No recursion: records of other programs may nest folders as deep as they like.
    var next = rows(in: nil, 0)
    while let (member, depth) = next.popLast() {
      if let child = lists[member.id] {
        let isExpanded = !collapsed.contains(child.id)
        items.append(SidebarItem(.list(child, isExpanded: isExpanded), depth: depth))
        if isExpanded { next += rows(in: child.id, depth + 1) }
      } else if let album = albums[member.id] {
        let count = album.kind == .album ? counts[album.id] ?? 0 : nil
        items.append(SidebarItem(.collection(album, count: count), depth: depth))
      }
    }
    return items
  }

  /// Whether an item can change places with the one above or below it in its folder.
  public func canMove(_ id: String, later: Bool) -> Bool {
    guard let (index, count) = index(of: id) else { return false }
    return later ? index + 1 < count : index > 0
  }

  /// Whether a person has arranged what is in a folder, or at the top level (`nil`).
  public func isArranged(in list: CollectionList.ID?) -> Bool { order.isArranged(in: list) }

  /// The folder in whose list an item is: also `nil` for one at the top level whose folder is missing.
  public func place(of id: String) -> CollectionList.ID? { order.list(of: id) }

  /// An item's place among those of its folder, and their number.
  private func index(of id: String) -> (index: Int, count: Int)? {
    let members = order.members(of: place(of: id))
    return members.firstIndex { $0.id == id }.map { ($0, members.count) }
  }

  /// The search of a smart album; `nil` for others.
  public func search(of id: String) -> String? {
    guard case .saved(let search)? = albums.first(where: { $0.id == id })?.kind else { return nil }
    return search
  }

  /// The title of an album or a folder.
  public func title(of id: String) -> String? {
    albums.first { $0.id == id }?.title ?? lists.first { $0.id == id }?.title
  }

  public func isList(_ id: String) -> Bool { lists.contains { $0.id == id } }

  /// The folder that contains an album or a folder; `nil` at the top level.
  public func parent(of id: String) -> CollectionList.ID? {
    (albums.first { $0.id == id }?.listID ?? lists.first { $0.id == id }?.listID).flatMap { isList($0) ? $0 : nil }
  }

  /// The folders around an album or a folder, innermost first.
  func ancestors(of id: String) -> [CollectionList.ID] {
    var ancestors: [CollectionList.ID] = []
    var next = parent(of: id)
    while let list = next, !ancestors.contains(list) {
      ancestors.append(list)
      next = parent(of: list)
    }
    return ancestors
  }

  /// The folders that an album or a folder can be moved to: neither its present one, nor any inside it.
  public func destinations(of id: String) -> [CollectionList] {
    lists.filter { $0.id != id && $0.id != parent(of: id) && !ancestors(of: $0.id).contains(id) }
  }

  /// Whether an item can be moved to a folder; `nil` is the top level.
  public func canMove(_ id: String, to list: CollectionList.ID?) -> Bool {
    guard title(of: id) != nil, parent(of: id) != list else { return false }
    return list.map { list in destinations(of: id).contains { $0.id == list } } ?? true
  }
}
