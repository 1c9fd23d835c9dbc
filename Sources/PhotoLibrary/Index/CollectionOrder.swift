// The order in which albums and folders of albums are listed.

import Foundation

/// The albums and folders of albums of a library, as each folder lists them.
///
/// A folder lists the folders in it and then the albums, each by title, until a person arranges them: then all get
/// positions, which are in their records, and folders and albums are in one order. Those without a position in an arranged
/// folder, which an older version has put there, come last. The top level is as a folder.
///
///     let order = CollectionOrder(albums: try await library.fetchAlbums(), lists: try await library.fetchLists())
///     order.members(of: nil).map(\.title)  // ["2026", "Sea"]
///
/// Those whose folder is missing, or which are inside themselves, are at the top.
public struct CollectionOrder: Sendable, Equatable {
  /// An album or a folder of albums.
  public struct Member: Sendable, Hashable, Identifiable {
    public let id: String
    public let title: String
    /// Whether it is a folder.
    public let isList: Bool
    var parent: CollectionList.ID?
    var position: Int64?

    init(_ album: AssetCollection) {
      (id, title, isList) = (album.id, album.title, false)
      (parent, position) = (album.listID, album.position)
    }

    init(_ list: CollectionList) {
      (id, title, isList) = (list.id, list.title, true)
      (parent, position) = (list.listID, list.position)
    }

    init(_ id: String, _ record: CollectionRecord) {
      (self.id, title, isList) = (id, record.title, record.kind == .folder)
      (parent, position) = (record.parent, record.position)
    }
  }

  private let members: [CollectionList.ID?: [Member]]

  public init(albums: [AssetCollection], lists: [CollectionList]) {
    self.init(lists.map { Member($0) } + albums.map { Member($0) })
  }

  init(_ all: [Member]) {
    let lists = Self.reachableLists(all)
    members = Dictionary(grouping: all) { member in
      // A folder that is in itself is at the top, and so is what is in it.
      member.isList && !lists.contains(member.id) ? nil : member.parent.flatMap { lists.contains($0) ? $0 : nil }
    }.mapValues(Self.sorted)
  }

  /// What is in a folder, or at the top (`nil`), in the order in which it is listed.
  public func members(of list: CollectionList.ID?) -> [Member] { members[list] ?? [] }

  /// Whether a person has arranged what is in a folder, or at the top (`nil`).
  public func isArranged(in list: CollectionList.ID?) -> Bool { members(of: list).contains { $0.position != nil } }

  /// All albums and folders: each folder is followed by what is in it.
  public var all: [Member] {
    var all: [Member] = []
    // No recursion: records of other programs may nest folders as deep as they like.
    var next = Array(members(of: nil).reversed())
    while let member = next.popLast() {
      all.append(member)
      if member.isList { next += members(of: member.id).reversed() }
    }
    return all
  }

  /// The folder in whose list an album or a folder is; `nil` at the top.
  public func list(of id: String) -> CollectionList.ID? {
    members.first { $0.value.contains { $0.id == id } }?.key
  }

  /// The ID of the album or folder that is listed behind another one in its folder; `nil` when that is the last one.
  ///
  /// - Parameter moved: The ID of one that is left out, as it goes elsewhere.
  public func follower(of id: String, without moved: String) -> String? {
    members(of: list(of: id)).map(\.id).filter { $0 != moved || $0 == id }.drop { $0 != id }.dropFirst().first
  }

  private static func sorted(_ members: [Member]) -> [Member] {
    let keyed = members.map { (member: $0, title: SearchText.folded($0.title)) }
    return keyed.sorted { one, two in
      switch (one.member.position, two.member.position) {
      case (let first?, let second?) where first != second: return first < second
      case (.some, nil): return true
      case (nil, .some): return false
      default: break
      }
      if one.member.isList != two.member.isList { return one.member.isList }
      return one.title == two.title
        ? one.member.id < two.member.id : one.title.utf8.lexicographicallyPrecedes(two.title.utf8)
    }.map(\.member)
  }

  /// The folders whose chain of parents ends.
  private static func reachableLists(_ all: [Member]) -> Set<CollectionList.ID> {
    let lists = all.filter(\.isList)
    let parents = Dictionary(lists.map { ($0.id, $0.parent) }) { first, _ in first }
    var ends: [CollectionList.ID: Bool] = [:]
    for list in lists {
      var next: CollectionList.ID? = list.id
      var chain: [CollectionList.ID] = []
      while let list = next, let above = parents[list], ends[list] == nil {
        // Until the chain ends: one that comes back to this one doesn't.
        ends[list] = false
        chain.append(list)
        next = above
      }
      if next.flatMap({ ends[$0] }) ?? true { for list in chain { ends[list] = true } }
    }
    return Set(lists.map(\.id).filter { ends[$0] == true })
  }
}
