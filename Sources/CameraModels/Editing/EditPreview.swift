// The editor's large preview: the edited still, or the movie playing in a loop with the edit applied.

import CameraCore
import EngineInterface
import Foundation
import Localization
import Observation
import PhotoEffects
import PhotoLibrary

/// Renders an edit at the size of the view, off the main thread.
///
/// Several changes in a row are rendered as one: those that haven't started when a newer one comes are skipped.
@MainActor @Observable
public final class EditPreview {
  /// The contents of the preview.
  struct Scene: Equatable {
    /// The recipe to render, without the parts that only concern movies.
    var recipe = AdjustmentRecipe()
    /// The time of the frame that serves as the still, in seconds; `nil` for the still itself.
    var stillTime: Double?
    /// Whether the movie plays.
    var isMoving = false
    var hasSound = false
    /// The range of the movie that plays, in seconds.
    var range: ClosedRange<Double>?
    /// Whether the movie plays backward after it has played forward.
    var bounces = false
    /// Whether the still is the average of the movie's frames.
    var isAveraged = false
    /// Whether the person is tinted, in place of the effect.
    var showsMatte = false
  }

  /// The rendered still; `nil` until it is ready, and while a movie plays instead.
  public private(set) var image: DecodedImage?
  /// The movie that plays; its `preview` has the frames.
  public private(set) var playback: (any MoviePlayback)?
  /// The current position in the movie, in seconds.
  public private(set) var position = 0.0
  /// Whether the movie is paused.
  public private(set) var isHeld = false
  /// Whether a movie plays as soon as it is shown: not where the desktop is to stand still.
  @ObservationIgnored public var startsMovies = true
  /// The reason that nothing, or no movie, can be shown; `nil` when it can.
  public private(set) var failure: String?
  /// The reason that the movie plays without its sound; `nil` when it has it, or is to have none.
  public private(set) var silence: String?

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let reader: any MovieReader
  @ObservationIgnored private let players: any MoviePlayerFactory
  @ObservationIgnored private let worker: PreviewWorker
  @ObservationIgnored private let mattes: (any MatteProvider)?

  @ObservationIgnored private var input: ContentEditingInput?
  /// The matte that was kept of the still.
  @ObservationIgnored private var matte: Matte?
  @ObservationIgnored private var scene = Scene()
  @ObservationIgnored private var size = PixelSize(width: 1280, height: 720)
  @ObservationIgnored private var base: Base?
  @ObservationIgnored private var work: Task<Void, Never>?
  /// Grows with each change of the scene.
  @ObservationIgnored private var generation = 0
  @ObservationIgnored private var rendered = 0
  @ObservationIgnored private var playing: Task<Void, Never>?
  @ObservationIgnored private var positions: Task<Void, Never>?
  /// The way back of a bounce, while it is under way.
  @ObservationIgnored private var wayBack: Task<Void, Never>?
  /// Returns after the time of a frame; throws when the task is canceled.
  @ObservationIgnored var frameTime: @Sendable () async throws -> Void = {
    try await Task.sleep(nanoseconds: UInt64(backwardStep * 1e9))
  }
  @ObservationIgnored private var isMuted = true
  @ObservationIgnored private var hasAdvanced = false
  @ObservationIgnored private var isMovieBroken = false
  @ObservationIgnored private var isSilenceDismissed = false

  /// The decoded picture, which is rendered again and again.
  private struct Base {
    var picture: EditingImage
    var time: Double?
    var average: ClosedRange<Double>?
  }

  /// - Parameter mattes: Tells people from the background; `nil` where nobody does.
  init(
    library: PhotoLibrary, reader: any MovieReader, players: any MoviePlayerFactory, mattes: (any MatteProvider)? = nil
  ) {
    self.mattes = mattes
    worker = PreviewWorker(
      threadCount: ProcessInfo.processInfo.activeProcessorCount, mattes: mattes, backdrops: library.backdrops)
    self.library = library
    self.reader = reader
    self.players = players
  }

