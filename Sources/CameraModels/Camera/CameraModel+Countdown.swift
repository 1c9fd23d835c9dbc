// The shutter with its countdown.

import CameraCore
import Localization

extension CameraModel {
  /// The countdown that was chosen.
  public var delay: ShutterDelay { settings.values.capture.delay }

  /// Chooses the countdown of the next shots and movies.
  public func setDelay(_ delay: ShutterDelay) {
    let seconds = delay.seconds
    let text =
      delay == .none
      ? localized("The countdown is off.")
      : localized("Countdown: \(seconds) second.", plural: "Countdown: \(seconds) seconds.", count: seconds)
    settings.update(saying: text) { $0.capture.delay = delay }
  }

  /// Chooses the next longer countdown.
  public func cycleDelay() { setDelay(delay.next) }

  /// Whether the tick of a countdown can be heard at this second.
  ///
  /// Those of the last second and a half would be the first thing that is heard in a live photo.
  func ticks(at remaining: Int) -> Bool {
    guard playsSounds else { return false }
    return movies?.mode == .movie || !live.isActive || remaining >= 2
  }
}
