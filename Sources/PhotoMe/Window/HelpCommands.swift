// The help, the first-run page, the keyboard shortcuts, and the window about the program.

import CGtk
import CameraCore
import CameraModels
import Localization

/// Adds the actions, and opens the windows over the one in front.
@MainActor final class HelpCommands {
  private let window: MainWindow
  private let data: DataFolder
  private let models: Models
  private var welcome: WelcomeWindow?
  private var observations: [ModelObservation] = []
  /// The editor's window while there is one.
  private let editor: () -> GObjectRef?

  /// - Parameter restart: Called when the first-run page was closed, and another folder was chosen for the library.
  init(
    actions: Actions, window: MainWindow, data: DataFolder, models: Models, editor: @escaping () -> GObjectRef?,
    restart: @escaping () -> Void
  ) {
    (self.window, self.data, self.models, self.editor) = (window, data, models, editor)
    actions.add("about") { [weak self] in self?.showAbout() }
    actions.add("shortcuts") { [weak self] in self?.showShortcuts() }
    actions.add("help") { [weak self] in self?.showHelp() }
    // A state for scripts: whether the first-run page is shown.
    actions.addReport("welcome", text: "")
    // For translators: the texts that the windows show only in part, a line each, and the width that a window needs.
    for report in ["cut-texts", "minimum-width"] { actions.addReport(report, text: "") }
    actions.add("find-cut-texts") {
      actions.setState("cut-texts", CutTexts.all().joined(separator: "\n"))
      actions.setState("minimum-width", CutTexts.minimumWidth)
    }
    observations = [
      ModelObservation { actions.setState("welcome", models.welcome.isShown ? "shown" : "") },
      ModelObservation(of: { models.welcome.isShown }) { [weak self] in
        if !$0 { self?.welcome = nil }
        if models.welcome.restarts { restart() }
      },
    ]
  }

  /// Shows the first-run page while there is one.
  func showWelcome() {
    guard models.welcome.isShown, welcome == nil else { return }
    do throws(InstallationError) { welcome = try WelcomeWindow(models: models, data: data, over: window.window) } catch
    {
      models.messages.post(error.description)
    }
  }

  private func showShortcuts() {
    // Built when it is asked for: that takes longer than all of the window's other small things.
    do throws(InstallationError) {
      let shortcuts = try Interface(data.ui("shortcuts"))["shortcuts"]
      let editor = editor()
      if editor != nil { shortcuts.set("section-name", "editor") }
      gtk_window_set_transient_for(shortcuts.of(GtkWindow.self), (editor ?? window.window).of(GtkWindow.self))
      gtk_window_present(shortcuts.of(GtkWindow.self))
      WidgetSearch.nameMadeParts(in: shortcuts.widget)
    } catch { models.messages.post(error.description) }
  }

  private func showHelp() {
    HelpPages(folder: data.help).open(over: editor() ?? window.window) { [models] in models.messages.post($0) }
  }

  private func showAbout() {
    guard let made = adw_about_window_new() else { return }
    let about = OpaquePointer(made)
    adw_about_window_set_application_name(about, "PhotoMe")
    adw_about_window_set_application_icon(about, gtk_window_get_default_icon_name())
    adw_about_window_set_version(about, ProgramVersion.text)
    adw_about_window_set_developer_name(about, localized("The PhotoMe authors"))
    adw_about_window_set_comments(about, localized("Take photos, and keep the moment around them"))
    adw_about_window_set_website(about, "https://photome.github.io/")
    let credits = localized(
      "translator-credits", comment: "Your name, and those of earlier translators, a line for each")
    if credits != "translator-credits" { adw_about_window_set_translator_credits(about, credits) }
    adw_about_window_set_license_type(about, GTK_LICENSE_GPL_3_0)
    let aboutWindow = UnsafeMutableRawPointer(made).assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_transient_for(aboutWindow, window.window.of(GtkWindow.self))
    gtk_window_set_modal(aboutWindow, true.gboolean)
    gtk_window_present(aboutWindow)
    let root = UnsafeMutableRawPointer(made).assumingMemoryBound(to: GtkWidget.self)
    WidgetSearch.nameMadeParts(in: root)
    WidgetSearch.nameMadeLists(in: root)
  }
}
