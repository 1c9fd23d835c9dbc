// The camera and its movies: the shutter's two purposes, and the choices that wait for a movie's end.

import CameraCore

extension CameraModel {
  /// The shutter button and its keys: takes a photo, or begins and ends a movie, after the countdown where one was chosen.
  /// A press while it runs cancels it.
  ///
  /// - Parameter pressed: The time of the press, which decides the frame of a photo without a countdown.
  public func pressShutter(at pressed: MonotonicTime = .now) {
    if countdown.isRunning { return countdown.cancel() }
    guard let movies, movies.isBusy else { return countDown(pressed: pressed) }
    Task { await movies.stop() }
  }

  /// Whether another camera may be opened now. A movie would end with the camera that it is recorded with; that is said.
  func mayChangeCamera() -> Bool {
    guard let movies, movies.isBusy else { return true }
    messages.post("The camera can be changed after the movie.")
    return false
  }
}
