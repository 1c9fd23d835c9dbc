// The viewer: one picture of the library, large; a live photo plays while it is pressed or hovered, a movie when asked.

import CameraCore
import EngineInterface
import Foundation
import Observation
import PhotoEffects
import PhotoLibrary

/// Shows a picture of the strip or of the grid, and its neighbours.
@MainActor @Observable
public final class ViewerModel {
  /// The picture that is shown; `nil` when the viewer is closed.
  public private(set) var asset: Asset?
  /// The still, as large as was asked for; a rough one first.
  public private(set) var image: DecodedImage?
  /// Why the picture can't be shown; `nil` when it can.
  public private(set) var failure: String?
  /// The movie that is playing or paused; its `preview` has the frames.
  public private(set) var playback: (any MoviePlayback)?
  /// Whether a movie stands still. Live photos never do.
  public private(set) var isPaused = true
  /// How the live photo moves, as its edit says.
  public private(set) var playbackStyle = AdjustmentRecipe.PlaybackStyle.live
  /// Whether the live photo plays by itself, over and over.
  public var isLooping: Bool { playbackStyle == .loop || playbackStyle == .bounce }
  /// Where in a movie the picture is, in seconds.
  public private(set) var position = 0.0
  /// How far into the picture the view has gone.
  public private(set) var zoom = ViewerZoom()
  /// Whether the panel with the facts is shown.
  public var isInfoShown = false {
    didSet { if isInfoShown != oldValue { loadAlbums() } }
  }
  /// The facts of the panel.
  public var info: [PictureInfo] { asset.map { PictureInfo.lines(of: $0, albums: albums) } ?? [] }
  /// Whether there is a newer and an older one in the list.
  public private(set) var hasNewer = false
  public private(set) var hasOlder = false

  /// Whether there is a movie to play.
  public var isPlayable: Bool { asset?.movieRange != nil }
  /// Whether it is a movie, with controls of its own.
  public var isMovie: Bool { asset?.mediaType == .video }

  /// A position that has changed by less isn't told, in seconds: nobody sees it on a bar.
  private static let positionStep = 0.1

  private var albums: [AssetCollection] = []
  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let strip: ThumbnailStripModel
  @ObservationIgnored private let players: any MoviePlayerFactory
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private let images: CachingImageManager
  /// What is made ahead, and how large.
  @ObservationIgnored private var ahead: [Asset] = []
  @ObservationIgnored private var aheadSize = PixelSize(width: 0, height: 0)
  @ObservationIgnored private weak var list: (any ViewedList)?
  /// Where to go when the picture goes away.
  /// The nearest first, the older before the newer.
  @ObservationIgnored private var neighbours: [Asset.ID] = []
  private static let farthestNeighbour = 4
  @ObservationIgnored private var size = PixelSize(width: 0, height: 0)
  @ObservationIgnored private var loading: Task<Void, Never>?
  @ObservationIgnored private var styling: Task<Void, Never>?
  @ObservationIgnored private var playing: Task<Void, Never>?
  @ObservationIgnored private var positions: Task<Void, Never>?
  @ObservationIgnored private var listening: Task<Void, Never>?

  /// How many bytes of pictures the viewer's image manager should keep while the viewer is open: half of it for the
  /// pictures beside the one that is shown, each up to as large as a large screen.
  public static let imageCacheByteLimit = 96 << 20

  /// - Parameter images: Makes the picture that is shown, and those beside it ahead.
  public init(
    library: PhotoLibrary, strip: ThumbnailStripModel, images: ImageManager, players: any MoviePlayerFactory,
    messages: MessageModel
  ) {
    self.library = library
    self.strip = strip
    self.images = CachingImageManager(images: images)
    self.players = players
    self.messages = messages
  }

  deinit { listening?.cancel() }

  // MARK: Opening and moving

  /// Opens the selected picture of the strip. A shot that is still being saved can't be opened yet.
  ///
  /// - Parameter size: The largest size at which it will be shown, in device pixels.
  public func openSelected(size: PixelSize) {
    guard let asset = strip.selectedItem?.asset else { return }
    open(asset, in: strip, size: size)
  }

  /// Opens a picture; the arrow keys then go through `list`.
  public func open(_ asset: Asset, in list: any ViewedList, size: PixelSize) {
    if self.list !== list { self.list?.viewedListChanged = nil }
    self.list = list
    list.viewedListChanged = { [weak self] in self?.findNeighbours() }
    self.size = size
    listen()
    show(asset)
    list.viewerShows(asset.id)
  }

