// The dialogs of the date and the place of pictures.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization

/// Shows a `CaptureMetadataModel` while it has a dialog.
@MainActor final class CaptureMetadataDialog {
  /// The `AdwWindow`.
  private let window: GObjectRef
  private let entry: GObjectRef
  private var rows: [AnyObject] = []

  /// - Throws: `InstallationError` when its file can't be read.
  init(_ kind: CaptureMetadataModel.Dialog, model: CaptureMetadataModel, data: DataFolder) throws(InstallationError) {
    let name = kind == .date ? "date" : "place"
    let interface = try Interface(data.ui(name))
    window = interface[name]
    entry = interface["\(name)_text"]
    let (window, entry) = (window, entry)
    let (heading, note, accept) = (interface["\(name)_title"], interface["\(name)_note"], interface["\(name)_accept"])
    gtk_editable_set_text(entry.opaque, model.text)
    entry.on("changed") { [weak entry] in
      guard let entry, let text = gtk_editable_get_text(entry.opaque) else { return }
      model.setText(String(cString: text))
    }
    interface["\(name)_cancel"].on("clicked") { model.cancel() }
    accept.on("clicked") { Task { await model.apply() } }
    switch kind {
    case .date:
      rows = [
        ComboSetting<Int?>(
          interface["date_zone"], items: { model.zones.map { ($0, CaptureMetadataModel.title(ofZone: $0)) } },
          chosen: { model.zone }, choose: { model.setZone($0) })
      ]
    case .place:
      let (remove, found) = (interface["place_remove"], interface["place_found"])
      remove.on("clicked") { Task { await model.removePlace() } }
      rows = [
        ComboSetting<Int>(
          found, hasLongTitles: true, items: { model.found.enumerated().map { ($0.offset, $0.element.title) } },
          chosen: { model.chosen }, choose: { model.choose($0) }),
        ModelObservation { gtk_widget_set_visible(remove.widget, model.canRemove.gboolean) },
        ModelObservation { gtk_widget_set_visible(found.widget, (model.found.count > 1).gboolean) },
      ]
    }
    rows +=
      [
        ModelObservation {
          gtk_window_set_title(window.of(GtkWindow.self), model.title)
          adw_window_title_set_title(heading.opaque, model.title)
        },
        ModelObservation {
          gtk_label_set_text(note.opaque, model.note)
          pm_set_accessible_description(entry.widget, model.note)
        },
        ModelObservation { gtk_widget_set_sensitive(accept.widget, model.canApply.gboolean) },
        ModelObservation {
          guard let shown = gtk_editable_get_text(entry.opaque), String(cString: shown) != model.text else { return }
          gtk_editable_set_text(entry.opaque, model.text)
        },
      ] as [AnyObject]
    window.onQuestion("close-request") {
      // The model closes it.
      model.cancel()
      return true
    }
  }

  func present(over parent: GObjectRef) {
    gtk_window_set_transient_for(window.of(GtkWindow.self), parent.of(GtkWindow.self))
    gtk_window_present(window.of(GtkWindow.self))
    WidgetSearch.nameMadeParts(in: window.widget)
    WidgetSearch.nameMadeLists(in: window.widget)
    gtk_widget_grab_focus(entry.widget)
  }

  func close() { gtk_window_destroy(window.of(GtkWindow.self)) }
}
