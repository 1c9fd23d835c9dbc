// The first-run page.

import CGtk
import CameraCore
import CameraModels
import GtkShim
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
    let (model, row, choose) = (models.welcome, interface["welcome_folder"], interface["welcome_choose"])
    interface["welcome_start"].on("clicked") { [window] in gtk_window_close(window.of(GtkWindow.self)) }
    gtk_widget_set_visible(choose.widget, model.offersFolder.gboolean)
    choose.on("clicked") { [chooser] in
      chooser.askFolder(localized("Choose Library Folder"), accept: localized("_Choose")) { chosen in
        Task { await model.choose(folder: chosen) }
      }
    }
    window.onQuestion("close-request") {
      model.finish()
      return false
    }
    observations = [
      ModelObservation {
        let text = model.folderProblem ?? model.folderText
        adw_action_row_set_subtitle(row.of(AdwActionRow.self), text.displayed)
        pm_set_accessible_description(choose.widget, text)
        row.setClass("error", model.folderProblem != nil)
      }
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