  /// Shows the next older (`1`) or newer (`-1`) picture.
  public func move(by step: Int, size: PixelSize) {
    guard let asset, let list, let next = list.neighbour(of: asset.id, by: step) else { return }
    self.size = size
    show(next)
    list.viewerShows(next.id)
  }

  public func close() {
    stop()
    loading?.cancel()
    styling?.cancel()
    playbackStyle = .live
    asset = nil
    image = nil
    failure = nil
    zoom = ViewerZoom()
    albums = []
    list = nil
    makeAhead([])
    images.images.removeCachedImages()
  }

  private func show(_ asset: Asset) {
    let isSame = asset.id == self.asset?.id && asset.url == self.asset?.url && asset.modified == self.asset?.modified
    self.asset = asset
    findNeighbours()
    // Another mark on the same picture leaves the picture as it is.
    guard !isSame else { return }
    stop()
    // What was made ahead is there with the next frame of the screen.
    let kept = images.images.cachedImage(for: asset, targetSize: size)
    image = kept?.image
    failure = nil
    zoom = ViewerZoom()
    position = 0
    albums = []
    loadAlbums()
    if let kept, !kept.isDegraded {
      loading?.cancel()
      loading = nil
      makeNeighboursAhead()
    } else {
      load(size)
    }
    if isMovie { beginMovie(isPaused: true, from: 0) }
    findPlaybackStyle()
  }

  /// Looks up how a live photo moves, and lets it, when that is by itself.
  private func findPlaybackStyle() {
    styling?.cancel()
    playbackStyle = .live
    guard let asset, asset.isLive, asset.isEdited else { return }
    styling = Task { [weak self, library] in
      do {
        // The edit of another program plays as a live photo does.
        guard let data = try await library.adjustmentData(for: asset.id),
          data.formatIdentifier == AdjustmentRecipe.formatIdentifier
        else { return }
        let recipe = try AdjustmentRecipe(
          formatIdentifier: data.formatIdentifier, formatVersion: data.formatVersion, data: data.data)
        guard let self, !Task.isCancelled, self.asset == asset else { return }
        self.playbackStyle = recipe.playbackStyle
        if self.isLooping { self.play() }
      } catch is RecipeError {
        // One of a newer version plays as a live photo does; the editor says what is wrong with it.
      } catch {
        if !Task.isCancelled { self?.messages.post(error.localizedDescription) }
      }
    }
  }

  private func load(_ size: PixelSize) {
    guard let asset else { return }
    loading?.cancel()
    let images = images
    loading = Task { [weak self] in
      do {
        let options = ImageRequestOptions(isShared: !asset.isHidden)
        for try await result in images.requestImage(for: asset, targetSize: size, options: options)
        where !Task.isCancelled {
          // A rough one never takes the place of what was there before the zoom.
          if !(result.isDegraded && self?.image != nil) { self?.image = result.image }
        }
      } catch {
        if !Task.isCancelled { self?.failure = error.localizedDescription }
      }
      guard !Task.isCancelled, let self else { return }
      self.loading = nil
      self.makeNeighboursAhead()
    }
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
    guard let asset else { return }
    do {
      let new = try await library.asset(id: asset.id)
      guard self.asset?.id == asset.id else { return }
      if let new {
        if new != self.asset { show(new) } else { findNeighbours() }
        if !change.collections.isEmpty || change.changed.contains(asset.id) { loadAlbums() }
      } else {
        try await leave()
      }
    } catch { messages.post(error.description) }
  }

  /// The picture is gone: shows the one that stood beside it.
  private func leave() async throws(PhotoLibraryError) {
    for id in neighbours {
      guard let next = try await library.asset(id: id) else { continue }
      show(next)
      list?.viewerShows(next.id)
      return
    }
    close()
  }

  private func findNeighbours() {
    guard let asset, let list else { return }
    let (older, newer) = (list.neighbour(of: asset.id, by: 1), list.neighbour(of: asset.id, by: -1))
    // The list may have let go of this very picture already; then what is known stays. Several may go at once.
    if older != nil || newer != nil || neighbours.isEmpty {
      let farther = (2...Self.farthestNeighbour).flatMap { step in
        [list.neighbour(of: asset.id, by: step), list.neighbour(of: asset.id, by: -step)]
      }
      neighbours = ([older, newer] + farther).compactMap { $0?.id }
    }
    hasOlder = older != nil
    hasNewer = newer != nil
    if loading == nil { makeNeighboursAhead() }
  }

