// The library's sidebar: smart albums, albums in their folders, places, and months with their days.

import Localization
import Observation
import PhotoLibrary

/// Reads a library's albums, places, months and days, and arranges them in rows.
@MainActor @Observable
public final class LibrarySidebarModel {
  /// Smart albums, albums, places, and months.
  public private(set) var rows: [SidebarItem] = []
  /// Albums and their folders.
  public private(set) var tree = AlbumTree()

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var moments: [Moment] = []
  @ObservationIgnored private var places: [PhotoPlace] = []
  /// The kinds of which there are pictures.
  @ObservationIgnored private var kinds: Set<SearchKind> = []
  /// Smart albums that are listed only when there is something in them.
  private static let sparse: Set<SmartAlbum> = [.screenshots, .panoramas, .raw, .edited]
  @ObservationIgnored private var collapsedLists: Set<CollectionList.ID> = []
  @ObservationIgnored private var expandedGroups: Set<AssetCollection.ID> = []
  @ObservationIgnored private var generation = 0
  @ObservationIgnored private var reading: Task<Void, Never>?

  init(library: PhotoLibrary, messages: MessageModel) {
    self.library = library
    self.messages = messages
  }

  /// All collections that can be shown, including those in collapsed folders.
  var collections: [AssetCollection] {
    SmartAlbum.allCases.map { AssetCollection($0) } + [.recentlyDeleted] + tree.albums
      + places.flatMap { [AssetCollection($0)] + $0.cities.map { AssetCollection($0) } }
      + months.map { AssetCollection($0.month) } + moments.map { AssetCollection($0) }
  }

  /// The days of each month, newest first.
  private var months: [(month: Month, moments: ArraySlice<Moment>)] {
    var months: [(month: Month, moments: ArraySlice<Moment>)] = []
    for index in moments.indices {
      let month = Month(day: moments[index].day)
      if months.last?.month == month {
        months[months.count - 1].moments = moments[months[months.count - 1].moments.startIndex...index]
      } else {
        months.append((month, moments[index...index]))
      }
    }
    return months
  }

  /// Expands or collapses a folder of albums, a country or a month.
  public func setExpanded(_ isExpanded: Bool, _ id: SidebarItem.ID) {
    let isChanged =
      if tree.isList(id) {
        isExpanded ? collapsedLists.remove(id) != nil : collapsedLists.insert(id).inserted
      } else {
        isExpanded ? expandedGroups.insert(id).inserted : expandedGroups.remove(id) != nil
      }
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
      let places = try await library.fetchPlaces(groupsBursts: true)
      let kinds = try await library.fetchKinds(among: Self.sparse.compactMap(\.searchKind))
      guard mine == generation else { return }
      let new = AlbumTree(albums: albums, lists: lists, counts: counts)
      if new != tree { tree = new }
      (self.moments, self.places, self.kinds) = (moments, places, kinds)
      collapsedLists.formIntersection(lists.map(\.id))
      rebuild()
    } catch { messages.post(error.description) }
  }

  private func rebuild() {
    let smart = SmartAlbum.allCases.filter { album in
      !Self.sparse.contains(album) || album.searchKind.map(kinds.contains) == true
    }
    let automatic = smart.map { AssetCollection($0) } + [.recentlyDeleted]
    var items = automatic.map { SidebarItem(.collection($0, count: nil)) }
    let albums = tree.items(collapsed: collapsedLists)
    if !albums.isEmpty { items += [.albumsHeading] + albums }
    if !places.isEmpty { items += [SidebarItem(.heading(localized("Places")))] + placeItems }
    if !moments.isEmpty {
      items.append(SidebarItem(.heading(localized("Months"))))
      for (month, moments) in months {
        let (collection, count) = (AssetCollection(month), moments.reduce(0) { $0 + $1.count })
        let isExpanded = expandedGroups.contains(collection.id)
        items.append(SidebarItem(.group(collection, count: count, isExpanded: isExpanded)))
        guard isExpanded else { continue }
        items += moments.map { SidebarItem(.collection(AssetCollection($0), count: $0.count), depth: 1) }
      }
    }
    if items != rows { rows = items }
  }

  /// Countries with their cities, and spots.
  private var placeItems: [SidebarItem] {
    places.flatMap { place -> [SidebarItem] in
      let collection = AssetCollection(place)
      guard !place.cities.isEmpty else { return [SidebarItem(.collection(collection, count: place.count))] }
      let isExpanded = expandedGroups.contains(collection.id)
      let country = SidebarItem(.group(collection, count: place.count, isExpanded: isExpanded))
      guard isExpanded else { return [country] }
      return [country] + place.cities.map { SidebarItem(.collection(AssetCollection($0), count: $0.count), depth: 1) }
    }
  }
}
