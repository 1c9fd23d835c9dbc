// The shutter and its bursts.

import CameraCore
import PhotoLibrary

extension CameraModel {
  /// Connects the bursts with the shutter.
  func prepareBursts() {
    burst.take = { [weak self] in self?.takePhoto(pressed: .now, burstID: $0) }
    burst.isPossible = { [weak self] in self?.canBurst ?? false }
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
  private func chooseKeyPhoto(of burstID: String) async {
    // Not for later shots, nor for a movie, which may be recorded for hours.
    while let shot = shots.values.first(where: { $0.burstID == burstID })?.following { await shot.value }
    do {
      let frames = try await library.burst(burstID)
      guard frames.count > 1, !frames.contains(where: \.isKeyPhoto),
        let best = await Asset.best(of: frames, in: library, detector: burst.detector)
      else { return }
      try await library.performChanges { $0.setKeyPhoto(best.id, of: frames) }
    } catch {
      messages.post("The best shot of the burst couldn’t be marked. \(error.localizedDescription)")
    }
  }

  /// Whether holding the shutter takes a burst: of photos, without countdown and flash, while a camera runs.
  private var canBurst: Bool {
    shutter == .photo && shotRefusal == nil && session != nil && delay == .none && flashMode == .off
      && interval == .none && boothChoice == .off
  }

  /// The quality of the next photo. Averaging takes longer than from one photo of a burst to the next.
  func quality(isBurst: Bool) -> PhotoQuality {
    let wanted = settings.values.photoQuality
    return isBurst && wanted == .quality ? .balanced : wanted
  }

  private func burstChanged(isRunning: Bool) {
    if isRunning, live.isActive { messages.post("Bursts are taken without Live.") }
    live.setResting(.burst, isRunning)
  }
}
