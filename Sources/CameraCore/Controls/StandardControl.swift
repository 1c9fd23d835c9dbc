// The controls that PhotoMe knows the meaning of: their titles, groups, and automatic counterparts.

/// A control that many cameras have. The raw value is its stable name in settings and on the command line.
public enum StandardControl: String, CaseIterable, Sendable {
  // In the order in which they are shown; see `displayIndex`.
  case brightness
  case contrast
  case saturation
  case hueAuto = "hue-auto"
  case hue
  case gamma
  case sharpness
  case whiteBalanceAuto = "white-balance-auto"
  case whiteBalanceTemperature = "white-balance-temperature"
  case redBalance = "red-balance"
  case blueBalance = "blue-balance"
  case exposureAuto = "exposure-auto"
  case exposure = "exposure-absolute"
  case exposurePriority = "exposure-priority"
  case gainAuto = "gain-auto"
  case gain
  case backlightCompensation = "backlight-compensation"
  case powerLineFrequency = "power-line-frequency"
  case focusAuto = "focus-auto"
  case focus = "focus-absolute"
  case zoom
  case pan
  case tilt

  /// The groups in which controls are shown.
  public enum Group: String, CaseIterable, Sendable {
    case picture
    case whiteBalance = "white-balance"
    case exposure
    case framing
    case other
  }

  public var group: Group {
    switch self {
    case .brightness, .contrast, .saturation, .hueAuto, .hue, .gamma, .sharpness: .picture
    case .whiteBalanceAuto, .whiteBalanceTemperature, .redBalance, .blueBalance: .whiteBalance
    case .exposureAuto, .exposure, .exposurePriority, .gainAuto, .gain, .backlightCompensation, .powerLineFrequency:
      .exposure
    case .focusAuto, .focus, .zoom, .pan, .tilt: .framing
    }
  }

  /// The control that sets this one by itself while it is on; `nil` where there is none.
  public var automatic: StandardControl? {
    switch self {
    case .hue: .hueAuto
    case .whiteBalanceTemperature, .redBalance, .blueBalance: .whiteBalanceAuto
    case .exposure: .exposureAuto
    case .gain: .gainAuto
    case .focus: .focusAuto
    default: nil
    }
  }

  /// The controls that an automatic one sets.
  public var manuals: [StandardControl] { Self.allCases.filter { $0.automatic == self } }

  /// Values of `exposureAuto` that leave the exposure time to be set, as UVC 1.5 (4.2.2.1.2) and V4L2's `enum v4l2_exposure_auto_type` number them.
  enum ExposureMode {
    static let manual = 1
    static let shutterPriority = 2
  }

  /// Whether an automatic control with this value leaves its manual ones alone.
  func leavesManual(_ value: Int) -> Bool {
    self == .exposureAuto
      ? value == ExposureMode.manual || value == ExposureMode.shutterPriority
      : value == 0
  }
}

extension CameraControl {
  private static let displayIndices = Dictionary(
    uniqueKeysWithValues: StandardControl.allCases.enumerated().map { ($1.rawValue, $0) })

  /// The place among controls that are shown: the known ones in the order in which people look for them, then all others.
  public var displayIndex: Int { Self.displayIndices[id] ?? Self.displayIndices.count }

  /// The group in which it is shown.
  public var group: StandardControl.Group { standard?.group ?? .other }

  /// The value that leaves its manual counterparts alone; `nil` where it has no such value, or no counterparts.
  public var manualValue: Int? {
    guard let standard, !standard.manuals.isEmpty else { return nil }
    switch kind {
    case .button: return nil
    case .boolean, .integer: return standard.leavesManual(0) && range.contains(0) ? 0 : nil
    case .menu(let items): return items.map(\.value).first(where: standard.leavesManual)
    }
  }

  /// Whether it sets other controls by itself now.
  public var isAutomatic: Bool {
    guard let standard, !standard.manuals.isEmpty else { return false }
    return !standard.leavesManual(value)
  }
}

extension Sequence {
  /// The elements in the order in which their controls are shown; those of one place stay as they are.
  public func inDisplayOrder(of control: (Element) -> CameraControl) -> [Element] {
    enumerated().map { (index: control($1).displayIndex, offset: $0, element: $1) }.sorted {
      ($0.index, $0.offset) < ($1.index, $1.offset)
    }.map(\.element)
  }
}
