// Navigation between the window's pages, and its consequences for the camera, playback and actions.

import Foundation
import Localization
import Observation
import PhotoLibrary

/// The single owner of the window's page: the window shows `page` and calls the intents here.
///
/// The page isn't stored. It follows from the models: a picture in the viewer covers the library, the library covers the
/// camera, and the editor's window covers all of them. So a picture that is deleted elsewhere, or an edit that is saved,
/// changes the page without anyone having to say so.
///
/// Three rules depend on the page and live here: the camera closes once another page has been in front for longer than
/// `glance`, unless a series of photos is taken; whatever plays pauses under the editor; and actions apply to the pictures that
/// the page shows.
@MainActor @Observable
public final class NavigationModel {
  /// A page of the main window, or the editor's window over it.
  public enum Page: String, Sendable {
    case camera, library, viewer, editor
  }

  /// The time that another page may cover the viewfinder before the camera is closed. Opening a camera again takes up to
  /// a second: too long after a glance at a picture, and unnoticed after a while in the library.
  public static let glance = Duration.seconds(3)

  /// The page of the main window: never the editor.
  public var page: Page { viewer.asset != nil ? .viewer : library.isOpen ? .library : .camera }

  /// The page in front: the editor while its window is open, or the main window's page.
  public var frontPage: Page { editor.state == .closed ? page : .editor }

  /// Whether someone can see the viewfinder, or is about to, or a series of photos looks through it. The camera runs only then.
  public private(set) var isViewfinderVisible = true

  /// Whether the window is minimized, or isn't on the screen.
  public private(set) var isWindowHidden = false

  /// Plays live photos in the viewer while the pointer rests on them.
  @ObservationIgnored public let hover: HoverPlayback

  @ObservationIgnored private let camera: CameraModel
  @ObservationIgnored private let strip: ThumbnailStripModel
  @ObservationIgnored private let library: LibraryModel
  @ObservationIgnored private let viewer: ViewerModel
  @ObservationIgnored private let editor: EditModel
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var observations: [ModelObservation] = []
  @ObservationIgnored private var previousPage = Page.camera
  /// Waits until a glance is over; `nil` on the camera's page.
  @ObservationIgnored private var glanceTimer: Task<Void, Never>?
  @ObservationIgnored private var isGlanceOver = false
  /// Whether files are about to be opened that PhotoMe was started with.
  @ObservationIgnored private var awaitsFiles = false
  /// Whether the lock is to be closed once the editor is.
  @ObservationIgnored private var isLeavingHidden = false

  /// - Parameters:
  ///   - awaitsFiles: Whether PhotoMe was started to open files. The camera, which must have been told that the
  ///     viewfinder can't be seen, is left alone until `filesWereOpened`.
  ///   - clock: Measures glances and hovering.
  public init(
    camera: CameraModel, strip: ThumbnailStripModel, library: LibraryModel, viewer: ViewerModel, editor: EditModel,
    messages: MessageModel, awaitsFiles: Bool = false, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.camera = camera
    self.strip = strip
    self.library = library
    self.viewer = viewer
    self.editor = editor
    self.messages = messages
    self.clock = clock
    hover = HoverPlayback(viewer: viewer, clock: clock)
    (self.awaitsFiles, isGlanceOver, isViewfinderVisible) = (awaitsFiles, awaitsFiles, !awaitsFiles)
    observations = [
      ModelObservation(of: { [weak self] in self?.frontPage }) { [weak self] in
        if let page = $0 { self?.pageChanged(to: page) }
      },
      ModelObservation(of: { camera.intervals.isRunning }) { [weak self] _ in self?.updateVisibility() },
    ]
  }

  deinit { glanceTimer?.cancel() }

  // MARK: Moving between pages

  /// Shows the camera's page. Returns when the camera may open.
  public func openCamera() async {
    viewer.close()
    library.close()
    filesWereOpened()
    pageChanged(to: frontPage)
    if isViewfinderVisible { await camera.setViewfinderVisible(true) }
  }

  /// Does what a start of PhotoMe asks of the camera. A photo is taken from its page.
  public func perform(_ request: StartRequest) async {
    if request.takesPhoto { await openCamera() }
    await camera.perform(request)
  }

  /// Opens the library's page. Returns when its list is loaded.
  public func openLibrary() async {
    viewer.close()
    await library.open()
  }

