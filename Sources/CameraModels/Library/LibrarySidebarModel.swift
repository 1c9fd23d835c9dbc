// The library's sidebar: smart albums, albums in their folders, and days.

import Localization
import Observation
import PhotoLibrary

/// Reads a library's albums and days, and arranges them in rows.
@MainActor @Observable
public final class LibrarySidebarModel {
  /// Smart albums, albums, and days.
  public private(set) var rows: [SidebarItem] = []
  /// Albums and their folders.
  public private(set) var tree = AlbumTree()

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var moments: [Moment] = []
  @ObservationIgnored private var collapsedLists: Set<CollectionList.ID> = []
  @ObservationIgnored private var generation = 0
  @ObservationIgnored private var reading: Task<Void, Never>?

  init(library: PhotoLibrary, messages: MessageModel) {
    self.library = library
    self.messages = messages
  }

  /// All collections that can be shown, including those in collapsed folders.
  var collections: [AssetCollection] {
    SmartAlbum.allCases.map { AssetCollection($0) } + [.recentlyDeleted] + tree.albums
      + moments.map { AssetCollection($0) }
  }

  /// Expands or collapses a folder of albums.
  public func setExpanded(_ isExpanded: Bool, _ list: CollectionList.ID) {
    let isChanged = isExpanded ? collapsedLists.remove(list) != nil : collapsedLists.insert(list).inserted
    if isChanged { rebuild() }
  }

  /// Returns when the rows are up to date, even if they are requested again in the meantime.
  func load() async {
    generation += 1
    let mine = generation
    var current = Task { await read(mine) }
    reading = current
    await current.value
    // A later change has requested them again.
    while let newer = reading, newer != current {
      current = newer
      await current.value
    }
  }

  private func read(_ mine: Int) async {
    do {
      let albums = try await library.fetchAlbums()
      let lists = try await library.fetchLists()
      // As many as the grid lists.
      var options = FetchOptions()
      options.groupsBursts = true
      let counts = try await library.fetchAlbumCounts(groupsBursts: true)
      let moments = try await library.fetchMoments(options)
      guard mine == generation else { return }
      let new = AlbumTree(albums: albums, lists: lists, counts: counts)
      if new != tree { tree = new }
      self.moments = moments
      collapsedLists.formIntersection(lists.map(\.id))
      rebuild()
    } catch { messages.post(error.description) }
  }

  private func rebuild() {
    let automatic = SmartAlbum.allCases.map { AssetCollection($0) } + [.recentlyDeleted]
    var items = automatic.map { SidebarItem(.collection($0, count: nil)) }
    let albums = tree.items(collapsed: collapsedLists)
    if !albums.isEmpty { items += [.albumsHeading] + albums }
    if !moments.isEmpty {
      items.append(SidebarItem(.heading(localized("Days"))))
      items += moments.map { SidebarItem(.collection(AssetCollection($0), count: $0.count)) }
    }
    if items != rows { rows = items }
  }
}
