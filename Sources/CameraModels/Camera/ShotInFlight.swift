// State of a shot until it is saved.

import CameraCore
import Foundation

/// What the camera's model knows of a shot from the press until it is saved or has failed.
struct ShotInFlight {
  /// The time of the press.
  var pressed: MonotonicTime
  /// The photos that it belongs to; `nil` for a single photo.
  var group: PhotoGroup?
  /// Whether it belongs to a series, which reports its failures itself.
  var isOfSeries = false
  /// Whether the countdown took it.
  var isCountedDown = false
  /// Whether its movie still rolls.
  var isRolling = false
  /// Whether the flash is lit for it.
  var isLit = false
  /// Follows its events.
  var following: Task<Void, Never>?

  /// Whether it was taken a while after the last press: by the countdown, of a series, or by the photo booth.
  var isTimed: Bool { isCountedDown || isOfSeries || group?.isBurst == false }
}

/// A photo that was taken a while after the last press, and is saved now.
public struct TimedShot: Sendable, Hashable {
  public let id: String
  public let url: URL
  /// The number of photos of the series so far; 1 for a single photo.
  public let count: Int
}
