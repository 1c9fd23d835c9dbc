// Animated pictures in the viewer.

import CameraCore
import Foundation
import Observation
import PhotoLibrary

/// Plays the viewer's picture if it is an animated one: over and over, or as often as its file says.
@MainActor @Observable
public final class ViewerAnimation {
  /// The frame that is shown; `nil` where the picture isn't animated, and before it is played.
  public private(set) var frame: DecodedImage?
  /// Whether the picture has frames to be played.
  public private(set) var isThere = false
  public private(set) var isPlaying = false

  /// Whether it is played by itself: not where the desktop is to stand still.
  @ObservationIgnored public var startsByItself = true
  /// Returns after so many seconds; throws when the task is canceled.
  @ObservationIgnored var pause: @Sendable (Double) async throws -> Void = { seconds in
    try await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
  }

  @ObservationIgnored private let images: ImageManager
  @ObservationIgnored private let messages: MessageModel
  @ObservationIgnored private var animation: PictureAnimation?
  @ObservationIgnored private var opening: Task<Void, Never>?
  @ObservationIgnored private var playing: Task<Void, Never>?
  /// The times that it was played to its end.
  @ObservationIgnored private var rounds = 0

  /// In seconds, of a frame: a broken file may state hours.
  private static let longestDuration = 60.0

  init(images: ImageManager, messages: MessageModel) { (self.images, self.messages) = (images, messages) }

  /// Takes over a picture, and plays it if it has frames.
  ///
  /// - Parameter size: That of the view, in device pixels.
  func open(_ asset: Asset, size: PixelSize) {
    close()
    opening = Task { [weak self, images] in
      do throws(PhotoLibraryError) {
        guard let animation = try await images.animation(of: asset, targetSize: size) else { return }
        guard let self, !Task.isCancelled else { return }
        self.animation = animation
        self.isThere = true
        if self.startsByItself { self.play() }
      } catch {
        // The still says why it can't be shown.
      }
    }
  }

  func close() {
    opening?.cancel()
    stop()
    animation?.close()
    (opening, animation, rounds) = (nil, nil, 0)
    if frame != nil { frame = nil }
    if isThere { isThere = false }
  }

  /// Plays on, or stops where it is.
  public func togglePlaying() { if isPlaying { stop() } else { play() } }

  private func stop() {
    playing?.cancel()
    playing = nil
    if isPlaying { isPlaying = false }
  }

  private func play() {
    guard let animation, playing == nil else { return }
    isPlaying = true
    playing = Task { [weak self, pause] in
      do {
        while let self, !Task.isCancelled {
          guard let next = try await animation.next() else {
            try await animation.rewind()
            self.rounds += 1
            // One that is asked for again is played once more.
            if animation.loopCount > 0, self.rounds >= animation.loopCount { break }
            continue
          }
          guard !Task.isCancelled else { return }
          self.frame = next.image
          try await pause(min(next.duration, Self.longestDuration))
        }
      } catch is CancellationError {
        return
      } catch {
        guard !Task.isCancelled else { return }
        self?.messages.post(error.localizedDescription)
      }
      if !Task.isCancelled { self?.stop() }
    }
  }
}
