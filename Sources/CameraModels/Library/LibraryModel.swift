// The library's page: which collection is shown, what is searched for, and what is selected.

import CameraCore
import Foundation
import Observation
import PhotoLibrary

/// The whole library as a grid, with its albums and days beside it.
@MainActor @Observable
public final class LibraryModel {
  /// Whether the page is shown, or lies under the viewer.
  public private(set) var isOpen = false
  /// Whether the list has caught up with the library since the page was opened.
  public private(set) var isReady = false
  /// Albums that fill themselves, albums, days.
  public private(set) var sidebar: [SidebarItem] = []
  /// Albums, and the folders that they are in.
  public private(set) var tree = AlbumTree()
  /// Albums by title.
  public var albums: [AssetCollection] { tree.albums }
  /// What is shown.
  public private(set) var collection = AssetCollection(.all)
  /// Words that all shown assets have.
  public private(set) var searchText = ""
  /// Places of the list.
  public private(set) var selection = IndexSet()
  /// Whether clicks select; else they open.
  public private(set) var isSelecting = false
  /// Grows by one each time that the selection was changed by anything but the grid.
  public private(set) var selectionRevision = 0

  /// What the grid shows.
  public let list: AssetListModel

  @ObservationIgnored public var viewedListChanged: (() -> Void)?
  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private let images: CachingImageManager
  @ObservationIgnored private var ahead: [Asset] = []
  /// Tells the image manager; one after the other.
  @ObservationIgnored private var cachingAhead: Task<Void, Never>?
  @ObservationIgnored private var aheadSize = PixelSize(width: 0, height: 0)
  @ObservationIgnored private var listening: Task<Void, Never>?
  @ObservationIgnored private var anchor: Int?
  @ObservationIgnored private var moments: [Moment] = []
  @ObservationIgnored private var collapsedLists: Set<CollectionList.ID> = []
  @ObservationIgnored private var sidebarGeneration = 0
  @ObservationIgnored private var sidebarReading: Task<Void, Never>?

  /// - Parameter images: Makes the thumbnails.
  public init(library: PhotoLibrary, images: ImageManager, messages: MessageModel) {
    self.library = library
    self.images = CachingImageManager(images: images)
    self.messages = messages
    list = AssetListModel(library: library)
  }

  deinit { listening?.cancel() }

  // MARK: Opening

  /// Shows the page, and follows the library for as long as it is open. Returns when the list is there.
  public func open() async {
    guard !isOpen else { return }
    isOpen = true
    listen()
    if list.isLoaded { await follow() } else { await reload() }
    if isOpen { isReady = true }
  }

  public func close() {
    guard isOpen else { return }
    isOpen = false
    isReady = false
    stopSelecting()
    cacheThumbnails(of: [], size: aheadSize)
  }

  private func listen() {
    guard listening == nil else { return }
    let changes = library.changes()
    listening = Task { [weak self] in
      for await _ in changes {
        guard let self else { return }
        // While nobody looks it is left as it is, and brought along when somebody does.
        if self.isOpen { await self.follow() }
      }
    }
  }

  private func follow() async {
    await followList()
    await loadSidebar()
  }

  private func followList() async {
    let before = selection
    var indexes = before
    await list.follow(&indexes)
    viewedListChanged?()
    // What was selected meanwhile was selected in the list as it still was.
    guard indexes != before, selection == before else { return }
    setSelection(indexes)
    if isSelecting, indexes.isEmpty { stopSelecting() }
  }

  private func reload() async {
    var options = FetchOptions()
    options.text = searchText
    stopSelecting()
    // The notice of what changed while it was fetched may have gone to the list before.
    if await list.show(options, in: collection.kind == .smart(.all) ? nil : collection) { await followList() }
    if sidebar.isEmpty { await loadSidebar() }
  }

  // MARK: Collections and search

