// The command that opens the preferences.

import CGtk
import CameraModels

/// Shows the preferences, once.
@MainActor final class PreferencesCommands {
  private let models: Models
  private let window: MainWindow
  private let data: DataFolder
  private var preferences: PreferencesWindow?
  private var observation: ModelObservation?

  init(actions: Actions, models: Models, window: MainWindow, data: DataFolder) {
    (self.models, self.window, self.data) = (models, window, data)
    actions.add("preferences") { [weak self] in self?.show() }
    actions.addReport("location", text: models.place.state.reportName)
    observation = ModelObservation { actions.setState("location", models.place.state.reportName) }
  }

  private func show() {
    do throws(InstallationError) {
      // Built when it is asked for, so that it costs the start nothing.
      if preferences == nil {
        preferences = try PreferencesWindow(models: models, data: data) { [models, window] in
          models.library.folder.openInFileManager(over: window.window) { models.messages.post($0) }
        }
        preferences?.onClose { [weak self] in self?.preferences = nil }
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
