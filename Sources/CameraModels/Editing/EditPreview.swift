// The editor's large picture: the still as it will be, or the movie playing round and round with the edit applied.

import CameraCore
import EngineInterface
import Foundation
import Observation
import PhotoEffects
import PhotoLibrary

/// Renders what an edit makes of its picture at the size that is shown, away from the main thread.
///
/// Of several changes in a row the newest is rendered; those that had not begun by then never are.
@MainActor @Observable
public final class EditPreview {
  /// What is to be seen.
  struct Scene: Equatable {
    /// As it is rendered; without what only a movie has.
    var recipe = AdjustmentRecipe()
    /// The frame that is the still, in seconds from the movie's start; `nil` is the still itself.
    var stillTime: Double?
    /// Whether the movie plays.
    var isMoving = false
    var hasSound = false
    /// The part of the movie that plays, in seconds.
    var range: ClosedRange<Double>?
    /// Whether the still is the average of the movie's frames.
    var isAveraged = false
  }

  /// The still, rendered; `nil` until it is, and while a movie plays in its place.
  public private(set) var image: DecodedImage?
  /// The movie that plays; its `preview` has the frames.
  public private(set) var playback: (any MoviePlayback)?
  /// Where in the movie its picture is, in seconds.
  public private(set) var position = 0.0
  /// Whether the movie is held.
  public private(set) var isHeld = false
  /// Why nothing, or no movie, can be shown; `nil` when it can.
  public private(set) var failure: String?

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let reader: any MovieReader
  @ObservationIgnored private let players: any MoviePlayerFactory
  @ObservationIgnored private let worker = PreviewWorker(
    threadCount: ProcessInfo.processInfo.activeProcessorCount)

  @ObservationIgnored private var input: ContentEditingInput?
  @ObservationIgnored private var scene = Scene()
  @ObservationIgnored private var size = PixelSize(width: 1280, height: 720)
  @ObservationIgnored private var base: Base?
  @ObservationIgnored private var work: Task<Void, Never>?
  /// Grows with each change of what is to be seen.
  @ObservationIgnored private var generation = 0
  @ObservationIgnored private var rendered = 0
  @ObservationIgnored private var playing: Task<Void, Never>?
  @ObservationIgnored private var positions: Task<Void, Never>?
  @ObservationIgnored private var isMuted = true
  @ObservationIgnored private var hasAdvanced = false
  @ObservationIgnored private var isMovieBroken = false

  /// The decoded picture that is rendered again and again.
  private struct Base {
    var picture: EditingImage
    var time: Double?
    var average: ClosedRange<Double>?
  }

  init(library: PhotoLibrary, reader: any MovieReader, players: any MoviePlayerFactory) {
    self.library = library
    self.reader = reader
    self.players = players
  }

  // MARK: Opening

  func open(_ input: ContentEditingInput, _ scene: Scene) {
    close()
    self.input = input
    show(scene)
  }

  func close() {
    generation += 1
    work?.cancel()
    work = nil
    stopMovie()
    (input, base, image, failure) = (nil, nil, nil, nil)
    (position, isHeld, isMovieBroken) = (0, false, false)
    scene = Scene()
  }

  /// Says how large the picture is shown, in device pixels.
  public func setSize(_ size: PixelSize) {
    guard size.width > 0, size.height > 0, size != self.size else { return }
    self.size = size
    if input != nil, playback == nil { renderStill() }
  }

  func show(_ new: Scene) {
    guard input != nil, new != scene || (image == nil && playback == nil) else { return }
    scene = new
    if new.isMoving, !isMovieBroken, input?.movieRange != nil {
      if let playback, isMuted == !new.hasSound {
        give(playback)
        keepInRange()
      } else if image != nil || playback != nil {
        begin()
      } else {
        // The still comes first, so that there is a picture while the movie is opened.
        renderStill()
      }
    } else {
      stopMovie()
      renderStill()
    }
  }

  /// The person has read it.
  func dismissFailure() { failure = nil }

  /// Returns when the still is what it is to be.
  public func finished() async {
    while let work {
      await work.value
      if work == self.work { return }
    }
  }

  // MARK: The still

  private func renderStill() {
    generation += 1
    guard work == nil else { return }
    work = Task { [weak self] in
      await self?.renderNewest()
    }
  }