  /// Shows another collection, by its id. An unknown one is said.
  public func select(collection id: AssetCollection.ID) async {
    await openIfNeeded()
    guard let wanted = collections.first(where: { $0.id == id }) else {
      messages.post("There is no album or day “\(id)” in the library any more.")
      return
    }
    for list in tree.ancestors(of: id) { setExpanded(true, list) }
    guard wanted.id != collection.id else { return }
    collection = wanted
    await reload()
  }

  /// Shows only what has all of these words in its file's name, its camera's name or its albums' titles.
  public func search(_ text: String) async {
    await openIfNeeded()
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard trimmed != searchText else { return }
    searchText = trimmed
    await reload()
  }

  /// Reads the list and the sidebar again after a failure.
  public func tryAgain() async {
    await reload()
    await loadSidebar()
  }

  private func openIfNeeded() async {
    if !isOpen { await open() }
  }

  // MARK: The sidebar

  /// Looks up the albums, for menus on pages of others.
  public func loadAlbums() async { await loadSidebar() }

  /// Shows or hides what is in a folder of albums.
  public func setExpanded(_ isExpanded: Bool, _ list: CollectionList.ID) {
    let isChanged = isExpanded ? collapsedLists.remove(list) != nil : collapsedLists.insert(list).inserted
    if isChanged { rebuildSidebar() }
  }

  /// Returns when the sidebar is what the library says now, whoever else asks for it meanwhile.
  private func loadSidebar() async {
    sidebarGeneration += 1
    let mine = sidebarGeneration
    var reading = Task { await readSidebar(mine) }
    sidebarReading = reading
    await reading.value
    // A later change has asked again.
    while let newer = sidebarReading, newer != reading {
      reading = newer
      await reading.value
    }
  }

  private func readSidebar(_ mine: Int) async {
    do {
      let albums = try await library.fetchAlbums()
      let lists = try await library.fetchLists()
      let counts = try await library.fetchAlbumCounts()
      let moments = try await library.fetchMoments()
      guard mine == sidebarGeneration else { return }
      let new = AlbumTree(albums: albums, lists: lists, counts: counts)
      if new != tree { tree = new }
      self.moments = moments
      collapsedLists.formIntersection(lists.map(\.id))
      rebuildSidebar()
      await leaveCollectionThatIsGone()
    } catch { messages.post(error.description) }
  }

  private func rebuildSidebar() {
    var items = SmartAlbum.allCases.map { SidebarItem(.collection(AssetCollection($0), count: nil)) }
    let albums = tree.items(collapsed: collapsedLists)
    if !albums.isEmpty { items += [.albumsHeading] + albums }
    if !moments.isEmpty {
      items.append(SidebarItem(.heading("Days")))
      items += moments.map { SidebarItem(.collection(AssetCollection($0), count: $0.count)) }
    }
    if items != sidebar { sidebar = items }
  }

  /// All that can be shown, also what is in folders that are not expanded.
  private var collections: [AssetCollection] {
    SmartAlbum.allCases.map { AssetCollection($0) } + tree.albums + moments.map { AssetCollection($0) }
  }

  private func leaveCollectionThatIsGone() async {
    if let same = collections.first(where: { $0.id == collection.id }) {
      // An album may have another title by now; a day another number of pictures, which is no other day.
      if same.title != collection.title { collection = same }
      return
    }
    collection = AssetCollection(.all)
    await reload()
  }

  // MARK: Selection

  /// Selects one asset as the cursor does, without beginning to select.
  public func moveCursor(to index: Int) {
    guard !isSelecting else { return }
    anchor = index
    selection = [index]
  }

  /// Takes an asset into the selection or out of it.
  public func toggleSelection(at index: Int) {
    if !isSelecting {
      // The cursor isn't meant.
      isSelecting = true
      selection = []
    }
    anchor = index
    var indexes = selection
    if indexes.contains(index) { indexes.remove(index) } else { indexes.insert(index) }
    setSelection(indexes)
  }

