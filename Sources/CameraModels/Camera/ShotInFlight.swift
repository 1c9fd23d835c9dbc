// State of a shot until it is saved.

import CameraCore

/// What the camera's model knows of a shot from the press until it is saved or has failed.
struct ShotInFlight {
  /// The time of the press.
  var pressed: MonotonicTime
  /// The photos that it belongs to; `nil` for a single photo.
  var group: PhotoGroup?
  /// Whether it belongs to a series, which reports its failures itself.
  var isOfSeries = false
  /// Whether its movie still rolls.
  var isRolling = false
  /// Whether the flash is lit for it.
  var isLit = false
  /// Follows its events.
  var following: Task<Void, Never>?
}
