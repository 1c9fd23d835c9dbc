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

  init(albums: [AssetCollection] = [], lists: [CollectionList] = [], counts: [AssetCollection.ID: Int] = [:]) {
    (self.albums, self.lists, self.counts) = (albums, lists, counts)
  }

  /// The rows: in each folder its folders first, then its albums. Items whose folder is missing, or which are inside
  /// themselves, stand at the top level.
  func items(collapsed: Set<CollectionList.ID>) -> [SidebarItem] {
    let reachable = reachableLists
    func parent(_ id: CollectionList.ID?) -> CollectionList.ID? { id.flatMap { reachable.contains($0) ? $0 : nil } }
    let listsByParent = Dictionary(grouping: lists) { reachable.contains($0.id) ? parent($0.listID) : nil }
    let albumsByParent = Dictionary(grouping: albums) { parent($0.listID) }
    var items: [SidebarItem] = []
    func add(_ list: CollectionList.ID?, _ depth: Int) {
      for child in listsByParent[list] ?? [] {
        let isExpanded = !collapsed.contains(child.id)
        items.append(SidebarItem(.list(child, isExpanded: isExpanded), depth: depth))
        // Folders that contain each other in a cycle aren't descended into.
        if isExpanded, reachable.contains(child.id) { add(child.id, depth + 1) }
      }
      items += (albumsByParent[list] ?? []).map {
        .init(.collection($0, count: $0.kind == .album ? counts[$0.id] ?? 0 : nil), depth: depth)
      }
    }
    add(nil, 0)
    return items
  }

  /// The folders whose chain of parents ends.
  private var reachableLists: Set<CollectionList.ID> {
    let parents = Dictionary(lists.map { ($0.id, $0.listID) }, uniquingKeysWith: { first, _ in first })
    return Set(
      lists.map(\.id).filter { id in
        var next: CollectionList.ID? = id
        var steps = 0
        while let list = next, let above = parents[list], steps <= lists.count { (next, steps) = (above, steps + 1) }
        return steps <= lists.count
      })
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