  /// Selects all from the one that was selected last up to this one.
  public func extendSelection(to index: Int) {
    isSelecting = true
    let start = anchor ?? index
    setSelection(selection.union(IndexSet(integersIn: min(start, index)...max(start, index))))
  }

  /// The grid has changed the selection by itself.
  public func selectionChanged(to indexes: IndexSet) {
    guard indexes != selection else { return }
    selection = indexes
    if indexes.count > 1 { isSelecting = true }
    if indexes.count == 1 { anchor = indexes.first }
  }

  public func selectAll() {
    guard list.count > 0 else { return }
    isSelecting = true
    setSelection(IndexSet(integersIn: 0..<list.count))
  }

  /// Begins to select, with nothing selected.
  public func startSelecting() {
    guard !isSelecting else { return }
    isSelecting = true
    setSelection([])
  }

  /// Nothing is selected any more, and clicks open again.
  public func stopSelecting() {
    isSelecting = false
    anchor = nil
    if !selection.isEmpty { setSelection([]) }
  }

  private func setSelection(_ indexes: IndexSet) {
    selection = indexes
    selectionRevision += 1
  }

  /// What is selected, or under the cursor.
  public func selectedAssets() async throws(PhotoLibraryError) -> [Asset] { try await list.assets(at: selection) }

  // MARK: Days

  @ObservationIgnored private let days = DayTitle()

  /// The title of an asset's day.
  public func dayTitle(of asset: Asset) -> String { days.title(DayTitle.day(of: asset)) }

  /// The title of the day that begins at an index of the list; `nil` where none does, and where the assets haven't been read yet.
  public func titleOfDay(beginningAt index: Int) -> String? {
    guard let asset = list.assetIfRead(at: index) else { return nil }
    let day = DayTitle.day(of: asset)
    guard index > 0 else { return days.title(day) }
    guard let before = list.assetIfRead(at: index - 1), DayTitle.day(of: before) != day else { return nil }
    return days.title(day)
  }

  // MARK: Pictures

  /// The picture of an asset: a rough one first where there is one at once, then the right one. Ends when nobody listens
  /// any more, and nothing is decoded then; empty for a file that can't be read.
  public func thumbnails(of asset: Asset, size: PixelSize) -> AsyncThrowingStream<ImageResult, any Error> {
    images.requestImage(
      for: asset, targetSize: size, contentMode: .aspectFill,
      options: ImageRequestOptions(isShared: !asset.isHidden))
  }

  /// Makes the thumbnails of these assets ahead, and no others any more.
  public func cacheThumbnails(of assets: [Asset], size: PixelSize) {
    // What a person hid isn't made before it is looked at: it would be left where other programs see it.
    let assets = assets.filter { !$0.isHidden }
    guard size != aheadSize || !assets.elementsEqual(ahead, by: { $0.id == $1.id && $0.modified == $1.modified }) else {
      return
    }
    let known = Set(assets.map(\.id))
    let gone = size == aheadSize ? ahead.filter { !known.contains($0.id) } : ahead
    // Some hundred pictures are put in order there: not in the way of whoever scrolls.
    cachingAhead = Task.detached { [images, aheadSize, before = cachingAhead] in
      await before?.value
      images.stopCaching(for: gone, targetSize: aheadSize, contentMode: .aspectFill)
      images.startCaching(for: assets, targetSize: size, contentMode: .aspectFill)
    }
    (ahead, aheadSize) = (assets, size)
  }
}

extension LibraryModel: ViewedList {
  public func neighbor(of id: Asset.ID, by step: Int) -> Asset? {
    list.index(of: id).flatMap { list.asset(at: $0 + step) }
  }

  public func viewerShows(_ id: Asset.ID) {
    guard !isSelecting, let index = list.index(of: id) else { return }
    anchor = index
    setSelection([index])
  }
}
