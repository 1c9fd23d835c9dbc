// Photos with the screen's light.

import CameraCore

extension CameraModel {
  /// The flash that was chosen.
  public var flashMode: FlashMode { settings.values.capture.flash }

  /// Chooses the flash of the next photos.
  public func setFlashMode(_ mode: FlashMode) { settings.update { $0.capture.flash = mode } }

  /// Takes a photo, with the flash where it is needed. A press while it is lit for another photo takes none.
  func takeFlashPhoto(pressed: MonotonicTime) {
    if needsNoFlash { takePhoto(pressed: pressed) } else { beginFlashPhoto(pressed: pressed) }
  }

  /// Takes a photo of a series, with the flash where it is needed. What keeps the flash from being seen doesn't keep the photo
  /// from being taken.
  ///
  /// - Returns: The shot, whose failure isn't posted: the series says it. `nil` when there is none.
  public func takePhotoOfSeries() async -> PhotoCapture? {
    // The photo before may still wait for its frame.
    await flash.waitUntilDark()
    let shot = await takeUnattendedPhoto()
    if let shot { shots[shot.assetID]?.isOfSeries = true }
    return shot
  }

  /// Takes a photo that nobody pressed for, with the flash where it is needed.
  ///
  /// - Parameters:
  ///   - burstID: The group that it belongs to; `nil` for none.
  ///   - evenUnlit: Whether it is also taken when something has put the flash out before: nobody poses for it.
  /// - Returns: The shot; `nil` when there is none.
  func takeUnattendedPhoto(burstID: String? = nil, evenUnlit: Bool) async -> PhotoCapture? {
    var shot: PhotoCapture?
    if needsNoFlash {
      shot = takePhoto(pressed: .now, burstID: burstID)
    } else if let lit = beginFlashPhoto(pressed: .now, burstID: burstID) {
      shot = await withTaskCancellationHandler {
        await lit.value
      } onCancel: {
        lit.cancel()
      }
      if shot == nil, evenUnlit, !Task.isCancelled { shot = takePhoto(pressed: .now, burstID: burstID) }
    }
    return shot
  }

  private var needsNoFlash: Bool { flashMode == .off || shotRefusal != nil }

  /// - Returns: The photo, once it is lit and begun; `nil` while the flash is lit for another one.
  @discardableResult
  private func beginFlashPhoto(pressed: MonotonicTime, burstID: String? = nil) -> Task<PhotoCapture?, Never>? {
    guard flashing == nil, !shots.values.contains(where: \.isLit) else { return nil }
    let task = Task { [weak self] in
      let shot = await self?.takeLitPhoto(pressed: pressed, burstID: burstID)
      self?.flashing = nil
      return shot ?? nil
    }
    flashing = task
    return task
  }

  private func takeLitPhoto(pressed: MonotonicTime, burstID: String?) async -> PhotoCapture? {
    guard await flash.isNeeded(flashMode) else {
      return Task.isCancelled ? nil : takePhoto(pressed: pressed, burstID: burstID)
    }
    // Whoever canceled it has taken the viewfinder away.
    do { try await flash.light() } catch { return nil }
    if Task.isCancelled {
      flash.extinguish()
      return nil
    }
    let shot = takePhoto(pressed: .now, burstID: burstID)
    // The frame is chosen by the first event of the shot, which is still to come where the camera stands still.
    if let shot { shots[shot.assetID]?.isLit = true } else { flash.extinguish() }
    return shot
  }

  /// A shot has its frame, or has failed.
  func endFlash(of shot: String) {
    guard shots[shot]?.isLit == true else { return }
    shots[shot]?.isLit = false
    flash.extinguish()
  }
}
