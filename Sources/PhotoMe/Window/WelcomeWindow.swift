// The first-run page.

import CGtk
import CameraModels
import Localization

/// Shows a `WelcomeModel` in a window over the main one, whose camera starts meanwhile.
@MainActor final class WelcomeWindow {
  private let window: GObjectRef
  private let model: WelcomeModel
  private let chooser: FolderChooser
  private var observations: [ModelObservation] = []

  /// - Throws: `InstallationError` when its file can't be read.
  init(models: Models, data: DataFolder, over parent: GObjectRef) throws(InstallationError) {
    model = models.welcome
    let interface = try Interface(data.ui("welcome"))
    window = interface["welcome"]
    chooser = FolderChooser(window: window)
    let (model, folder, row) = (models.welcome, models.libraryFolder, interface["welcome_folder"])
    interface["welcome_start"].on("clicked") { [window] in gtk_window_close(window.of(GtkWindow.self)) }
    interface["welcome_choose"].on("clicked") { [chooser] in
      chooser.askFolder(localized("Choose Library Folder"), accept: localized("_Choose")) { chosen in
        Task { await folder.choose(chosen) }
      }
    }
    window.onQuestion("close-request") {
      model.finish()
      return false
    }
    observations = [
      ModelObservation { adw_action_row_set_subtitle(row.of(AdwActionRow.self), model.folderText) }
    ]
    gtk_window_set_transient_for(window.of(GtkWindow.self), parent.of(GtkWindow.self))
    WidgetSearch.nameButtonsByLabels(in: window.widget)
    gtk_widget_grab_focus(interface["welcome_start"].widget)
    gtk_window_present(window.of(GtkWindow.self))
    WidgetSearch.nameMadeButtons(in: window.widget)
  }

  /// Closes it as a person does.
  func close() { gtk_window_close(window.of(GtkWindow.self)) }
}
