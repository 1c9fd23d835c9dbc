// The titles of standard controls and of their groups.

import Localization

extension StandardControl {
  /// In header case.
  public var title: String {
    switch self {
    case .brightness: localized("Brightness", context: "camera control")
    case .contrast: localized("Contrast", context: "camera control")
    case .saturation: localized("Saturation", context: "camera control")
    case .hueAuto: localized("Automatic Hue", context: "camera control")
    case .hue: localized("Hue", context: "camera control")
    case .gamma: localized("Gamma", context: "camera control")
    case .sharpness: localized("Sharpness", context: "camera control")
    case .whiteBalanceAuto: localized("Automatic White Balance", context: "camera control")
    case .whiteBalanceTemperature: localized("Color Temperature", context: "camera control")
    case .redBalance: localized("Red Balance", context: "camera control")
    case .blueBalance: localized("Blue Balance", context: "camera control")
    case .exposureAuto: localized("Exposure Mode", context: "camera control")
    case .exposure: localized("Exposure Time", context: "camera control")
    case .exposurePriority: localized("Dynamic Frame Rate", context: "camera control")
    case .gainAuto: localized("Automatic Gain", context: "camera control")
    case .gain: localized("Gain", context: "camera control")
    case .backlightCompensation: localized("Backlight Compensation", context: "camera control")
    case .powerLineFrequency: localized("Power Line Frequency", context: "camera control")
    case .focusAuto: localized("Autofocus", context: "camera control")
    case .focus: localized("Focus", context: "camera control")
    case .zoom: localized("Zoom", context: "camera control")
    case .pan: localized("Pan", context: "camera control")
    case .tilt: localized("Tilt", context: "camera control")
    }
  }
}

extension StandardControl.Group {
  /// In header case.
  public var title: String {
    switch self {
    case .picture: localized("Picture", context: "group of camera controls")
    case .whiteBalance: localized("White Balance", context: "group of camera controls")
    case .exposure: localized("Exposure", context: "group of camera controls")
    case .framing: localized("Focus and Framing", context: "group of camera controls")
    case .other: localized("More", context: "group of camera controls")
    }
  }
}
