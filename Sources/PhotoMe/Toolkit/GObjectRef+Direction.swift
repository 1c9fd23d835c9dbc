// The direction in which the person reads.

import CGtk

extension GObjectRef {
  /// Whether a widget is laid out from the right, as in Arabic.
  @MainActor var isMirrored: Bool { gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL }

  /// The number of steps along a row of the widget for a step to the right: 1, or -1 where the row begins at the right.
  @MainActor var stepToRight: Int { isMirrored ? -1 : 1 }
}
