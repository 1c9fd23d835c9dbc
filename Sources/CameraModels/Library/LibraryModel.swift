// The library's page: the collection shown, the search, and the selection.

import CameraCore
import Foundation
import Localization
import Observation
import PhotoLibrary

/// The library as a grid, with its albums and days in a sidebar.
@MainActor @Observable
public final class LibraryModel {
  /// Whether the page is open, in front or under the viewer.
  public private(set) var isOpen = false
  /// Whether the list has caught up with the library since the page was opened.
  public private(set) var isReady = false
  /// Albums and their folders.
  public var tree: AlbumTree { sidebar.tree }
  /// Albums, by title.
  public var albums: [AssetCollection] { sidebar.tree.albums.filter { $0.kind == .album } }
  /// The collection that is shown.
  public private(set) var collection = AssetCollection(.all)
  /// The search that all shown assets match.
  public private(set) var searchText = ""
  /// The selected indexes of the list.
  public private(set) var selection = IndexSet()
  /// Whether clicks select; otherwise they open.
  public private(set) var isSelecting = false
  /// Grows each time the selection changes for any other reason than the grid.
  public private(set) var selectionRevision = 0

  /// The folder of the pictures.
  public var folder: URL { library.folder }

  /// The list that the grid shows.
  public let list: AssetListModel
  /// The albums and days beside the grid.
  public let sidebar: LibrarySidebarModel
  /// What completes the search that is being typed.
  public let suggestions: SearchSuggestionsModel
  /// The pictures in the trash, which the grid shows while the collection is `recentlyDeleted`.
  public let recentlyDeleted: RecentlyDeletedModel

  @ObservationIgnored public var viewedListChanged: (() -> Void)?
  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored let lock: HiddenLock?
  @ObservationIgnored private var lockObservation: ModelObservation?
  @ObservationIgnored private let images: CachingImageManager
  @ObservationIgnored private var ahead: [Asset] = []
  /// Updates the image manager, one change after another.
  @ObservationIgnored private var cachingAhead: Task<Void, Never>?
  @ObservationIgnored private var aheadSize = PixelSize(width: 0, height: 0)
  @ObservationIgnored private var listening: Task<Void, Never>?
  @ObservationIgnored private var opening: Task<Void, Never>?
  @ObservationIgnored var anchor: Int?
  /// The asset that was looked for in a state of the list, and whether it is to be marked when it is found.
  @ObservationIgnored var located: (id: Asset.ID, revision: Int)?
  @ObservationIgnored var marksLocated = false
  /// Whether the viewer waits for a page of the list.
  @ObservationIgnored var awaitsPage = false
  /// The assets that were read for a drag, by their indexes in a state of the list.
  var prepared: (indexes: IndexSet, revision: Int, assets: [Asset])?

  /// - Parameters:
  ///   - images: Makes the thumbnails.
  ///   - lock: Keeps hidden pictures closed; `nil` never does.
  public init(library: PhotoLibrary, images: ImageManager, messages: MessageModel, lock: HiddenLock? = nil) {
    self.library = library
    self.images = CachingImageManager(images: images)
    self.messages = messages
    self.lock = lock
    list = AssetListModel(library: library)
    sidebar = LibrarySidebarModel(library: library, messages: messages)
    suggestions = SearchSuggestionsModel(library: library, messages: messages)
    recentlyDeleted = RecentlyDeletedModel(library: library, lock: lock)
    recentlyDeleted.changed = { [weak self] in self?.showDeleted() }
    list.pageRead = { [weak self] in self?.pageWasRead() }
    guard let lock else { return }
    lockObservation = ModelObservation(of: { lock.isClosed }) { [weak self] _ in self?.lockChanged() }
  }

  deinit { listening?.cancel() }

  // MARK: Opening

  /// Opens the page, and follows the library while it is open. Returns when the list is loaded.
  public func open() async {
    if !isOpen {
      isOpen = true
      listen()
      opening = Task { await self.catchUp() }
    }
    // Whoever else opens it in the meantime waits, too.
    await opening?.value
  }

  private func catchUp() async {
    if list.isLoaded, !list.isFixed, !isLocked { await follow() } else { await reload() }
    if isOpen { isReady = true }
  }

  public func close() {
    guard isOpen else { return }
    isOpen = false
    isReady = false
    stopSelecting()
    recentlyDeleted.stop()
    lock?.close()
    if collection.kind == .smart(.hidden) {
      // Whoever opens the library next may not be alone.
      collection = AssetCollection(.all)
      list.show(fixed: [])
    }
    cacheThumbnails(of: [], size: aheadSize)
  }