  // MARK: Ahead

  /// Decodes the pictures beside this one, once this one is there, so that an arrow key shows them at once.
  private func makeNeighboursAhead() {
    guard let asset, let list else { return }
    // People mostly go from the newest to older ones. What someone hid isn't made before it is looked at.
    makeAhead([1, -1].compactMap { list.neighbour(of: asset.id, by: $0) }.filter { !$0.isHidden })
  }

  /// Makes these ahead, and no others any more.
  private func makeAhead(_ assets: [Asset]) {
    guard assets != ahead || size != aheadSize else { return }
    let gone = size == aheadSize ? ahead.filter { !assets.contains($0) } : ahead
    images.stopCaching(for: gone, targetSize: aheadSize)
    images.startCaching(for: assets, targetSize: size)
    (ahead, aheadSize) = (assets, size)
  }

  /// Returns when the picture and those beside it are made, as far as these have room.
  public func picturesAreMade() async {
    await loading?.value
    await images.finished()
  }

  private func loadAlbums() {
    guard isInfoShown, let id = asset?.id else { return }
    Task { [weak self, library] in
      do {
        let albums = try await library.fetchAlbums(of: id)
        if self?.asset?.id == id { self?.albums = albums }
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
    // What was decoded for the whole view is too coarse for a part of it.
    if let image, !new.isFit, image.size.width < picture.width { load(picture) }
  }

  // MARK: Playing

  /// Plays the movie of a live photo from its start, with sound, until its end or `stop`; one that loops plays until
  /// `stop`. A movie goes on.
  public func play() {
    if isMovie {
      if isPaused { togglePlaying() }
      return
    }
    begin { _ in }
  }

  /// Goes back to the still.
  public func stop() {
    playing?.cancel()
    playing = nil
    positions?.cancel()
    positions = nil
    playback?.stop()
    playback = nil
    isPaused = true
  }

  /// The pointer or the key that played a live photo was let go.
  public func stopLivePhoto() {
    if !isMovie, !isLooping { stop() }
  }

  /// Plays a movie, or holds it. One that has ended begins anew.
  public func togglePlaying() {
    guard isMovie else { return }
    if let playback {
      isPaused.toggle()
      playback.setPaused(isPaused)
    } else {
      beginMovie(isPaused: false, from: 0)
    }
  }

  /// Goes to a time of a movie, in seconds.
  public func seek(to seconds: Double) {
    guard isMovie else { return }
    let wanted = min(max(0, seconds), asset?.duration ?? seconds)
    if let playback {
      position = wanted
      playback.seek(to: wanted)
    } else {
      beginMovie(isPaused: true, from: wanted)
    }
  }

  private func beginMovie(isPaused: Bool, from start: Double) {
    self.isPaused = isPaused
    position = start
    begin { playback in
      playback.setPaused(isPaused)
      if start > 0 { playback.seek(to: start) }
    }
    guard let playback else { return }
    let times = playback.positions()
    positions = Task { [weak self] in
      for await time in times {
        guard let self, !Task.isCancelled else { return }
        if abs(time - self.position) >= Self.positionStep { self.position = time }
      }
    }
  }

  private func begin(_ prepare: (any MoviePlayback) -> Void) {
    guard playing == nil, let asset, let range = asset.movieRange else { return }
    let playback = players.player(of: MovieSource(url: asset.url, byteRange: range), isMuted: false)
    prepare(playback)
    self.playback = playback
    let isLooping = isLooping
    playing = Task { [weak self] in
      do throws(CameraError) {
        // One without a picture would begin again without end.
        repeat {
          try await playback.play()
        } while isLooping && !Task.isCancelled
          && playback.preview.statistics.arrived > 0
      } catch {
        if !Task.isCancelled { self?.playbackFailed(error) }
      }
      // Another movie may be playing by now.
      guard let self, self.playback === playback else { return }
      if self.isMovie, !self.isPaused, let duration = self.asset?.duration { self.position = duration }
      self.stop()
    }
  }

  /// A live photo still has its still; a movie has nothing else to show.
  private func playbackFailed(_ error: CameraError) {
    if isMovie { failure = error.description } else { messages.post(error.description) }
  }
}
