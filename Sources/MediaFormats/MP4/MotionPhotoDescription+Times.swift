// The times of a Motion Photo.

extension MotionPhotoDescription {
  /// A presentation time as it is written, in whole microseconds.
  ///
  /// - Parameter seconds: From the movie's start; brought into the range of possible times, zero if it is no number.
  public static func microseconds(_ seconds: Double) -> Int64 {
    Int64(((seconds.isFinite ? max(0, min(seconds, MP4Head.longestDuration)) : 0) * 1_000_000).rounded())
  }
}
