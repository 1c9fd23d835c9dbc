// The camera and its movies: the shutter's two purposes, and the choices that wait for a movie's end.

import CameraCore

extension CameraModel {
  /// The shutter button and its keys: takes a photo, or begins and ends a movie.
  ///
  /// - Parameter pressed: The time of the press, which decides a photo's frame.
  public func pressShutter(at pressed: MonotonicTime = .now) {
    guard let movies, movies.mode == .movie else {
      takePhoto(pressed: pressed)
      return
    }
    Task { await movies.toggle() }
  }

  /// Whether another camera may be opened now. A movie would end with the camera that it is recorded with; that is said.
  func mayChangeCamera() -> Bool {
    guard let movies, movies.isBusy else { return true }
    messages.post("The camera can be changed after the movie.")
    return false
  }
}
