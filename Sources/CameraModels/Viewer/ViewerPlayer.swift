// Playback in the viewer: a live photo while it is held, or a video with a position.

import CameraCore
import EngineInterface
import Foundation
import Observation
import PhotoEffects
import PhotoLibrary

/// Plays the movie of the viewer's picture.
///
/// A live photo plays from its start and then gives way to its still; one whose edit loops or bounces plays over and over.
/// A video starts paused on its first frame, and can be sought.
@MainActor @Observable
public final class ViewerPlayer {
  /// The movie that is playing or paused; its `preview` has the frames. `nil` while the still is shown.
  public private(set) var playback: (any MoviePlayback)?
  /// Whether a video is paused. Live photos never are.
  public private(set) var isPaused = true
  /// The live photo's playback style, according to its edit.
  public private(set) var playbackStyle = AdjustmentRecipe.PlaybackStyle.live
  /// The position in a video, in seconds.
  public private(set) var position = 0.0
  /// The reason that a video can't be played; `nil` when it can.
  public private(set) var failure: String?

  /// Whether the live photo plays by itself, over and over.
  public var isLooping: Bool { playbackStyle == .loop || playbackStyle == .bounce }

  /// Whether a live photo that loops starts by itself: not where the desktop is to stand still.
  @ObservationIgnored public var startsLoops = true

  /// Smaller changes of the position aren't published, in seconds: they can't be seen on a seek bar.
  private static let positionStep = 0.1

  @ObservationIgnored private let library: PhotoLibrary
  @ObservationIgnored private let players: any MoviePlayerFactory
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var asset: Asset?
  @ObservationIgnored private var hasToldSilence = false
  @ObservationIgnored private var styling: Task<Void, Never>?
  @ObservationIgnored private var playing: Task<Void, Never>?
  @ObservationIgnored private var positions: Task<Void, Never>?

  init(library: PhotoLibrary, players: any MoviePlayerFactory, messages: MessageModel) {
    self.library = library
    self.players = players
    self.messages = messages
  }

  private var isVideo: Bool { asset?.mediaType == .video }

  // MARK: Opening and closing

  /// Takes over a picture: shows a video's first frame, and starts a live photo that loops.
  func open(_ asset: Asset) {
    close()
    self.asset = asset
    if isVideo { beginVideo(isPaused: true, from: 0) }
    findPlaybackStyle(of: asset)
  }

  func close() {
    stop()
    styling?.cancel()
    styling = nil
    asset = nil
    if playbackStyle != .live { playbackStyle = .live }
    if position != 0 { position = 0 }
    if failure != nil { failure = nil }
  }

  /// Looks up a live photo's playback style, and starts it if it plays by itself.
  private func findPlaybackStyle(of asset: Asset) {
    guard asset.isLive, asset.isEdited else { return }
    styling = Task { [weak self, library] in
      do {
        // Another program's edit plays like any live photo.
        guard let data = try await library.adjustmentData(for: asset.id),
          data.formatIdentifier == AdjustmentRecipe.formatIdentifier
        else { return }
        let recipe = try AdjustmentRecipe(data)
        guard let self, !Task.isCancelled else { return }
        self.playbackStyle = recipe.playbackStyle
        if self.isLooping, self.startsLoops { self.play() }
      } catch is RecipeError {
        // A newer version's recipe plays like any live photo; the editor explains what is wrong with it.
      } catch {
        if !Task.isCancelled { self?.messages.post(error.localizedDescription) }
      }
    }
  }

  // MARK: Playing

  /// Plays a live photo from its start, with sound, until its end or `stop`; one that loops plays until `stop`. A paused
  /// video resumes.
  public func play() {
    if isVideo {
      if isPaused { togglePlaying() }
    } else {
      begin { _ in }
    }
  }

  /// Plays a live photo, stops one that loops, or plays or pauses a video: the Play action.
  public func playOrPause() {
    if isVideo {
      togglePlaying()
    } else if isLooping, playback != nil {
      stop()
    } else {
      play()
    }
  }

  /// Stops a live photo, and pauses a video.
  public func pause() {
    if !isVideo {
      stop()
    } else if !isPaused {
      togglePlaying()
    }
  }

  /// Goes back to the still.
  public func stop() {
    playing?.cancel()
    positions?.cancel()
    (playing, positions) = (nil, nil)
    playback?.stop()
    if playback != nil { playback = nil }
    if !isPaused { isPaused = true }
  }

  /// Stops a live photo when the pointer or the key that played it is released.
  public func stopLivePhoto() {
    if !isVideo, !isLooping { stop() }
  }

  /// Plays or pauses a video. One that has ended starts over.
  public func togglePlaying() {
    guard isVideo else { return }
    if let playback {
      isPaused.toggle()
      playback.setPaused(isPaused)
    } else {
      beginVideo(isPaused: false, from: 0)
    }
  }

  /// Seeks in a video, to a time in seconds.
  public func seek(to seconds: Double) {
    guard isVideo else { return }
    let time = min(max(0, seconds), asset?.duration ?? seconds)
    if let playback {
      position = time
      playback.seek(to: time)
    } else {
      beginVideo(isPaused: true, from: time)
    }
  }

  private func beginVideo(isPaused: Bool, from start: Double) {
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
        self.tellSilence()
        if abs(time - self.position) >= Self.positionStep { self.position = time }
      }
    }
  }

  private func begin(_ prepare: (any MoviePlayback) -> Void) {
    guard playing == nil, let asset, let range = asset.movieRange else { return }
    let playback = players.player(of: MovieSource(url: asset.movieURL, byteRange: range), isMuted: false)
    prepare(playback)
    self.playback = playback
    hasToldSilence = false
    let isLooping = isLooping
    playing = Task { [weak self] in
      do throws(CameraError) {
        // A movie without a frame would loop without end.
        repeat {
          try await playback.play()
          if let self, self.playback === playback { self.tellSilence() }
        } while isLooping && !Task.isCancelled && playback.preview.statistics.arrived > 0
      } catch {
        if !Task.isCancelled { self?.failed(error) }
      }
      // Another movie may be playing by now.
      guard let self, self.playback === playback else { return }
      if self.isVideo, !self.isPaused, let duration = self.asset?.duration { self.position = duration }
      self.stop()
    }
  }

  /// Says once that a movie plays without its sound.
  private func tellSilence() {
    guard !hasToldSilence, let silence = playback?.silence else { return }
    hasToldSilence = true
    messages.post(silence)
  }

  /// A live photo still has its still; a video has nothing else to show.
  private func failed(_ error: CameraError) {
    if isVideo { failure = error.description } else { messages.post(error.description) }
  }
}
