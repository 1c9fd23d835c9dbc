// The viewer: one picture of the library at a time, with its neighbors, details and zoom.

import CameraCore
import EngineInterface
import Foundation
import Observation
import PhotoLibrary
import Synchronization

/// Shows a picture of the strip, of the library's grid, or of the files that were opened, and moves through that list.
@MainActor @Observable
public final class ViewerModel {
  /// The picture that is shown; `nil` when the viewer is closed.
  public private(set) var asset: Asset?
  /// The still, decoded for the requested size; a rough one first.
  public private(set) var image: DecodedImage?
  /// What the viewer shows: the frame of an animated picture, or the still.
  public var shownImage: DecodedImage? { animation.frame ?? image }
  /// The reason that the picture can't be shown; `nil` when it can.
  public var failure: String? { loadingFailure ?? player.failure }
  /// How much of the picture's file has been read, 0…1, if that takes long, as on a slow share; `nil` otherwise.
  public private(set) var loadingProgress: Double?
  /// The zoom factor and the visible part of the picture.
  public private(set) var zoom = ViewerZoom()
  /// Whether the details panel is open.
  public var isInfoShown = false {
    didSet { if isInfoShown != oldValue { loadAlbums() } }
  }
  /// The rows of the details panel.
  public var info: [PictureInfo] { asset.map { PictureInfo.lines(of: $0, raw: raw, albums: albums) } ?? [] }
  /// Whether the list has a newer picture, and an older one.
  public private(set) var hasNewer = false
  public private(set) var hasOlder = false

  /// Whether the picture has a movie, or frames to be played.
  public var isPlayable: Bool { asset?.movieRange != nil || animation.isThere }
  /// Whether the picture is a video, with playback controls.
  public var isMovie: Bool { asset?.mediaType == .video }

  /// Whether the picture isn't in the library: then it can be added, and only be looked at before.
  public var isOutside: Bool { asset?.isOutside == true }

  /// Plays the picture's movie.
  public let player: ViewerPlayer
  /// Plays an animated picture.
  public let animation: ViewerAnimation

  private var loadingFailure: String?
  private var albums: [AssetCollection] = []
  /// The DNG beside the picture.
  private var raw: URL?
  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private let images: CachingImageManager
  /// The pictures that are decoded ahead, and their size.
  @ObservationIgnored private var ahead: [Asset] = []
  @ObservationIgnored private var aheadSize = PixelSize(width: 0, height: 0)
  @ObservationIgnored private weak var list: (any ViewedList)?
  /// The pictures to go to when this one is deleted: the nearest first, the older before the newer.
  @ObservationIgnored private var neighbors: [Asset] = []
  private static let farthestNeighbor = 4
  /// The view's current size.
  @ObservationIgnored private var viewSize = PixelSize(width: 1920, height: 1080)
  /// The view's size when the picture was opened: pictures are decoded for it.
  @ObservationIgnored private var size = PixelSize(width: 0, height: 0)
  @ObservationIgnored private var loading: Task<Void, Never>?
  /// Shows the progress after `patience`.
  @ObservationIgnored private var waiting: Task<Void, Never>?
  @ObservationIgnored private let clock: any Clock<Duration>
  /// The time without a progress.
  static let patience = Duration.milliseconds(500)
  private static let progressInterval = Duration.milliseconds(100)
  @ObservationIgnored private var listening: Task<Void, Never>?

  /// The cache limit of the viewer's image manager while the viewer is open, in bytes: half of it is for the adjacent
  /// pictures, each up to the size of a large screen.
  public static let imageCacheByteLimit = 96 << 20

  /// - Parameters:
  ///   - images: Decodes the picture that is shown, and the adjacent ones ahead of time.
  ///   - clock: Measures how long a picture is loading.
  public init(
    library: PhotoLibrary, images: ImageManager, players: any MoviePlayerFactory, messages: MessageModel,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.library = library
    self.clock = clock
    self.images = CachingImageManager(images: images)
    player = ViewerPlayer(library: library, players: players, messages: messages)
    animation = ViewerAnimation(images: images, messages: messages)
    self.messages = messages
  }

  deinit {
    listening?.cancel()
    waiting?.cancel()
  }

  // MARK: Opening and moving

  /// Sets the view's size in device pixels. Pictures that are opened from now on are decoded for it.
  public func setViewSize(_ size: PixelSize) { viewSize = size }

