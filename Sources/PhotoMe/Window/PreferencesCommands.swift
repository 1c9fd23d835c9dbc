// The commands that open the preferences and choose the library's folder.

import CGtk
import CameraCore
import CameraModels
import Foundation
import Localization

/// Shows the preferences, once. While they are open, they show the messages.
@MainActor final class PreferencesCommands {
  private let actions: Actions
  private let models: Models
  private let window: MainWindow
  private let data: DataFolder
  private var preferences: PreferencesWindow?
  private var chooser: FolderChooser?
  private var observations: [ModelObservation] = []

  init(actions: Actions, models: Models, window: MainWindow, data: DataFolder) {
    (self.actions, self.models, self.window, self.data) = (actions, models, window, data)
    actions.add("preferences") { [weak self] in self?.show() }
    actions.addReport("location", text: models.place.state.reportName)
    let folder = models.libraryFolder
    // The parameter is a path; the state is that of the folder at the next start.
    actions.addChoice("library-folder", chosen: folder.next.path) { path in
      Task { await folder.choose(URL(fileURLWithPath: path, isDirectory: true)) }
    }
    // For scripts: uses a row of the open window, by its ID in the layout; and whether the window is open.
    actions.addCommand("use-preference") { [weak self] row, value in
      guard self?.preferences?.use(row, value) != true else { return }
      models.messages.post(
        localized("The preference “\(row)” can’t be changed now.", comment: "{0} is the name of a row, for scripts"))
    }
    actions.addReport("preferences-shown", text: "no")
    observations = [
      ModelObservation { actions.setState("location", models.place.state.reportName) },
      ModelObservation { actions.setState("library-folder", folder.next.path) },
    ]
  }

  private func askLibraryFolder() {
    let folder = models.libraryFolder
    let chooser = FolderChooser(window: preferences?.window ?? window.window)
    self.chooser = chooser
    chooser.askFolder(localized("Choose Library Folder"), accept: localized("_Choose")) { chosen in
      Task { await folder.choose(chosen) }
    }
  }

  private func show() {
    do throws(InstallationError) {
      // Built when it is asked for, so that it costs the start nothing.
      if preferences == nil {
        let preferences = try PreferencesWindow(
          models: models, data: data,
          showFolder: { [models, window] in
            models.library.folder.openInFileManager(over: window.window) { models.messages.post($0) }
          }, changeFolder: { [weak self] in self?.askLibraryFolder() })
        self.preferences = preferences
        window.messageToasts?.enter(preferences)
        preferences.onClose { [weak self] in
          self?.window.messageToasts?.leavePreferences()
          self?.preferences = nil
          self?.actions.setState("preferences-shown", "no")
        }
        actions.setState("preferences-shown", "yes")
      }
      preferences?.present(over: window.window)
    } catch { models.messages.post(error.description) }
  }
}

extension LocationModel.State {
  /// The state for scripts.
  fileprivate var reportName: String {
    switch self {
    case .off: "off"
    case .searching: "searching"
    case .found: "found"
    case .unavailable: "unavailable"
    }
  }
}
