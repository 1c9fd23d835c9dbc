// Screen flash.

import CameraCore
import Foundation
import Localization

extension CameraModel {
  /// The flash that was chosen.
  public var flashMode: FlashMode { settings.values.capture.flash }

  /// Chooses the flash of the next photos.
  public func setFlashMode(_ mode: FlashMode) {
    let text =
      switch mode {
      case .off: localized("The flash is off.")
      case .auto: localized("The flash is on in the dark.")
      case .on: localized("The flash is on.")
      }
    settings.update(saying: text) { $0.capture.flash = mode }
  }

  /// Takes a photo, with the flash where it is needed. One that is pressed for while the flash is lit gets the same light.
  func takeFlashPhoto(pressed: MonotonicTime, isCountedDown: Bool) {
    guard needsNoFlash else {
      beginFlashPhoto(pressed: pressed, of: nil, isCountedDown: isCountedDown)
      return
    }
    if let shot = takePhoto(pressed: pressed) { shots[shot.assetID]?.isCountedDown = isCountedDown }
  }

  /// Takes a photo of a series, with the flash where it is needed. What keeps the flash from being seen doesn't keep the photo
  /// from being taken.
  ///
  /// - Returns: The shot, whose failure isn't posted: the series says it. `nil` when there is none.
  public func takePhotoOfSeries() async -> PhotoCapture? {
    let shot = await takeUnattendedPhoto(of: nil, evenUnlit: true)
    if let shot { shots[shot.assetID]?.isOfSeries = true }
    return shot
  }

  /// Takes a photo that nobody pressed for, with the flash where it is needed.
  ///
  /// - Parameters:
  ///   - group: The photos that it belongs to; `nil` for none.
  ///   - evenUnlit: Whether it is also taken when something has put the flash out before: nobody poses for it.
  /// - Returns: The shot; `nil` when there is none.
  func takeUnattendedPhoto(of group: PhotoGroup?, evenUnlit: Bool) async -> PhotoCapture? {
    if needsNoFlash { return takePhoto(pressed: .now, of: group) }
    let lit = beginFlashPhoto(pressed: .now, of: group)
    let shot = await withTaskCancellationHandler {
      await lit.value
    } onCancel: {
      lit.cancel()
    }
    return shot == nil && evenUnlit && !Task.isCancelled ? takePhoto(pressed: .now, of: group) : shot
  }

  private var needsNoFlash: Bool { flashMode == .off || shotRefusal != nil }

  /// - Returns: The photo, once it is lit and begun; `nil` when it was canceled before.
  @discardableResult
  private func beginFlashPhoto(
    pressed: MonotonicTime, of group: PhotoGroup?, isCountedDown: Bool = false
  ) -> Task<PhotoCapture?, Never> {
    let id = UUID()
    let task = Task { [weak self] in
      let shot = await self?.takeLitPhoto(pressed: pressed, of: group)
      self?.flashing[id] = nil
      if let taken = shot ?? nil { self?.shots[taken.assetID]?.isCountedDown = isCountedDown }
      return shot ?? nil
    }
    flashing[id] = task
    return task
  }

  private func takeLitPhoto(pressed: MonotonicTime, of group: PhotoGroup?) async -> PhotoCapture? {
    guard await flash.isNeeded(flashMode) else {
      return Task.isCancelled ? nil : takePhoto(pressed: pressed, of: group)
    }
    // Whoever canceled it has taken the viewfinder away.
    do { try await flash.light() } catch { return nil }
    if Task.isCancelled {
      flash.extinguish()
      return nil
    }
    let shot = takePhoto(pressed: .now, of: group)
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