  /// Opens the library's page on an album or day. A message is posted for an unknown id.
  public func openLibrary(at collection: AssetCollection.ID) async {
    await openLibrary()
    await library.select(collection: collection)
  }

  /// Opens the library's page with the pictures that match a search.
  public func searchLibrary(for text: String) async {
    await openLibrary()
    await library.search(text)
  }

  /// Opens a picture of the library's list in the viewer. A message is posted when the list doesn't have it.
  public func openPicture(_ id: Asset.ID) async {
    await openLibrary()
    guard !library.isShowingDeleted, let index = await library.list.index(of: id),
      let asset = await library.list.asset(at: index)
    else {
      messages.post(localized("The library isn’t showing an item with the ID “\(id)”."))
      return
    }
    // One of a burst that another picture stands for.
    do { if let picture = asset.id == id ? asset : try await library.picture(id) { open(picture) } } catch {
      messages.post(error.description)
    }
  }

  /// Opens a picture of the library's list in the viewer.
  public func open(_ asset: Asset) { viewer.open(asset, in: library) }

  /// Opens the strip's selected picture in the viewer, or the newest one when none is selected. A shot that is still being
  /// saved can't be opened yet.
  public func openSelected() {
    if let asset = stripAsset { viewer.open(asset, in: strip) }
  }

  /// Opens the editor on the picture that the page in front is about.
  public func edit() async {
    guard canEdit else { return }
    if let asset = page == .camera ? stripAsset : await targets().first { await editor.open(asset) }
  }

  /// Opens the editor on a picture of the library, with the settings that couldn't be saved. Those of a hidden picture wait
  /// until it is shown again.
  public func editAgain(_ id: Asset.ID) async {
    guard editor.state == .closed else { return }
    do {
      guard let asset = try await library.picture(id) else {
        return messages.post(localized("The item is no longer in the library."))
      }
      if asset.isHidden, await library.lock?.permit() == false { return }
      await editor.open(asset)
    } catch { messages.post(error.localizedDescription) }
  }

  private func pageChanged(to page: Page) {
    let previous = previousPage
    guard page != previous else { return }
    previousPage = page
    if previous == .editor, isLeavingHidden { leaveHidden() }
    switch page {
    // A movie under the editor would be heard.
    case .editor: viewer.player.pause()
    // For the viewer's menu.
    case .viewer where previous != .editor: Task { [library] in await library.loadAlbums() }
    case .camera, .library, .viewer: break
    }
    // Nobody poses for a picture that can't be seen.
    if page != .camera { camera.cancelRelease() }
    // The camera's page was never looked at where PhotoMe was started to show files.
    guard !awaitsFiles else { return awaitsFiles = false }
    if (page == .camera) != (previous == .camera) { startGlance(isNeeded: page != .camera) }
  }

  /// The files that PhotoMe was started with are shown, or can't be: then the camera's page is in front.
  public func filesWereOpened() {
    guard awaitsFiles, page == .camera else { return }
    awaitsFiles = false
    startGlance(isNeeded: false)
  }

  // MARK: The pictures that actions apply to

  /// The strip's selected picture, or the newest one when none is selected; `nil` while it is being saved.
  public var stripAsset: Asset? { strip.currentItem?.asset }

  /// The number of pictures that an action applies to: the viewer's, or those selected in the library or in the camera's strip.
  /// None in the list of the trash, whose pictures can only be restored or deleted; see `DeletedPicturesModel`.
  public var targetCount: Int {
    if viewer.asset != nil { return 1 }
    guard library.isOpen else { return strip.selectedAssets.count }
    return library.isShowingDeleted ? 0 : library.selection.count
  }

  /// The ids of the pictures that an action applies to, as far as they have been read.
  var targetIDs: [Asset.ID] {
    if let asset = viewer.asset { return [asset.id] }
    guard targetCount > 0 else { return [] }
    guard library.isOpen else { return strip.selectedAssets.map(\.id) }
    return library.selection.compactMap { library.list.assetIfRead(at: $0)?.id }
  }

  /// The same for actions that change the library: none for a file that is only looked at.
  public var libraryTargetCount: Int { viewer.isOutside ? 0 : targetCount }

  /// Whether the pictures that an action applies to are hidden: then they can be unhidden.
  public var areTargetsHidden: Bool {
    viewer.asset?.isHidden ?? (library.isOpen && library.collection.kind == .smart(.hidden))
  }