  private func renderNewest() async {
    while rendered != generation, !Task.isCancelled {
      let (mine, scene) = (generation, scene)
      do {
        guard let picture = try await picture(for: scene) else { break }
        guard mine == generation else { continue }
        let image = try await worker.render(scene.recipe, of: picture, time: scene.stillTime ?? 0)
        guard !Task.isCancelled else { return }
        // An older one than the newest is shown all the same while a slider is being dragged: it is newer than the last.
        self.image = image
        if !isMovieBroken { failure = nil }
      } catch {
        guard !Task.isCancelled else { return }
        if mine == generation { failure = error.localizedDescription }
      }
      rendered = mine
    }
    guard !Task.isCancelled else { return }
    work = nil
    if scene.isMoving, playback == nil, image != nil, !isMovieBroken { begin() }
  }

  /// The decoded picture, as large as a scene needs it.
  private func picture(for scene: Scene) async throws -> EditingImage? {
    guard let input else { return nil }
    let needed = neededSize(scene.recipe.geometry)
    let average = scene.isAveraged ? scene.range ?? 0...(input.duration ?? 0) : nil
    if let base, base.time == scene.stillTime, base.average == average, covers(base.picture, needed) {
      return base.picture
    }
    let picture: EditingImage
    if let average, let range = input.movieRange {
      picture = try await FrameAverage.preview(
        of: MovieSource(url: input.url, byteRange: range), over: average, size: needed, reader: reader)
    } else {
      picture = try await library.editingImage(
        for: input, targetSize: needed, at: scene.stillTime, movieFrames: reader)
    }
    try Task.checkCancellation()
    base = Base(picture: picture, time: scene.stillTime, average: average)
    return picture
  }

  /// The size that the whole picture needs so that what is left of it after the crop fills the view.
  private func neededSize(_ geometry: Geometry) -> PixelSize {
    let part = max(0.05, max(geometry.crop.width, geometry.crop.height))
    let isTurned = geometry.turn == .left || geometry.turn == .right
    let (width, height) = (Double(size.width) / part, Double(size.height) / part)
    return PixelSize(width: Int(isTurned ? height : width), height: Int(isTurned ? width : height))
  }

  private func covers(_ picture: EditingImage, _ needed: PixelSize) -> Bool {
    let image = picture.image.size
    return image == picture.fullSize || image.width >= needed.width || image.height >= needed.height
  }

  // MARK: The movie

  /// Holds the movie, or lets it go on.
  func setHeld(_ isHeld: Bool) {
    guard playback != nil, isHeld != self.isHeld else { return }
    self.isHeld = isHeld
    playback?.setPaused(isHeld)
  }

  /// Shows the picture of a time, in seconds, and holds it.
  func seek(to time: Double) {
    guard let playback else { return }
    setHeld(true)
    position = time
    playback.seek(to: time)
  }

  private func begin() {
    guard let input, let range = input.movieRange else { return }
    stopMovie()
    isMuted = !scene.hasSound
    let playback = players.player(of: MovieSource(url: input.url, byteRange: range), isMuted: isMuted)
    self.playback = playback
    image = nil
    give(playback)
    let times = playback.positions()
    positions = Task { [weak self] in
      for await time in times {
        guard let self, !Task.isCancelled else { return }
        self.advanced(to: time)
      }
    }
    playing = Task { [weak self] in await self?.playOverAndOver(playback) }
  }

  private func playOverAndOver(_ playback: any MoviePlayback) async {
    while self.playback === playback, !Task.isCancelled {
      hasAdvanced = false
      if let start = scene.range?.lowerBound, start > 0 { playback.seek(to: start) }
      do throws(CameraError) { try await playback.play() } catch {
        guard self.playback === playback, !Task.isCancelled else { return }
        return movieBroke(error.description)
      }
      guard self.playback === playback, !Task.isCancelled else { return }
      // A movie without a picture would begin again without end.
      guard hasAdvanced else { return movieBroke("There is no picture in the movie that can be shown.") }
    }
  }

  /// The still is shown instead.
  private func movieBroke(_ text: String) {
    isMovieBroken = true
    stopMovie()
    failure = text
    renderStill()
  }

  private func advanced(to time: Double) {
    hasAdvanced = true
    // What was on its way when the movie was held elsewhere.
    if !isHeld { position = time }
    if !isHeld, let range = scene.range, time >= range.upperBound { playback?.seek(to: range.lowerBound) }
  }

  private func keepInRange() {
    guard !isHeld, let range = scene.range, !range.contains(position) else { return }
    playback?.seek(to: range.lowerBound)
  }

  private func give(_ playback: any MoviePlayback) {
    // What can't be rendered is told by the still and by saving.
    let processor = scene.recipe.changesPicture ? try? FrameProcessor(scene.recipe) : nil
    playback.preview.setProcessor(processor)
  }

  private func stopMovie() {
    playing?.cancel()
    positions?.cancel()
    (playing, positions) = (nil, nil)
    playback?.stop()
    if playback != nil { playback = nil }
    if isHeld { isHeld = false }
  }
}
