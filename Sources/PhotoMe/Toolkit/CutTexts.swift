// Texts that the windows show only in part, and the windows that need too much room.

import CGtk

/// Looks for labels whose text is shown only in part: a translation is longer than its place, or the text is larger.
///
/// For translators and tests: the action `find-cut-texts` sets the states of `cut-texts` and `minimum-width`.
@MainActor enum CutTexts {
  /// The texts that are cut in all windows, each once.
  static func all() -> [String] {
    var texts: [String] = []
    for window in windows {
      for label in WidgetSearch.all(in: window, of: gtk_label_get_type()) where isCut(label) {
        if let text = gtk_label_get_text(label.opaque).map({ String(cString: $0) }), !texts.contains(text) {
          texts.append(text)
        }
      }
    }
    return texts
  }

  /// The width below which one of the windows can't be made, in the layout's pixels, and the parts that need it, from the
  /// window down: `371 AdwApplicationWindow GtkStack …`.
  static var minimumWidth: String {
    guard let widest = windows.max(by: { minimum(of: $0) < minimum(of: $1) }) else { return "0" }
    var (part, names) = (Optional(widest), [String]())
    while let widget = part {
      let type = g_type_name_from_instance(UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self))
      let id = gtk_buildable_get_buildable_id(OpaquePointer(widget))
      names.append([type, id].compactMap { $0.map { String(cString: $0) } }.joined(separator: "#"))
      // Popovers are windows of their own.
      part = WidgetSearch.children(of: widget).filter {
        gtk_widget_get_visible($0) != 0 && !WidgetSearch.isInstance($0, of: gtk_native_get_type())
      }.max { minimum(of: $0) < minimum(of: $1) }
    }
    return "\(minimum(of: widest)) " + names.joined(separator: " ")
  }

  private static func minimum(of widget: UnsafeMutablePointer<GtkWidget>) -> Int {
    var minimum: Int32 = 0
    gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, nil, nil, nil)
    return Int(minimum)
  }

  /// The windows that are shown.
  private static var windows: [UnsafeMutablePointer<GtkWidget>] {
    let list = gtk_window_list_toplevels()
    defer { g_list_free(list) }
    var (windows, next) = ([UnsafeMutablePointer<GtkWidget>](), list)
    while let entry = next {
      if let window = entry.pointee.data?.assumingMemoryBound(to: GtkWidget.self), gtk_widget_get_mapped(window) != 0 {
        windows.append(window)
      }
      next = entry.pointee.next
    }
    return windows
  }

  private static func isCut(_ label: GObjectRef) -> Bool {
    guard gtk_widget_get_mapped(label.widget) != 0, let layout = gtk_label_get_layout(label.opaque) else {
      return false
    }
    if pango_layout_is_ellipsized(layout) != 0 { return !isToldInFull(label) }
    var (width, height): (Int32, Int32) = (0, 0)
    pango_layout_get_pixel_size(layout, &width, &height)
    // A pixel for rounding.
    let isLarger = width > gtk_widget_get_width(label.widget) + 1 || height > gtk_widget_get_height(label.widget) + 1
    return isLarger || isOutside(label.widget)
  }

  /// Whether a tooltip of the label, or of what it is in, has the whole text: a name may be of any length.
  private static func isToldInFull(_ label: GObjectRef) -> Bool {
    guard let text = gtk_label_get_text(label.opaque).map({ String(cString: $0) }) else { return false }
    var widget: UnsafeMutablePointer<GtkWidget>? = label.widget
    while let holder = widget {
      if gtk_widget_get_tooltip_text(holder).map({ String(cString: $0).contains(text) }) == true { return true }
      widget = gtk_widget_get_parent(holder)
    }
    return false
  }

  /// Whether a widget reaches beyond its window, or its popover, where nothing can be scrolled.
  private static func isOutside(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
    guard gtk_widget_get_ancestor(widget, gtk_scrolled_window_get_type()) == nil,
      let native = gtk_widget_get_native(widget)
    else { return false }
    let window = UnsafeMutableRawPointer(native).assumingMemoryBound(to: GtkWidget.self)
    var bounds = graphene_rect_t()
    guard gtk_widget_compute_bounds(widget, window, &bounds) != 0 else { return false }
    let (width, height) = (Float(gtk_widget_get_width(window)), Float(gtk_widget_get_height(window)))
    return bounds.origin.x < -1 || bounds.origin.y < -1 || bounds.origin.x + bounds.size.width > width + 1
      || bounds.origin.y + bounds.size.height > height + 1
  }
}
