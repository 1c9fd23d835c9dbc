// Interval shooting.

import CameraCore
import Localization

extension CameraModel {
  /// The time between the photos of a series; none for single photos.
  public var interval: ShotInterval { settings.values.capture.interval }

  /// Chooses whether the shutter takes single photos or a series. The photo booth isn't chosen then.
  public func setInterval(_ interval: ShotInterval) {
    let text =
      if interval == .none {
        localized("Interval shooting is off.")
      } else if boothChoice != .off {
        localized("One photo every \(interval.title). The photo booth is off.")
      } else {
        localized("One photo every \(interval.title).")
      }
    settings.update(saying: text) {
      $0.capture.interval = interval
      if interval != .none { $0.capture.booth = .off }
    }
  }

  /// The number of photos of a series.
  public var intervalCount: ShotCount { settings.values.capture.intervalCount }

  /// Chooses the number of photos of a series.
  public func setIntervalCount(_ count: ShotCount) {
    let text =
      count == .unlimited
      ? localized("Photos in a series: no limit.") : localized("Photos in a series: \(count.title).")
    settings.update(saying: text) { $0.capture.intervalCount = count }
  }

  /// Connects the series with the shutter.
  func prepareIntervals() {
    intervals.take = { [weak self] in await self?.takePhotoOfSeries() }
    intervals.refusal = { [weak self] in self?.shotRefusal }
  }
}

// MARK: On screen

extension CameraModel {
  /// What is taken by itself now: “3 photos, every 5 s”, “Photo 2 of 4”; `nil` for nothing.
  public var seriesText: String? { booth.text ?? intervals.text }

  /// Ends the photos that are taken by themselves.
  public func stopSeries() {
    if booth.isRunning { booth.stop() } else { intervals.stop() }
  }
}
