// Playback of a live photo while the pointer rests on it in the viewer.

import Foundation

/// Turns the pointer's movements into playback.
///
/// A live photo plays once per visit, `delay` after the pointer began to move. A picture that opens under a pointer at rest
/// isn't hovered, because nobody likes a movie that starts by itself: on the picture the pointer must travel `distance`
/// first. The LIVE badge is small and only reached on purpose, so any movement counts there.
@MainActor public final class HoverPlayback {
  /// A part of the viewer that reacts to the pointer.
  public enum Area: Sendable {
    case picture, badge
  }

  /// The time that the pointer has to stay before the movie plays.
  public static let delay = Duration.milliseconds(250)
  /// The distance that the pointer must travel on the picture, in pixels.
  public static let distance = 8.0

  private let viewer: ViewerModel
  private let clock: any Clock<Duration>
  private var entrance: (area: Area, x: Double, y: Double)?
  private var hasPlayed = false
  private var timer: Task<Void, Never>?

  /// Whether the movie is about to play.
  var isPending: Bool { timer != nil }

  init(viewer: ViewerModel, clock: any Clock<Duration>) {
    self.viewer = viewer
    self.clock = clock
  }

  deinit { timer?.cancel() }

  /// The pointer came to an area, at a point in pixels.
  public func entered(_ area: Area, x: Double, y: Double) {
    entrance = (area, x, y)
    hasPlayed = false
  }

  /// The pointer moved within an area.
  public func moved(_ area: Area, x: Double, y: Double) {
    // Once a visit: when the movie ends it gives way to the still.
    guard let entrance, entrance.area == area, !hasPlayed, timer == nil else { return }
    guard area == .badge || hypot(x - entrance.x, y - entrance.y) > Self.distance else { return }
    hasPlayed = true
    timer = Task { [weak self, clock] in
      // Sleeping throws only when the task is canceled.
      do { try await clock.sleep(for: Self.delay) } catch { return }
      guard !Task.isCancelled, let self else { return }
      timer = nil
      viewer.playLivePhoto()
    }
  }

  /// The pointer left an area.
  public func left(_ area: Area) {
    timer?.cancel()
    timer = nil
    if entrance?.area == area { entrance = nil }
    viewer.player.stopLivePhoto()
  }
}
