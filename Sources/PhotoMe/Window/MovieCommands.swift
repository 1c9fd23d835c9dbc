// The actions of movies, for buttons, keys, menus and D-Bus.

import CGtk
import CameraCore
import CameraModels

/// Adds the actions, and keeps their states up to date.
@MainActor final class MovieCommands {
  private var observations: [ModelObservation] = []

  init(actions: Actions, camera: CameraModel, movies: MovieModel) {
    actions.add("press-shutter") { camera.pressShutter() }
    actions.addChoice("mode", chosen: movies.mode.reportName) { movies.setMode($0 == "video" ? .movie : .photo) }
    actions.add("toggle-mode") { movies.toggleMode() }
    actions.add("pause-movie") { movies.togglePause() }
    actions.addChoice("movie-quality", chosen: movies.quality.rawValue) { name in
      RecordingSettings.Quality(rawValue: name).map(movies.setQuality)
    }
    actions.addChoice("movie-codec", chosen: movies.codec.rawValue) { name in
      RecordingSettings.Codec(rawValue: name).map(movies.setCodec)
    }
    // States for scripts: the phase and the length of the movie, and the file of the last one.
    for report in ["movie", "movie-length", "movie-path"] { actions.addReport(report, text: "") }
    observations = [
      ModelObservation { actions.setState("mode", movies.mode.reportName) },
      ModelObservation { actions.setState("movie-quality", movies.quality.rawValue) },
      ModelObservation { actions.setState("movie-codec", movies.codec.rawValue) },
      ModelObservation {
        actions.setState("movie", movies.phase.rawValue)
        for action in ["mode", "toggle-mode", "movie-quality", "movie-codec"] {
          actions.setEnabled(action, movies.changeRefusal == nil)
        }
        actions.setEnabled("pause-movie", movies.phase.isRolling)
      },
      ModelObservation { actions.setState("movie-length", movies.showsElapsed ? movies.elapsedText : "") },
      ModelObservation { actions.setState("movie-path", movies.lastMovie?.url.path ?? "") },
    ]
  }
}

extension MovieModel.Mode {
  /// The state of the action `mode`.
  fileprivate var reportName: String { self == .movie ? "video" : "photo" }
}
