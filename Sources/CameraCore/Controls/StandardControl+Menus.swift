// Plain words for the menus of standard controls.

import Localization

extension StandardControl {
  /// The words for a menu's item: the kernel's own (drivers/media/v4l2-core/v4l2-ctrls-defs.c) in plainer form, and whatever
  /// else the driver says as it says it.
  ///
  ///     StandardControl.exposureAuto.itemTitle("Aperture Priority Mode")     // “Aperture Priority”
  public func itemTitle(_ driverTitle: String) -> String {
    switch (self, driverTitle) {
    case (.exposureAuto, "Auto Mode"): localized("Automatic", context: "exposure mode")
    case (.exposureAuto, "Manual Mode"): localized("Manual", context: "exposure mode")
    case (.exposureAuto, "Shutter Priority Mode"): localized("Shutter Priority", context: "exposure mode")
    case (.exposureAuto, "Aperture Priority Mode"): localized("Aperture Priority", context: "exposure mode")
    case (.powerLineFrequency, "Disabled"): localized("Off", context: "power line frequency")
    case (.powerLineFrequency, "Auto"): localized("Automatic", context: "power line frequency")
    default: driverTitle
    }
  }
}
