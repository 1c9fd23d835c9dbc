// Dialog for a start that failed: someone who started PhotoMe from the desktop sees no standard error.

import CGtk
import GtkShim
import Localization

/// The dialog that says why PhotoMe can't start. Closing it ends the program, unless there is another way that is taken.
@MainActor final class StartFailure {
  /// A way to start nevertheless.
  struct Remedy {
    /// The button's label, with an underscore before the mnemonic's letter.
    var label: String
    var take: () -> Void
  }

  private let dialog: GObjectRef

  /// Shows the dialog.
  ///
  /// - Parameters:
  ///   - reason: A sentence that says what is wrong, with what, and what can be done.
  ///   - remedy: `nil` for none.
  ///   - close: Called when the dialog is closed.
  init?(_ reason: String, application: GObjectRef, remedy: Remedy?, close: @escaping () -> Void) {
    guard let made = adw_message_dialog_new(nil, localized("PhotoMe Can’t Start"), reason) else { return nil }
    dialog = GObjectRef(retaining: made)
    let raw = dialog.of(AdwMessageDialog.self)
    adw_message_dialog_add_response(raw, "close", localized("_Close"))
    if let remedy { adw_message_dialog_add_response(raw, "remedy", remedy.label) }
    adw_message_dialog_set_default_response(raw, "close")
    adw_message_dialog_set_close_response(raw, "close")
    dialog.onPointer("response") { response in
      let name = response.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
      if name == "remedy", let remedy { remedy.take() } else { close() }
    }
    gtk_application_add_window(application.of(GtkApplication.self), dialog.of(GtkWindow.self))
    WidgetSearch.nameButtonsByLabels(in: dialog.widget)
    present()
  }

  func present() { gtk_window_present(dialog.of(GtkWindow.self)) }
}
