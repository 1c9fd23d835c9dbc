// Burst capture.

import CameraCore
import Localization
import PhotoLibrary

extension CameraModel {
  /// Connects the bursts with the shutter.
  func prepareBursts() {
    burst.take = { [weak self] in self?.takePhoto(pressed: .now, of: PhotoGroup(id: $0, isBurst: true)) }
    burst.isPossible = { [weak self] in self?.canBurst ?? false }
    burst.obstacle = { [weak self] in self?.burstObstacle }
    burst.rate = { [weak self] in self?.session?.frameRate }
    burst.pressure = { [weak self] in self?.pressure.state ?? SystemPressure() }
    burst.changed = { [weak self] in self?.burstChanged(isRunning: $0) }
    burst.ended = { [weak self] id in
      let before = self?.choosing
      self?.choosing = Task {
        await before?.value
        await self?.chooseKeyPhoto(of: id)
      }
    }
  }

  /// Makes the best photo of a burst stand for it, once all of the burst are saved. A person's pick stays.
  private func chooseKeyPhoto(of id: String) async {
    // Not for later shots, nor for a movie, which may be recorded for hours.
    while let shot = shots.values.first(where: { $0.group?.id == id })?.following { await shot.value }
    do {
      let frames = try await library.burst(id)
      guard frames.count > 1, !frames.contains(where: \.isKeyPhoto),
        let best = await Asset.best(of: frames, in: library, detector: burst.detector)
      else { return }
      try await library.performChanges { $0.setKeyPhoto(best.id, of: frames) }
    } catch {
      messages.post(localized("The best photo of the burst couldn’t be marked. \(error.localizedDescription)"))
    }
  }

  /// Takes a burst as when the shutter is held, or ends the one that is being taken. Where none can be taken, says why.
  public func toggleBurst() async {
    if burst.isRunning { return burst.stop() }
    guard canBurst else {
      return messages.post(shotRefusal?.description ?? burstObstacle ?? localized("A burst can’t be taken now."))
    }
    _ = await burst.take(BurstModel.most)
  }

  /// Whether holding the shutter takes a burst.
  private var canBurst: Bool { isReadyForPhotos && optionsWithoutBurst.isEmpty }

  /// Why holding the shutter takes no burst although it takes a photo; `nil` where it takes none, or a burst.
  private var burstObstacle: String? {
    let options = optionsWithoutBurst
    guard isReadyForPhotos, !options.isEmpty else { return nil }
    return localized("To take a burst, turn off \(options.localizedList).")
  }

  /// Whether the shutter takes photos, and a camera runs.
  private var isReadyForPhotos: Bool { shutter == .photo && shotRefusal == nil && session != nil }

  /// The chosen options that leave no room for bursts. The automatic flash stays dark in them.
  private var optionsWithoutBurst: [String] {
    var options: [String] = []
    if delay != .none { options.append(localized("the countdown", context: "turn off")) }
    if flashMode == .on { options.append(localized("the flash", context: "turn off")) }
    if interval != .none { options.append(localized("interval shooting", context: "turn off")) }
    if boothChoice != .off { options.append(localized("the photo booth", context: "turn off")) }
    return options
  }

  /// The quality of the next photo. Averaging takes longer than from one photo of a burst to the next.
  func quality(isBurst: Bool) -> PhotoQuality {
    let wanted = settings.values.photoQuality
    return isBurst && wanted == .quality ? .balanced : wanted
  }

  private func burstChanged(isRunning: Bool) {
    if isRunning, let rest = burstRest { messages.post(rest) }
    live.setResting(.burst, isRunning)
  }

  /// What was chosen for photos and rests during a burst, in a sentence; `nil` for nothing.
  private var burstRest: String? {
    var missing: [String] = []
    if live.isActive { missing.append(localized("Live", context: "live photos")) }
    if session?.savesRaw == true { missing.append("RAW") }
    if photoQuality == .quality { missing.append(localized("“\(PhotoQuality.quality.title)”")) }
    switch (format(isLive: false), missing.isEmpty) {
    case (.jpeg, true): return nil
    case (.jpeg, false): return localized("Bursts are taken without \(missing.localizedList).")
    case (_, true): return localized("Bursts are saved as JPEG.")
    case (_, false): return localized("Bursts are saved as JPEG, without \(missing.localizedList).")
    }
  }
}
