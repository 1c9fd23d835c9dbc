// Photo booth.

import CameraCore
import Foundation
import Localization
import PhotoEffects
import PhotoLibrary

extension CameraModel {
  /// The sheet that the shutter makes; off for single photos.
  public var boothChoice: BoothChoice { settings.values.capture.booth }

  /// Chooses whether the shutter takes four photos for a sheet. A series at an interval isn't chosen then.
  public func setBooth(_ choice: BoothChoice) {
    let text =
      switch choice {
      case .off: localized("The photo booth is off.")
      case _ where interval != .none: localized("Photo booth: \(choice.title). Interval shooting is off.")
      case .grid, .strip: localized("Photo booth: \(choice.title).")
      }
    settings.update(saying: text) {
      $0.capture.booth = choice
      if choice != .off { $0.capture.interval = .none }
    }
  }

  /// Connects the booth with countdown and shutter.
  func prepareBooth() {
    booth.countDown = { [weak self] in await self?.countdown.count(from: $0) ?? false }
    booth.cancelCountDown = { [weak self] in self?.countdown.cancel() }
    // Whoever takes the flash away, such as a screen that is locked, ends the booth.
    booth.take = { [weak self] in
      await self?.takeUnattendedPhoto(of: PhotoGroup(id: $0, isBurst: false), evenUnlit: false)
    }
  }

  /// Takes the photos of a sheet, after a countdown of 3 seconds each.
  ///
  /// - Returns: The photos that were taken; fewer than `BoothModel.count` when it was ended before.
  public func takeBoothPhotos() async -> [PhotoCapture] {
    guard !booth.isRunning else { return [] }
    live.setResting(.booth, true)
    defer { live.setResting(.booth, false) }
    return await booth.run(firstAfter: delay.seconds)
  }

  /// Puts photos of the booth on a sheet, once all are saved. It gets the effect that is chosen now, as an edit; one that needs
  /// to know where people are is that of each photo, and not of the paper around them.
  ///
  /// - Throws: Why a photo couldn't be saved, and `PhotoLibraryError`.
  public func makeSheet(_ layout: SheetLayout, of shots: [PhotoCapture]) async throws -> Asset {
    let setting = effects?.setting
    var frames: [Asset] = []
    for shot in shots {
      let id = try await shot.saved.assetID
      guard let frame = try await library.asset(id: id) else { throw PhotoLibraryError.unknownAsset(id: id) }
      frames.append(frame)
    }
    let isOfEach = setting?.needsMatte == true
    if isOfEach {
      // One that fails is reported with its photo, which is then as it was taken.
      for frame in frames { try? await effects?.shots.waitForEffect(of: frame.id) }
    }
    let sheet = try await library.createSheet(
      layout, of: frames, areEdited: isOfEach, software: "PhotoMe \(ProgramVersion.text)")
    if let effects, let setting, setting.intensity > 0, !isOfEach {
      effects.shots.shotBegan(sheet.id, with: setting)
      effects.shots.shotWasSaved(sheet.id)
    }
    return sheet
  }

  /// Begins the photos of a sheet, and makes it when all are taken. They don't wait for the files of the sheet before.
  func beginBooth(_ layout: SheetLayout) {
    let before = makingSheet
    makingSheet = Task { [weak self] in
      let shots = await self?.takeBoothPhotos() ?? []
      await before?.value
      await self?.fillSheet(layout, with: shots)
    }
  }

  private func fillSheet(_ layout: SheetLayout, with shots: [PhotoCapture]) async {
    guard shots.count == BoothModel.count else {
      switch shots.count {
      case 0: break
      case let count:
        messages.post(
          localized(
            "The photo booth stopped after \(count) of \(BoothModel.count) photos. The photo was saved.",
            plural: "The photo booth stopped after \(count) of \(BoothModel.count) photos. The photos were saved.",
            count: count))
      }
      return
    }
    do { _ = try await makeSheet(layout, of: shots) } catch {
      messages.post(localized("The sheet of photos couldn’t be made. \(error.localizedDescription)"))
    }
  }
}
