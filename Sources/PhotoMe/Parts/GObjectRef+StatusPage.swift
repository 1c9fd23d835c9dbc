// The accessible name of status pages.

import CGtk
import GtkShim

extension GObjectRef {
  /// Names the scrolling part of an `AdwStatusPage` by its texts: on a page without buttons it is where Tab stops.
  @MainActor func nameStatusPage(_ title: String, _ text: String) {
    for part in WidgetSearch.all(in: widget, of: gtk_scrolled_window_get_type()) {
      pm_set_accessible_label(part.widget, "\(title). \(text)")
    }
  }
}
