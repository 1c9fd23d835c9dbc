// What screen readers say of captures and of the camera’s trouble, which nothing with the focus shows.

import CGtk
import CameraModels
import GtkShim

/// Follows the models, and announces what has happened. Toasts and countdowns announce themselves.
@MainActor final class SpokenNews {
  private var observations: [ModelObservation] = []
  private var heard: Int?
  private var phase: MovieModel.Phase

  init(camera: CameraModel, movies: MovieModel) {
    phase = movies.phase
    observations = [
      ModelObservation(of: { camera.news }) { [weak self] news in
        guard let self, let news, news.number != heard else { return }
        heard = news.number
        pm_announce(news.text)
      },
      ModelObservation(of: { movies.phase }) { [weak self] new in
        guard let self, new != phase else { return }
        if let text = movies.news(after: phase) { pm_announce(text) }
        phase = new
      },
    ]
  }
}
