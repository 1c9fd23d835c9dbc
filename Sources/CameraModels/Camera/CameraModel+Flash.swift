// Photos with the screen's light.

import CameraCore

extension CameraModel {
  /// The flash that was chosen.
  public var flashMode: FlashMode { settings.values.capture.flash }

  /// Chooses the flash of the next photos.
  public func setFlashMode(_ mode: FlashMode) { settings.update { $0.capture.flash = mode } }

  /// Takes a photo, with the flash where it is needed. A press while it is lit for another photo takes none.
  func takeFlashPhoto(pressed: MonotonicTime) {
    guard flashMode != .off, shotRefusal == nil else {
      takePhoto(pressed: pressed)
      return
    }
    guard flashing == nil else { return }
    flashing = Task { [weak self] in
      guard let self else { return }
      defer { flashing = nil }
      guard await flash.isNeeded(flashMode) else {
        if !Task.isCancelled { takePhoto(pressed: pressed) }
        return
      }
      // Whoever canceled it has taken the viewfinder away.
      do { try await flash.light() } catch { return }
      willRelease?()
      // The frame is chosen by the first event of the shot, which is still to come where the camera stands still.
      flashShot = takePhoto(pressed: .now)?.assetID
      if flashShot == nil { flash.extinguish() }
    }
  }

  /// A shot has its frame, or has failed.
  func endFlash(of shot: String) {
    guard shot == flashShot else { return }
    flashShot = nil
    flash.extinguish()
  }
}
