// Dialogs: a prompt for a title, a confirmation of destructive actions, and work that takes its time.

import CGtk
import CameraCore
import CameraModels
import GtkShim
import Localization

/// Opens dialogs over a window.
@MainActor final class Dialogs {
  private let window: GObjectRef
  /// The dialog that was opened last.
  private var asking: GObjectRef?

  /// - Parameter window: The `GtkWindow` over which dialogs open.
  init(window: GObjectRef) { self.window = window }

  /// Prompts for a title that isn't blank.
  ///
  /// - Parameters:
  ///   - text: The text under the heading; `nil` for none.
  ///   - title: The initial contents of the entry.
  ///   - answer: The label of the button that accepts the title.
  ///   - placeholder: What the entry holds.
  func askTitle(
    _ heading: String, text: String? = nil, title: String = "", answer: String,
    placeholder: String = localized("Name"), then take: @escaping (String) -> Void
  ) {
    guard let dialog = dialog(heading, text), let made = gtk_entry_new() else { return }
    let entry = GObjectRef(retaining: made)
    gtk_editable_set_text(entry.opaque, title)
    gtk_entry_set_activates_default(entry.of(GtkEntry.self), true.gboolean)
    gtk_entry_set_placeholder_text(entry.of(GtkEntry.self), placeholder)
    pm_set_accessible_label(entry.widget, placeholder)
    let raw = dialog.of(AdwMessageDialog.self)
    adw_message_dialog_set_extra_child(raw, entry.widget)
    adw_message_dialog_add_response(raw, "cancel", localized("_Cancel"))
    adw_message_dialog_add_response(raw, "take", answer)
    adw_message_dialog_set_response_appearance(raw, "take", ADW_RESPONSE_SUGGESTED)
    adw_message_dialog_set_response_enabled(raw, "take", (!Self.isBlank(title)).gboolean)
    adw_message_dialog_set_default_response(raw, "take")
    adw_message_dialog_set_close_response(raw, "cancel")
    entry.on("changed") { [weak entry, weak dialog] in
      guard let entry, let dialog else { return }
      adw_message_dialog_set_response_enabled(
        dialog.of(AdwMessageDialog.self), "take", (!Self.isBlank(Self.text(of: entry))).gboolean)
    }
    // The dialog keeps the entry alive.
    dialog.onPointer("response") { response in
      if Self.isResponse(response, "take") { take(Self.text(of: entry)) }
    }
    show(dialog)
    gtk_widget_grab_focus(entry.widget)
  }

  /// Asks for confirmation before a destructive action. Any other response counts as a refusal.
  func ask(_ question: Question, then act: @escaping () -> Void, otherwise leave: @escaping () -> Void = {}) {
    guard let dialog = dialog(question.title, question.text) else { return leave() }
    let raw = dialog.of(AdwMessageDialog.self)
    adw_message_dialog_add_response(raw, "leave", localized("_Cancel"))
    adw_message_dialog_add_response(raw, "act", question.answer)
    adw_message_dialog_set_response_appearance(raw, "act", ADW_RESPONSE_DESTRUCTIVE)
    adw_message_dialog_set_default_response(raw, "leave")
    adw_message_dialog_set_close_response(raw, "leave")
    dialog.onPointer("response") { response in
      if Self.isResponse(response, "act") { act() } else { leave() }
    }
    show(dialog)
  }

  /// Asks whether files are imported: answers with `import`, `view` or `cancel`.
  func askImport(_ request: OpeningModel.Request, then answer: @escaping (String) -> Void) {
    guard let dialog = dialog(request.title, request.text) else { return answer("cancel") }
    let raw = dialog.of(AdwMessageDialog.self)
    adw_message_dialog_add_response(raw, "cancel", localized("_Cancel"))
    if request.isViewable { adw_message_dialog_add_response(raw, "view", localized("Only _View")) }
    adw_message_dialog_add_response(raw, "import", localized("_Import"))
    adw_message_dialog_set_response_appearance(raw, "import", ADW_RESPONSE_SUGGESTED)
    adw_message_dialog_set_default_response(raw, "import")
    adw_message_dialog_set_close_response(raw, "cancel")
    dialog.onPointer("response") { [weak self, weak dialog] response in
      guard self?.asking === dialog else { return }
      answer(["import", "view"].first { Self.isResponse(response, $0) } ?? "cancel")
    }
    show(dialog)
  }

  /// Shows that something takes its time, until `close`.
  func showWork(_ title: String, cancel: @escaping () -> Void) {
    guard let dialog = dialog(title, nil), let spinner = gtk_spinner_new() else { return }
    gtk_spinner_start(OpaquePointer(spinner))
    gtk_widget_set_size_request(spinner, 32, 32)
    let raw = dialog.of(AdwMessageDialog.self)
    adw_message_dialog_set_extra_child(raw, spinner)
    adw_message_dialog_add_response(raw, "cancel", localized("_Cancel"))
    adw_message_dialog_set_close_response(raw, "cancel")
    // Its closing is a response as well.
    dialog.onPointer("response") { [weak self, weak dialog] _ in if self?.asking === dialog { cancel() } }
    show(dialog)
  }

  /// Closes the last dialog, because its question was answered elsewhere.
  func close() {
    let asking = asking
    self.asking = nil
    asking.map { gtk_window_close($0.of(GtkWindow.self)) }
  }

  private func dialog(_ heading: String, _ text: String?) -> GObjectRef? {
    // Titles and names may hold anything.
    adw_message_dialog_new(window.of(GtkWindow.self), heading.displayed, text?.displayed)
      .map { GObjectRef(retaining: $0) }
  }

  private func show(_ dialog: GObjectRef) {
    asking = dialog
    WidgetSearch.nameButtonsByLabels(in: dialog.widget)
    gtk_window_present(dialog.of(GtkWindow.self))
  }

  private static func isResponse(_ response: UnsafeMutableRawPointer?, _ name: String) -> Bool {
    response.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) == name } ?? false
  }

  private static func text(of entry: GObjectRef) -> String {
    gtk_editable_get_text(entry.opaque).map { String(cString: $0) } ?? ""
  }

  private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }
}
