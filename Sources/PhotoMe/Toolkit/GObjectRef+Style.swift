// Style classes of widgets.

import CGtk

extension GObjectRef {
  /// Adds or removes a style class of a widget.
  @MainActor func setClass(_ name: String, _ isOn: Bool) {
    if isOn { gtk_widget_add_css_class(widget, name) } else { gtk_widget_remove_css_class(widget, name) }
  }
}
