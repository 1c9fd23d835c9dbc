// The shutter and its series of photos.

import CameraCore

extension CameraModel {
  /// The time between the photos of a series; none for single photos.
  public var interval: ShotInterval { settings.values.capture.interval }

  /// Chooses whether the shutter takes single photos or a series.
  public func setInterval(_ interval: ShotInterval) { settings.update { $0.capture.interval = interval } }

  /// The number of photos of a series.
  public var intervalCount: ShotCount { settings.values.capture.intervalCount }

  /// Chooses the number of photos of a series.
  public func setIntervalCount(_ count: ShotCount) { settings.update { $0.capture.intervalCount = count } }

  /// Connects the series with the shutter.
  func prepareIntervals() {
    intervals.take = { [weak self] in await self?.takePhotoOfSeries() }
    intervals.refusal = { [weak self] in self?.shotRefusal }
  }
}
