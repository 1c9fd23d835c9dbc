// The actions of movies, for buttons, keys, menus and D-Bus, and the machine that must not sleep meanwhile.

import CGtk
import CameraCore
import CameraModels

/// Adds the actions, keeps their states up to date, and inhibits sleep while a movie is recorded.
@MainActor final class MovieCommands {
  private let application: GObjectRef
  private let window: GObjectRef
  /// Of the session manager, while it is asked not to let the machine sleep.
  private var inhibition: guint?
  private var observations: [ModelObservation] = []

  /// - Parameter application: The `GtkApplication`.
  init(
    actions: Actions, camera: CameraModel, movies: MovieModel, window: MainWindow, application: GObjectRef
  ) {
    self.application = application
    self.window = window.window
    actions.add("press-shutter") { camera.pressShutter() }
    actions.addChoice("mode", chosen: movies.mode.reportName) { movies.setMode($0 == "video" ? .movie : .photo) }
    actions.add("toggle-mode") { movies.toggleMode() }
    actions.add("pause-movie") { movies.togglePause() }
    actions.addChoice("movie-quality", chosen: movies.quality.rawValue) { name in
      RecordingSettings.Quality(rawValue: name).map(movies.setQuality)
    }
    // States for scripts: the phase and the length of the movie, and the file of the last one.
    for report in ["movie", "movie-length", "movie-path"] { actions.addReport(report, text: "") }
    observations = [
      ModelObservation { actions.setState("mode", movies.mode.reportName) },
      ModelObservation { actions.setState("movie-quality", movies.quality.rawValue) },
      ModelObservation {
        actions.setState("movie", movies.phase.rawValue)
        for action in ["mode", "toggle-mode", "movie-quality", "select-camera"] {
          actions.setEnabled(action, !movies.isBusy)
        }
        actions.setEnabled("pause-movie", movies.phase == .recording || movies.phase == .paused)
      },
      ModelObservation { actions.setState("movie-length", movies.showsElapsed ? movies.elapsedText : "") },
      ModelObservation { actions.setState("movie-path", movies.lastMovie?.url.path ?? "") },
      ModelObservation(of: { movies.isBusy }) { [weak self] in self?.inhibitSleep($0) },
    ]
  }

  /// The screen doesn't blank either: nobody touches the keyboard in front of a camera.
  private func inhibitSleep(_ isWanted: Bool) {
    let application = application.of(GtkApplication.self)
    if isWanted, inhibition == nil {
      let what = GtkApplicationInhibitFlags(
        rawValue: GTK_APPLICATION_INHIBIT_SUSPEND.rawValue | GTK_APPLICATION_INHIBIT_IDLE.rawValue)
      inhibition = gtk_application_inhibit(
        application, window.of(GtkWindow.self), what, "A movie is being recorded")
    } else if !isWanted, let cookie = inhibition {
      // Zero where there is no session manager to ask.
      if cookie != 0 { gtk_application_uninhibit(application, cookie) }
      inhibition = nil
    }
  }
}

extension MovieModel.Mode {
  /// The state of the action `mode`.
  fileprivate var reportName: String { self == .movie ? "video" : "photo" }
}
