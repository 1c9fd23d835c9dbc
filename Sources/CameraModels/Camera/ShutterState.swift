// The state of the shutter: its name and its look.

import Localization

/// What a press of the shutter does now.
public enum ShutterState: Hashable, Sendable {
  /// Takes a photo, or begins a series, after the countdown where one was chosen.
  case photo
  /// Begins a movie, after the countdown where one was chosen.
  case movie
  /// Cancels the countdown, which has this many seconds left.
  case countdown(Int)
  /// Ends the burst.
  case burst
  /// Ends the photos of a sheet.
  case booth
  /// Ends the series of photos.
  case series
  /// Ends the movie.
  case recording
  /// Nothing: the movie is being finished.
  case finishing

  /// How the button looks.
  public enum Look: Sendable {
    /// White.
    case photo
    /// Red.
    case movie
    /// A square: a press ends what goes on.
    case stop
  }

  /// The accessible name of the button, which is read aloud when it changes.
  public var name: String {
    switch self {
    case .photo: localized("Take Photo")
    case .movie: localized("Record Video")
    // The seconds left are announced.
    case .countdown: localized("Cancel Countdown")
    case .burst: localized("Stop Burst")
    case .booth: localized("Stop Photo Booth")
    case .series: localized("Stop Taking Photos")
    case .recording: localized("Stop Recording")
    case .finishing: localized("Finishing Video")
    }
  }

  public var look: Look {
    switch self {
    case .photo: .photo
    case .movie: .movie
    // While the button is held for a burst, it must not change under the finger.
    case .burst: .photo
    case .countdown, .booth, .series, .recording, .finishing: .stop
    }
  }

  /// Whether a press does anything.
  public var isEnabled: Bool { self != .finishing }
}