  private func listen() {
    guard listening == nil else { return }
    let changes = library.changes()
    listening = Task { [weak self] in
      for await _ in changes {
        guard let self else { return }
        self.suggestions.invalidate()
        // A closed page isn't updated; it catches up when it is opened.
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
    // A selection that was made during the wait refers to the list before the change.
    guard indexes != before, selection == before else { return }
    setSelection(indexes)
    if isSelecting, indexes.isEmpty { stopSelecting() }
  }

  /// The options of the list.
  private var options: FetchOptions {
    var options = FetchOptions()
    options.text = searchText
    options.groupsBursts = true
    return options
  }

  /// The collection of the list; `nil` for the whole library.
  private var listed: AssetCollection? { collection.kind == .smart(.all) ? nil : collection }

  func reload() async {
    stopSelecting()
    if isLocked || isShowingDeleted {
      list.show(fixed: [])
      viewedListChanged?()
      if isShowingDeleted { await recentlyDeleted.follow() }
      if sidebar.rows.isEmpty { await loadSidebar() }
      return
    }
    // The notification of a change during the fetch may have reached the previous list.
    if await list.show(options, in: listed) { await followList() }
    if sidebar.rows.isEmpty { await loadSidebar() }
  }

  // MARK: Collections and search

  /// Shows another collection, by its ID. A message is posted for an unknown one.
  public func select(collection id: AssetCollection.ID) async {
    await open()
    guard let wanted = sidebar.collections.first(where: { $0.id == id }) else {
      messages.post(localized("The library no longer has an album or day “\(id)”."))
      return
    }
    for list in tree.ancestors(of: id) { sidebar.setExpanded(true, list) }
    guard wanted.id != collection.id else { return }
    leaveCollection()
    collection = wanted
    await reload()
    if isLocked { await lock?.unlock() }
  }

  /// Shows only assets that match a search: see `FetchOptions.text`.
  public func search(_ text: String) async {
    await open()
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard trimmed != searchText else { return }
    searchText = trimmed
    await reload()
  }

  func report(_ error: PhotoLibraryError) { messages.post(error.description) }

  /// Reads the list and the sidebar again after a failure.
  public func tryAgain() async {
    await reload()
    await loadSidebar()
  }

  // MARK: The sidebar

  /// Reads the albums, for menus on other pages.
  public func loadAlbums() async { await loadSidebar() }

  /// The picture that was chosen to stand for an album; `nil` where none was, and where it can't be shown: then the sidebar
  /// has its usual icon.
  public func cover(of album: AssetCollection, size: PixelSize) async -> DecodedImage? {
    guard album.coverID != nil, let asset = try? await library.fetchCover(of: album) else { return nil }
    return try? await images.images.image(for: asset, targetSize: size, contentMode: .aspectFill)
  }

  private func loadSidebar() async {
    await sidebar.load()
    await leaveCollectionThatIsGone()
  }

  private func leaveCollectionThatIsGone() async {
    if let same = sidebar.collections.first(where: { $0.id == collection.id }) {
      // An album may have been renamed; a day with another number of pictures is still the same day.
      let isSame = same.kind == collection.kind && same.isOrdered == collection.isOrdered || !collection.isOwn
      if same.title != collection.title || same.coverID != collection.coverID || !isSame { collection = same }
      // A smart album has other pictures, or an album another order.
      if !isSame { await reload() }
      return
    }
    leaveCollection()
    collection = AssetCollection(.all)
    await reload()
  }

  // MARK: Selection

  /// Moves the cursor to an asset without entering selection mode.
  public func moveCursor(to index: Int) {
    guard !isSelecting else { return }
    anchor = index
    selection = [index]
  }

  /// Adds an asset to the selection, or removes it.
  public func toggleSelection(at index: Int) {
    if !isSelecting {
      // The asset under the cursor wasn't selected on purpose.
      isSelecting = true
      selection = []
    }
    anchor = index
    var indexes = selection
    if indexes.contains(index) { indexes.remove(index) } else { indexes.insert(index) }
    setSelection(indexes)
  }

  /// Selects the range from the last selected asset up to this one.
  public func extendSelection(to index: Int) {
    isSelecting = true
    let start = anchor ?? index
    setSelection(selection.union(IndexSet(integersIn: min(start, index)...max(start, index))))
  }

  /// Makes an asset the target of the next action, for a context menu or a drag: one of several selected assets stands
  /// for all of them.
  ///
  /// - Returns: Whether the cursor moved to the asset.
  public func target(at index: Int) -> Bool {
    guard isSelecting else {
      moveCursor(to: index)
      return true
    }
    if !selection.contains(index) { toggleSelection(at: index) }
    return false
  }

  /// Handles a click on an asset.
  ///
  /// - Parameters:
  ///   - extends: Whether the click selects the range up to the asset.
  ///   - toggles: Whether it selects or deselects the asset, as every click does in selection mode.
  /// - Returns: Whether the asset is to be opened.
  public func click(at index: Int, extends: Bool, toggles: Bool) -> Bool {
    if extends {
      extendSelection(to: index)
    } else if toggles || isSelecting || isShowingDeleted {
      // What was deleted isn't opened, but restored.
      toggleSelection(at: index)
    } else {
      return true
    }
    return false
  }

  /// The grid changed the selection by itself.
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

  /// Enters selection mode with an empty selection.
  public func startSelecting() {
    guard !isSelecting else { return }
    isSelecting = true
    setSelection([])
  }

  /// Clears the selection and leaves selection mode.
  public func stopSelecting() {
    isSelecting = false
    anchor = nil
    if !selection.isEmpty { setSelection([]) }
  }

  func setSelection(_ indexes: IndexSet) {
    selection = indexes
    selectionRevision += 1
  }

  /// All pictures that these assets of the list stand for: of a burst, its pictures in this list.
  ///
  /// - Throws: `PhotoLibraryError` when the index can't be read.
  public func members(of assets: [Asset]) async throws(PhotoLibraryError) -> [Asset] {
    try await library.ungrouped(assets, options, in: listed)
  }

  /// A picture of the library; `nil` when it has none with this ID.
  ///
  /// - Throws: `PhotoLibraryError` when the index can't be read.
  func picture(_ id: Asset.ID) async throws(PhotoLibraryError) -> Asset? { try await library.asset(id: id) }

  /// The selected assets, or the one under the cursor. One of a burst stands for all of it: see `members(of:)`.
  ///
  /// - Throws: `PhotoLibraryError` when the index can't be read.
  public func selectedAssets() async throws(PhotoLibraryError) -> [Asset] { try await list.assets(at: selection) }

  // MARK: Days

  @ObservationIgnored private let days = DayTitle()

  /// The title of the day on which an asset was taken, or on which it was deleted in the list of the trash.
  public func dayTitle(of asset: Asset) -> String { day(of: asset).map { days.title($0) } ?? "" }

  private func day(of asset: Asset) -> Int? {
    guard isShowingDeleted else { return DayTitle.day(of: asset) }
    return recentlyDeleted.picture(asset.id)?.trashed.deleted.map {
      DayTitle.day(of: $0, utcOffset: TimeZone.current.secondsFromGMT(for: $0))
    }
  }

  /// The title of the day that begins at an index of the list; `nil` where none does, and where the assets haven't been
  /// read yet.
  public func titleOfDay(beginningAt index: Int) -> String? {
    guard let asset = list.assetIfRead(at: index), let day = day(of: asset) else { return nil }
    guard index > 0 else { return days.title(day) }
    guard let before = list.assetIfRead(at: index - 1), self.day(of: before) != day else { return nil }
    return days.title(day)
  }

  // MARK: Pictures

  /// The thumbnail of an asset: a rough one first if there is one, then the final one. Ends when the consumer is
  /// canceled, which also cancels the decoding; empty for a file that can't be read.
  public func thumbnails(of asset: Asset, size: PixelSize) -> AsyncThrowingStream<ImageResult, any Error> {
    images.requestImage(
      for: asset, targetSize: size, contentMode: .aspectFill,
      options: ImageRequestOptions(isShared: !asset.isHidden))
  }

  /// Makes the thumbnails of these assets ahead of time, and stops making all others.
  public func cacheThumbnails(of assets: [Asset], size: PixelSize) {
    // The thumbnails of hidden pictures aren't made ahead: they would be left where other programs can see them.
    let assets = assets.filter { !$0.isHidden }
    guard size != aheadSize || !assets.elementsEqual(ahead, by: { $0.id == $1.id && $0.changed == $1.changed }) else {
      return
    }
    let known = Set(assets.map(\.id))
    let gone = size == aheadSize ? ahead.filter { !known.contains($0.id) } : ahead
    // Sorting hundreds of pictures takes time that scrolling needs.
    cachingAhead = Task.detached { [images, aheadSize, before = cachingAhead] in
      await before?.value
      images.stopCaching(for: gone, targetSize: aheadSize, contentMode: .aspectFill)
      images.startCaching(for: assets, targetSize: size, contentMode: .aspectFill)
    }
    (ahead, aheadSize) = (assets, size)
  }
}
