// Plain words for the menus of standard controls.

extension StandardControl {
  /// The words for a menu's item: the kernel's own (drivers/media/v4l2-core/v4l2-ctrls-defs.c) in plainer form, and whatever
  /// else the driver says as it says it.
  ///
  ///     StandardControl.exposureAuto.itemTitle("Aperture Priority Mode")     // “Aperture Priority”
  public func itemTitle(_ driverTitle: String) -> String {
    switch (self, driverTitle) {
    case (.exposureAuto, "Auto Mode"): "Auto"
    case (.exposureAuto, "Manual Mode"): "Manual"
    case (.exposureAuto, "Shutter Priority Mode"): "Shutter Priority"
    case (.exposureAuto, "Aperture Priority Mode"): "Aperture Priority"
    case (.powerLineFrequency, "Disabled"): "Off"
    case (.powerLineFrequency, "Auto"): "Automatic"
    default: driverTitle
    }
  }
}