  /// Opens a picture; the arrow keys then move through `list`.
  public func open(_ asset: Asset, in list: any ViewedList) {
    if self.list !== list { self.list?.viewedListChanged = nil }
    self.list = list
    list.viewedListChanged = { [weak self] in self?.findNeighbors() }
    size = viewSize
    listen()
    show(asset)
    list.viewerShows(asset)
  }

  /// Shows the next older (`1`) or newer (`-1`) picture.
  public func move(by step: Int) {
    guard let asset, let list, let next = list.neighbor(of: asset, by: step) else { return }
    size = viewSize
    show(next)
    list.viewerShows(next)
  }

  /// Shows another picture of the list that is being moved through.
  func show(ofSameList asset: Asset) {
    size = viewSize
    show(asset)
    list?.viewerShows(asset)
  }

  public func close() {
    player.close()
    animation.close()
    stopLoading()
    asset = nil
    image = nil
    loadingFailure = nil
    zoom = ViewerZoom()
    (albums, raw) = ([], nil)
    list = nil
    makeAhead([])
    images.images.removeCachedImages()
  }

  private func show(_ asset: Asset) {
    let isSame = asset.id == self.asset?.id && asset.url == self.asset?.url && asset.changed == self.asset?.changed
    self.asset = asset
    findNeighbors()
    // A change of its metadata leaves the picture as it is.
    guard !isSame else { return }
    player.close()
    // A picture that was decoded ahead is on screen with the next frame.
    let kept = images.images.cachedImage(for: asset, targetSize: size)
    image = kept?.image
    loadingFailure = nil
    zoom = ViewerZoom()
    (albums, raw) = ([], nil)
    loadAlbums()
    if let kept, !kept.isDegraded {
      stopLoading()
      makeNeighborsAhead()
    } else {
      load(size)
    }
    player.open(asset)
    animation.open(asset, size: size)
  }

  /// Reads the picture again if it couldn't be read.
  public func tryAgain() {
    guard loadingFailure != nil else { return }
    loadingFailure = nil
    load(size)
  }

  private func load(_ size: PixelSize) {
    guard let asset else { return }
    stopLoading()
    let images = images
    let part = LoadedPart()
    waiting = Task { [weak self, clock] in
      var pause = Self.patience
      while true {
        // Sleeping throws only when the task is canceled.
        do { try await clock.sleep(for: pause) } catch { return }
        guard !Task.isCancelled, let self else { return }
        if loadingProgress != part.value { loadingProgress = part.value }
        pause = Self.progressInterval
      }
    }
    loading = Task { [weak self] in
      do {
        let options = ImageRequestOptions(isShared: !asset.isHidden)
        let pictures = images.requestImage(for: asset, targetSize: size, options: options) { part.value = $0 }
        for try await result in pictures
        where !Task.isCancelled {
          // A rough image never replaces what was on screen before zooming.
          if !(result.isDegraded && self?.image != nil) { self?.image = result.image }
        }
      } catch {
        if !Task.isCancelled { self?.loadingFailure = error.localizedDescription }
      }
      guard !Task.isCancelled, let self else { return }
      self.stopLoading()
      self.makeNeighborsAhead()
    }
  }

  private func stopLoading() {
    loading?.cancel()
    waiting?.cancel()
    (loading, waiting) = (nil, nil)
    if loadingProgress != nil { loadingProgress = nil }
  }

  // MARK: Following the library

  private func listen() {
    guard listening == nil else { return }
    let changes = library.changes()
    listening = Task { [weak self] in
      for await change in changes {
        guard let self else { return }
        await self.received(change)
      }
    }
  }

  private func received(_ change: PhotoLibraryChange) async {
    // A file outside is shown as it was when it was opened.
    guard let asset, !asset.isOutside else { return }
    do {
      let new = try await library.asset(id: asset.id)
      guard self.asset?.id == asset.id else { return }
      let shown = new == self.asset ? new : list.map { $0.viewedAssetChanged(asset.id, to: new) } ?? new
      if let new = shown {
        if new != self.asset { show(new) } else { findNeighbors() }
        if !change.collections.isEmpty || change.changed.contains(asset.id) { loadAlbums() }
      } else {
        try await leave()
      }
    } catch { messages.post(error.description) }
  }

