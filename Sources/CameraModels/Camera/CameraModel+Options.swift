// Capture options, and their summary for the tooltip.

import CameraCore
import Localization

extension CameraModel {
  /// The options that count for the next press and differ from a plain photo, for the tooltip of their button.
  public var optionsInUse: [String] {
    var texts: [String] = []
    let isPhoto = movies?.mode != .movie
    if delay != .none { texts.append(localized("Countdown \(delay.title)")) }
    if isPhoto, flashMode != .off { texts.append(flashMode == .on ? localized("Flash") : localized("Automatic Flash")) }
    if isPhoto, interval != .none { texts.append(localized("Every \(interval.title)")) }
    if isPhoto, boothChoice != .off { texts.append(localized("Photo Booth")) }
    if mirror == .files { texts.append(localized("Mirrored Files")) }
    return texts
  }

  /// What is mirrored.
  public var mirror: MirrorChoice { settings.values.mirror }

  /// Chooses what is mirrored.
  public func setMirror(_ choice: MirrorChoice) { settings.update(saying: mirrorText) { $0.mirror = choice } }

  /// Makes the viewfinder a mirror, or not. Files are mirrored with it where that was chosen.
  public func setMirrorsViewfinder(_ isOn: Bool) { settings.update(saying: mirrorText) { $0.isMirrored = isOn } }

  /// Has files mirrored while the viewfinder is, or not.
  public func setMirrorsFiles(_ isOn: Bool) {
    let isForLater = isOn && !isMirrored
    let laterText = localized("Photos and videos will be mirrored whenever the camera view is.")
    settings.update(saying: isForLater ? laterText : mirrorText) {
      $0.capture.savesAsPreviewed = isOn
    }
  }

  private var mirrorText: String {
    switch mirror {
    case .nothing: localized("Mirroring is off.")
    case .viewfinder: localized("The camera view is mirrored. Photos and videos aren’t.")
    case .files: localized("The camera view, photos, and videos are mirrored.")
    }
  }

  /// Whether the shutter and the countdown can be heard.
  public var playsSounds: Bool { settings.values.capture.playsSounds }

  /// Has the shutter and the countdown heard, or not.
  public func setPlaysSounds(_ isOn: Bool) {
    settings.update(
      saying: isOn ? localized("Camera sounds are on.") : localized("Camera sounds are off.")
    ) { $0.capture.playsSounds = isOn }
  }

  /// Whether QR codes in the viewfinder are recognized.
  public var looksForCodes: Bool { settings.values.capture.looksForCodes }

  /// Has QR codes in the viewfinder recognized, or not.
  public func setLooksForCodes(_ isOn: Bool) {
    settings.update(
      saying: isOn ? localized("QR code detection is on.") : localized("QR code detection is off.")
    ) { $0.capture.looksForCodes = isOn }
  }

  /// What matters most in photos.
  public var photoQuality: PhotoQuality { settings.values.photoQuality }

  /// The lines over the viewfinder.
  public var guides: CompositionGuide { settings.values.capture.guides }

  /// Chooses the lines over the viewfinder.
  public func setGuides(_ guides: CompositionGuide) {
    let text =
      guides == .off
      ? localized("Composition guides are off.") : localized("Composition guides: \(guides.title).")
    settings.update(saying: text) { $0.capture.guides = guides }
  }

  /// What the button itself shows; empty for none.
  public var optionsBadge: String { delay == .none ? "" : delay.title }
}