  // MARK: Opening

  /// - Parameter matte: That was kept of the still; `nil` where it has to be found.
  func open(_ input: ContentEditingInput, _ scene: Scene, matte: Matte? = nil) {
    close()
    (self.input, self.matte) = (input, matte)
    show(scene)
  }

  func close() {
    generation += 1
    work?.cancel()
    work = nil
    stopMovie()
    (input, matte, base, image, failure, silence) = (nil, nil, nil, nil, nil, nil)
    (position, isHeld, isMovieBroken, isSilenceDismissed) = (0, false, false, false)
    scene = Scene()
  }

  /// Sets the size of the view in device pixels.
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
        // The still comes first, so that there is a picture while the movie opens.
        renderStill()
      }
    } else {
      stopMovie()
      renderStill()
    }
  }

  /// The user has read the failure, and why there is no sound.
  func dismissFailure() {
    isSilenceDismissed = silence != nil || isSilenceDismissed
    (failure, silence) = (nil, nil)
  }

  /// Returns when the still is up to date.
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
        // Another frame has another matte.
        let kept = scene.stillTime == nil && !scene.isAveraged ? matte : nil
        let image =
          try await scene.showsMatte
          ? worker.renderMatte(scene.recipe, of: picture, kept: kept)
          : worker.render(scene.recipe, of: picture, time: scene.stillTime ?? 0, kept: kept)
        guard !Task.isCancelled else { return }
        // An outdated result is still shown while a slider is dragged: it is newer than the one before.
        self.image = image
        if !isMovieBroken { failure = nil }
      } catch {
        guard !Task.isCancelled else { return }
        await showWithoutEffect(scene, mine)
        guard !Task.isCancelled else { return }
        if mine == generation { failure = error.localizedDescription }
      }
      rendered = mine
    }
    guard !Task.isCancelled else { return }
    work = nil
    if scene.isMoving, playback == nil, image != nil, !isMovieBroken { begin() }
  }

  /// Shows the picture at least, when its effect can't be rendered.
  private func showWithoutEffect(_ scene: Scene, _ mine: Int) async {
    guard image == nil, scene.recipe.effect != nil, let base else { return }
    var recipe = scene.recipe
    recipe.effect = nil
    // What fails here as well has been reported.
    let plain = try? await worker.render(recipe, of: base.picture, time: scene.stillTime ?? 0)
    if let plain, !Task.isCancelled, mine == generation, image == nil { image = plain }
  }

  /// The decoded picture at the size that a scene needs.
  private func picture(for scene: Scene) async throws -> EditingImage? {
    guard let input else { return nil }
    let needed = neededSize(scene.recipe.geometry)
    let average = scene.isAveraged ? scene.range ?? 0...(input.duration ?? 0) : nil
    if let base, base.time == scene.stillTime, base.average == average, covers(base.picture, needed) {
      return base.picture
    }
    let picture: EditingImage
    if let average, let movie = input.movie {
      picture = try await FrameAverage.preview(
        of: movie, over: average, size: needed, reader: reader)
    } else {
      picture = try await library.editingImage(
        for: input, targetSize: needed, at: scene.stillTime, movieFrames: reader)
    }
    try Task.checkCancellation()
    base = Base(picture: picture, time: scene.stillTime, average: average)
    return picture
  }

  /// The size to decode at, so that the part inside the crop fills the view.
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

  /// Pauses or resumes the movie.
  func setHeld(_ isHeld: Bool) {
    guard playback != nil, isHeld != self.isHeld else { return }
    endWayBack()
    self.isHeld = isHeld
    playback?.setPaused(isHeld)
  }

  /// Shows the frame at a time in seconds, paused.
  func seek(to time: Double) {
    guard let playback else { return }
    setHeld(true)
    position = time
    playback.seek(to: time)
  }

  private func begin() {
    guard let movie = input?.movie else { return }
    let wasPlaying = playback != nil && !isHeld
    stopMovie()
    isMuted = !scene.hasSound
    let playback = players.player(of: movie, isMuted: isMuted)
    self.playback = playback
    image = nil
    give(playback)
    if !startsMovies, !wasPlaying { setHeld(true) }
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
      if wayBack == nil, let start = scene.range?.lowerBound, start > 0 { playback.seek(to: start) }
      do throws(CameraError) { try await playback.play() } catch {
        guard self.playback === playback, !Task.isCancelled else { return }
        return movieBroke(error.description)
      }
      guard self.playback === playback, !Task.isCancelled else { return }
      noteSilence()
      // A movie without frames would loop without end.
      guard hasAdvanced else { return movieBroke(localized("The video has no frames that can be shown.")) }
      // Its last frames were too few, or came too fast, to turn before its end.
      if scene.bounces, !isHeld, wayBack == nil, let range = scene.range, position > range.lowerBound {
        goBack(playback, from: min(position, range.upperBound))
        playback.seek(to: position)
        continue
      }
    }
  }

  /// What became of the sound is known when the movie has begun.
  private func noteSilence() {
    let present = isMuted || isSilenceDismissed ? nil : playback?.silence
    if present != silence { silence = present }
  }

  /// Shows the still instead.
  private func movieBroke(_ text: String) {
    isMovieBroken = true
    stopMovie()
    failure = text
    renderStill()
  }

  private func advanced(to time: Double) {
    hasAdvanced = true
    noteSilence()
    // This frame was on its way when the movie was paused elsewhere.
    guard !isHeld, wayBack == nil else { return }
    position = time
    guard let playback, let range = scene.range else { return }
    if scene.bounces, time >= range.upperBound - Self.backwardReach,
      range.upperBound - range.lowerBound > 2 * Self.backwardReach
    {
      goBack(playback, from: time)
    } else if time >= range.upperBound {
      playback.seek(to: range.lowerBound)
    }
  }

  // MARK: Bouncing

  /// From frame to frame backward, in seconds.
  nonisolated static let backwardStep = 1.0 / 30
  /// A bounce turns this long before the end of its range, in seconds: behind the last frame, the movie is over.
  private static let backwardReach = 0.1

  /// Goes to one earlier frame after another, because decoders go forward only; then the movie plays again. Where that takes
  /// longer than the time of a frame, frames are left out by the player.
  private func goBack(_ playback: any MoviePlayback, from end: Double) {
    playback.setPaused(true)
    wayBack = Task { [weak self, frameTime] in
      var time = end
      while let start = self?.scene.range?.lowerBound, time > start {
        do { try await frameTime() } catch { return }
        guard let self, !Task.isCancelled, self.playback === playback else { return }
        time = max(start, time - Self.backwardStep)
        position = time
        playback.seek(to: time)
      }
      self?.endWayBack()
    }
  }

  private func endWayBack() {
    guard let wayBack else { return }
    wayBack.cancel()
    self.wayBack = nil
    playback?.setPaused(isHeld)
  }

  private func keepInRange() {
    if !scene.bounces { endWayBack() }
    guard !isHeld, wayBack == nil, let range = scene.range, !range.contains(position) else { return }
    playback?.seek(to: range.lowerBound)
  }

  private func give(_ playback: any MoviePlayback) {
    // An error in the recipe is reported by the still and by saving.
    let processor =
      scene.recipe.changesPicture
      ? try? FrameProcessor(scene.recipe, mattes: mattes, backdrops: library.backdrops) : nil
    playback.preview.setProcessor(processor)
  }

  private func stopMovie() {
    playing?.cancel()
    positions?.cancel()
    wayBack?.cancel()
    (playing, positions, wayBack) = (nil, nil, nil)
    playback?.stop()
    if playback != nil { playback = nil }
    if isHeld { isHeld = false }
  }
}
