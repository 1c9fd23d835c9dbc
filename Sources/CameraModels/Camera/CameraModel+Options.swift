// The shutter's options in a few words.

extension CameraModel {
  /// The options that differ from a plain photo, for the tooltip of their button.
  public var optionsInUse: [String] {
    var texts: [String] = []
    if delay != .none { texts.append("Countdown \(delay.title)") }
    if flashMode != .off { texts.append(flashMode == .on ? "Flash" : "Flash Auto") }
    if settings.values.mirror == .files { texts.append("Mirrored Files") }
    return texts
  }

  /// The lines over the viewfinder.
  public var guides: CompositionGuide { settings.values.capture.guides }

  /// Chooses the lines over the viewfinder.
  public func setGuides(_ guides: CompositionGuide) { settings.update { $0.capture.guides = guides } }

  /// What the button itself shows; empty for none.
  public var optionsBadge: String { delay == .none ? "" : delay.title }
}