  /// Whether any picture that an action applies to is edited, as far as they have been read: then it can be reverted.
  public var isAnyTargetEdited: Bool {
    if let asset = viewer.asset { return asset.isEdited }
    guard targetCount > 0 else { return false }
    guard library.isOpen else { return strip.selectedAssets.contains(where: \.isEdited) }
    return library.selection.contains { library.list.assetIfRead(at: $0)?.isEdited == true }
  }

  /// Whether the pictures that an action applies to are all favorites, as far as they have been read: then they can be removed from
  /// them.
  public var areTargetsFavorites: Bool {
    if let asset = viewer.asset { return asset.isFavorite }
    guard targetCount > 0 else { return false }
    guard library.isOpen else { return strip.selectedAssets.allSatisfy(\.isFavorite) }
    return library.selection.allSatisfy { library.list.assetIfRead(at: $0)?.isFavorite == true }
  }

  /// Whether an action would apply to a single photo, as far as it has been read: then it can be the desktop's background.
  public var isTargetPhoto: Bool {
    guard targetCount == 1 else { return false }
    if let asset = viewer.asset { return asset.mediaType == .photo }
    guard library.isOpen else { return strip.selectedAssets.first?.mediaType == .photo }
    return library.selection.contains { library.list.assetIfRead(at: $0)?.mediaType == .photo }
  }

  /// Whether the library shows an album, also under the viewer.
  /// Whether the library shows an album that can be renamed and deleted: one to which pictures are added, or a smart one.
  public var isInOwnAlbum: Bool { library.isOpen && library.collection.isOwn }
  public var isInAlbum: Bool { library.isOpen && library.collection.kind == .album }

  /// Whether the editor can be opened: it edits one picture of the library at a time.
  public var canEdit: Bool {
    guard editor.state == .closed, !viewer.isOutside else { return false }
    return page == .camera ? stripAsset != nil && strip.selection.count <= 1 : targetCount == 1
  }

  /// The same with all pictures of the bursts that are selected: what is deleted, hidden, or added to an album.
  /// The viewer shows one picture of a burst, and actions there apply to that one.
  public func memberTargets() async -> [Asset] {
    let assets = await targets()
    guard viewer.asset == nil else { return assets }
    do { return try await library.isOpen ? library.members(of: assets) : strip.members(of: assets) } catch {
      messages.post(error.description)
      return []
    }
  }

  /// The pictures that an action applies to: see `targetCount`; of a burst, the one that stands for it. Empty, with a message,
  /// when they can't be read.
  public func targets() async -> [Asset] {
    if let asset = viewer.asset { return [asset] }
    guard library.isOpen else { return strip.selectedAssets }
    guard !library.isShowingDeleted else { return [] }
    do { return try await library.selectedAssets() } catch {
      messages.post(error.description)
      return []
    }
  }

  // MARK: The viewfinder's visibility

  /// The window was minimized or unmapped, or came back.
  public func setWindowHidden(_ isHidden: Bool) {
    if isHidden != isWindowHidden { isWindowHidden = isHidden }
    if isHidden {
      camera.cancelRelease()
      leaveHidden()
    }
    updateVisibility()
  }

  /// The session was locked, or the machine goes to sleep.
  public func userLeft() { leaveHidden() }

  /// Locks hidden pictures again, and closes the viewer if it shows one. While one is edited, its changes are not taken
  /// away: the lock closes when the editor does.
  private func leaveHidden() {
    guard let lock = library.lock, lock.isOn else { return }
    guard editor.state == .closed else {
      isLeavingHidden = true
      return
    }
    isLeavingHidden = false
    if viewer.asset?.isHidden == true { viewer.close() }
    lock.close()
  }

  private func startGlance(isNeeded: Bool) {
    glanceTimer?.cancel()
    glanceTimer = nil
    isGlanceOver = false
    if isNeeded {
      glanceTimer = Task { [weak self, clock] in
        // Sleeping throws only when the task is canceled.
        do { try await clock.sleep(for: Self.glance) } catch { return }
        guard !Task.isCancelled, let self else { return }
        isGlanceOver = true
        updateVisibility()
      }
    }
    updateVisibility()
  }

  private func updateVisibility() {
    let isVisible = !isWindowHidden && !isGlanceOver || camera.intervals.isRunning
    guard isVisible != isViewfinderVisible else { return }
    isViewfinderVisible = isVisible
    Task { [camera] in await camera.setViewfinderVisible(isVisible) }
  }
}
