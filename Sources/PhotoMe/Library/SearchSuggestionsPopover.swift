// The list of suggestions under the search entry.

import CGtk
import CameraModels
import GtkShim
import Localization
import PhotoLibrary

/// Shows a `SearchSuggestionsModel` below an entry. The Down key enters the list, Enter takes a suggestion, Escape closes it;
/// typing goes on in the entry, which keeps the focus until then.
@MainActor final class SearchSuggestionsPopover {
  /// A suggestion was taken: the text of the entry now.
  var accepted: ((String) -> Void)?

  /// Above and below the text of a row, in pixels.
  private static let rowMargin: Int32 = 6
  /// Of the list, in pixels; the entry may be narrower.
  private static let smallestWidth: Int32 = 280

  private let entry: GObjectRef
  private let model: SearchSuggestionsModel
  private let popover: GObjectRef
  private let list: GObjectRef
  private var shown: [SearchCompletion] = []
  private var observation: ModelObservation?

  init(entry: GObjectRef, model: SearchSuggestionsModel) {
    (self.entry, self.model) = (entry, model)
    popover = GObjectRef(retaining: gtk_popover_new())
    list = GObjectRef(retaining: gtk_list_box_new())
    gtk_list_box_set_selection_mode(list.opaque, GTK_SELECTION_NONE)
    pm_set_accessible_label(list.widget, localized("Search Suggestions"))
    gtk_popover_set_child(popover.of(GtkPopover.self), list.widget)
    gtk_popover_set_has_arrow(popover.of(GtkPopover.self), false.gboolean)
    // Typing goes on in the entry.
    gtk_popover_set_autohide(popover.of(GtkPopover.self), false.gboolean)
    gtk_popover_set_position(popover.of(GtkPopover.self), GTK_POS_BOTTOM)
    gtk_widget_set_parent(popover.widget, entry.widget)
    entry.on("destroy") { [popover] in gtk_widget_unparent(popover.widget) }
    list.onPointer("row-activated") { [weak self] row in
      guard let self, let row else { return }
      take(Int(gtk_list_box_row_get_index(row.assumingMemoryBound(to: GtkListBoxRow.self))))
    }
    let keys = GObjectRef(adopting: gtk_event_controller_key_new())
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    keys.onKey("key-pressed") { [weak self] key, _ in self?.pressed(key) ?? false }
    entry.addController(keys)
    // The list is inside of the entry, for GTK: going into it is no leaving.
    let focus = GObjectRef(adopting: gtk_event_controller_focus_new())
    focus.on("leave") { [model] in model.dismiss() }
    entry.addController(focus)
    observation = ModelObservation { [weak self] in self?.follow() }
  }

  /// Completes what was typed, unless it comes from elsewhere than the keyboard.
  func typed(_ text: String) {
    let isFocused = gtk_widget_get_state_flags(entry.widget).rawValue & GTK_STATE_FLAG_FOCUS_WITHIN.rawValue != 0
    guard isFocused else { return model.dismiss() }
    Task { await model.type(text) }
  }

  private var isOpen: Bool { !shown.isEmpty }

  private func follow() {
    let completions = model.completions
    guard completions != shown else { return }
    if completions.isEmpty, focusedIndex != nil { focusEntry() }
    shown = completions
    while let row = gtk_list_box_get_row_at_index(list.opaque, 0) {
      gtk_list_box_remove(list.opaque, UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkWidget.self))
    }
    for completion in completions { gtk_list_box_append(list.opaque, row(completion)) }
    guard isOpen else { return gtk_popover_popdown(popover.of(GtkPopover.self)) }
    gtk_widget_set_size_request(list.widget, max(Self.smallestWidth, gtk_widget_get_width(entry.widget) - 24), -1)
    gtk_popover_popup(popover.of(GtkPopover.self))
  }

  private func row(_ completion: SearchCompletion) -> UnsafeMutablePointer<GtkWidget>? {
    guard let row = gtk_list_box_row_new(), let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8),
      let icon = gtk_image_new_from_icon_name(Self.icon(completion.subject)),
      let title = gtk_label_new(completion.title),
      let count = gtk_label_new(completion.count.localized)
    else { return nil }
    gtk_widget_set_margin_top(box, Self.rowMargin)
    gtk_widget_set_margin_bottom(box, Self.rowMargin)
    gtk_widget_set_hexpand(title, true.gboolean)
    gtk_label_set_xalign(OpaquePointer(title), 0)
    gtk_label_set_ellipsize(OpaquePointer(title), PANGO_ELLIPSIZE_END)
    gtk_widget_add_css_class(count, "dim-label")
    gtk_widget_add_css_class(count, "numeric")
    for child in [icon, title, count] {
      gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), child)
    }
    gtk_list_box_row_set_child(UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkListBoxRow.self), box)
    pm_set_accessible_label(row, Self.spoken(completion))
    return row
  }

  private static func icon(_ subject: SearchCompletion.Subject) -> String {
    switch subject {
    case .album: "folder-pictures-symbolic"
    case .place: "mark-location-symbolic"
    case .camera: "camera-photo-symbolic"
    case .kind: "view-app-grid-symbolic"
    case .date: "x-office-calendar-symbolic"
    }
  }

  private static func spoken(_ completion: SearchCompletion) -> String {
    let (title, count) = (completion.title, completion.count)
    let name =
      switch completion.subject {
      case .album: localized("Album \(title)", comment: "A search suggestion")
      case .place: localized("Place \(title)", comment: "A search suggestion")
      case .camera: localized("Camera \(title)", comment: "A search suggestion")
      case .kind, .date: title
      }
    return localized(
      "\(name), \(count) item", plural: "\(name), \(count) items", count: count,
      comment: "{0} is the name of an album")
  }

  // MARK: Keys

  /// The row that has the focus.
  private var focusedIndex: Int? {
    guard let row = gtk_widget_get_focus_child(list.widget) else { return nil }
    return Int(gtk_list_box_row_get_index(UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkListBoxRow.self)))
  }

  private func pressed(_ key: UInt32) -> Bool {
    guard isOpen else { return false }
    switch Int32(key) {
    case GDK_KEY_Down, GDK_KEY_KP_Down:
      focusRow((focusedIndex ?? -1) + 1)
    case GDK_KEY_Up, GDK_KEY_KP_Up:
      guard let index = focusedIndex else { return false }
      index == 0 ? focusEntry() : focusRow(index - 1)
    case GDK_KEY_Return, GDK_KEY_KP_Enter:
      guard let index = focusedIndex else { return false }
      take(index)
    case GDK_KEY_Escape: model.dismiss()
    default: return false
    }
    return true
  }

  private func focusRow(_ index: Int) {
    guard shown.indices.contains(index), let row = gtk_list_box_get_row_at_index(list.opaque, Int32(index)) else {
      return
    }
    gtk_widget_grab_focus(UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkWidget.self))
  }

  /// The entry would select all of its text, which the next letter would replace.
  private func focusEntry() {
    gtk_widget_grab_focus(entry.widget)
    gtk_editable_set_position(entry.opaque, -1)
  }

  private func take(_ index: Int) {
    guard let text = model.accept(index) else { return }
    focusEntry()
    accepted?(text)
    gtk_editable_set_position(entry.opaque, -1)
  }
}
