// The viewer: one picture of the library, large; a live photo plays while it is pressed or hovered.

import CameraCore
import Foundation
import Observation
import PhotoLibrary

/// Shows a picture of the strip, and its neighbours.
@MainActor @Observable
public final class ViewerModel {
  /// The picture that is shown; `nil` when the viewer is closed.
  public private(set) var asset: Asset?
  /// The still, as large as was asked for; a rough one first.
  public private(set) var image: DecodedImage?
  /// Why the picture can't be shown; `nil` when it can.
  public private(set) var failure: String?
  /// The movie that is playing; its `preview` has the frames.
  public private(set) var playback: (any MoviePlayback)?

  /// Whether there is a movie to play.
  public var isPlayable: Bool { asset?.movieRange != nil }

  @ObservationIgnored private let strip: ThumbnailStripModel
  @ObservationIgnored private let players: any MoviePlayerFactory
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private let images: ImageManager
  @ObservationIgnored private var loading: Task<Void, Never>?
  @ObservationIgnored private var playing: Task<Void, Never>?

  /// - Parameter images: Makes the picture that is shown.
  public init(
    strip: ThumbnailStripModel, images: ImageManager, players: any MoviePlayerFactory, messages: MessageModel
  ) {
    self.strip = strip
    self.images = images
    self.players = players
    self.messages = messages
  }

  /// Opens the selected picture of the strip. A shot that is still being saved can't be opened yet.
  ///
  /// - Parameter size: The largest size at which it will be shown, in device pixels.
  public func openSelected(size: PixelSize) {
    guard let asset = strip.selectedItem?.asset else { return }
    open(asset, size: size)
  }

  /// Shows the next older (`1`) or newer (`-1`) picture.
  public func move(by step: Int, size: PixelSize) {
    strip.moveSelection(by: step)
    openSelected(size: size)
  }

  public func close() {
    stop()
    loading?.cancel()
    asset = nil
    image = nil
    failure = nil
  }

  /// Plays the movie from its start, with sound, until its end or `stop`.
  public func play() {
    guard playing == nil, let asset, let range = asset.movieRange else { return }
    let playback = players.player(for: asset.url, byteRange: range, isMuted: false)
    self.playback = playback
    playing = Task { [weak self] in
      do throws(CameraError) { try await playback.play() } catch {
        if !Task.isCancelled { self?.messages.post(error.description) }
      }
      // Another movie may be playing by now.
      guard let self, self.playback === playback else { return }
      self.playback = nil
      self.playing = nil
    }
  }

  /// Goes back to the still.
  public func stop() {
    playing?.cancel()
    playing = nil
    playback?.stop()
    playback = nil
  }

  private func open(_ asset: Asset, size: PixelSize) {
    guard asset != self.asset else { return }
    stop()
    loading?.cancel()
    self.asset = asset
    image = nil
    failure = nil
    let images = images
    loading = Task { [weak self] in
      do {
        for try await result in images.requestImage(for: asset, targetSize: size) where !Task.isCancelled {
          self?.image = result.image
        }
      } catch {
        if !Task.isCancelled { self?.failure = error.localizedDescription }
      }
    }
  }
}