  /// The picture was deleted: shows an adjacent one.
  private func leave() async throws(PhotoLibraryError) {
    if let asset, let next = try await otherFrame(of: asset) {
      show(next)
      list?.viewerShows(next)
      return
    }
    for neighbor in neighbors {
      guard let next = neighbor.isOutside ? neighbor : try await library.asset(id: neighbor.id) else { continue }
      show(next)
      list?.viewerShows(next)
      return
    }
    close()
  }

  /// The picture of the same burst that was taken next, or before; `nil` where none is left.
  private func otherFrame(of asset: Asset) async throws(PhotoLibraryError) -> Asset? {
    let frames = try await library.burst(of: asset)
    return frames.first { $0.created >= asset.created } ?? frames.last
  }

  private func findNeighbors() {
    guard let asset, let list else { return }
    let (older, newer) = (list.neighbor(of: asset, by: 1), list.neighbor(of: asset, by: -1))
    // The list may have dropped this very picture already; then the known neighbors stay. Several may go at once.
    if older != nil || newer != nil || neighbors.isEmpty {
      let farther = (2...Self.farthestNeighbor).flatMap { step in
        [list.neighbor(of: asset, by: step), list.neighbor(of: asset, by: -step)]
      }
      neighbors = ([older, newer] + farther).compactMap(\.self)
    }
    hasOlder = older != nil
    hasNewer = newer != nil
    if loading == nil { makeNeighborsAhead() }
  }

  // MARK: Ahead

  /// Decodes the adjacent pictures once this one is loaded, so that an arrow key shows them at once.
  private func makeNeighborsAhead() {
    guard let asset, let list else { return }
    // People mostly go from newer pictures to older ones. Hidden pictures aren't decoded before they are opened.
    makeAhead([1, -1].compactMap { list.neighbor(of: asset, by: $0) }.filter { !$0.isHidden })
  }

  /// Decodes these pictures ahead of time, and cancels all others.
  private func makeAhead(_ assets: [Asset]) {
    guard assets != ahead || size != aheadSize else { return }
    let gone = size == aheadSize ? ahead.filter { !assets.contains($0) } : ahead
    images.stopCaching(for: gone, targetSize: aheadSize)
    images.startCaching(for: assets, targetSize: size)
    (ahead, aheadSize) = (assets, size)
  }

  /// Returns when the picture and its neighbors are decoded, as far as the cache has room for them.
  public func picturesAreMade() async {
    await loading?.value
    await images.finished()
  }

  private func loadAlbums() {
    guard isInfoShown, let asset, !asset.isOutside else { return }
    Task { [weak self, library] in
      do {
        let albums = try await library.fetchAlbums(of: asset.id)
        let raw = await library.rawFile(of: asset)
        guard let self, self.asset?.id == asset.id else { return }
        (self.albums, self.raw) = (albums, raw)
      } catch { self?.messages.post(error.localizedDescription) }
    }
  }

  // MARK: Zoom

  /// Changes the zoom; see `ViewerZoom`. The view's size is in device pixels.
  public func changeZoom(view: PixelSize, _ change: (inout ViewerZoom, _ picture: PixelSize) -> Void) {
    guard let picture = asset?.size, image != nil, !isMovie else { return }
    var new = zoom
    change(&new, picture)
    guard new != zoom else { return }
    zoom = new
    // The image decoded for the whole view is too coarse for a part of it.
    if let image, !new.isFit, image.size.width < picture.width { load(picture) }
  }

  // MARK: Playing

  /// Plays a live photo or an animated picture, or stops one that plays over and over; plays or pauses a video: the Play
  /// action.
  public func playOrPause() { if animation.isThere { animation.togglePlaying() } else { player.playOrPause() } }

  /// Plays the live photo, unless the view is zoomed in: a movie would take away what is being looked at closely.
  public func playLivePhoto() {
    if !isMovie, zoom.isFit { player.play() }
  }
}

/// The part of a file that was read, set by the thread that reads it.
private final class LoadedPart: Sendable {
  private let part = Mutex(0.0)

  // Called by asynchronous functions: see “Locks” in MediaEngine.md.

  var value: Double {
    @inline(never) get { part.withLock { $0 } }
    @inline(never) set { part.withLock { $0 = newValue } }
  }
}
