// The words of movies in the window: lengths, the space left, and the names of the controls.

import CameraCore
import Foundation
import Localization

extension MovieModel {
  /// The time left below which it is shown all the time, in seconds.
  static let shortTimeLeft = 3600.0

  /// The length of the movie so far: `0:07`, `1:02:05`.
  public var elapsedText: String { PictureInfo.clock(elapsed.seconds) }

  /// The time that the disk has room for, of the movie that is being recorded or of the next one; `nil` when nobody
  /// knows.
  private var room: TimeSpan? { phase == .idle ? space.time : timeLeft }

  /// The time until the disk is full in the fewest words, `12 min left`; `nil` while there is more than an hour, or
  /// nobody knows.
  public var spaceText: String? {
    guard let seconds = room?.seconds, seconds < Self.shortTimeLeft else { return nil }
    if seconds >= 60 { return localized("\(Int(seconds / 60)) min left") }
    // It begins the line, unless the length of a movie does.
    return phase == .idle ? localized("Less than 1 min left") : localized("less than 1 min left")
  }

  /// The same in a sentence, at any time; `nil` when nobody knows.
  public var spaceExplanation: String? {
    room.map { room in
      switch (Self.span(of: room.seconds), phase) {
      case (let span?, .idle): localized("The disk has room for \(span) of video")
      case (nil, .idle): localized("The disk has room for less than a minute of video")
      case (let span?, _): localized("The disk has room for \(span) more")
      case (nil, _): localized("The disk has room for less than a minute more")
      }
    }
  }

  /// A time as `5 hours 12 minutes`; `nil` for less than a minute. Beyond a hundred hours nobody counts minutes.
  static func span(of seconds: Double) -> String? {
    let minutes = Int(min(max(0, seconds), 1e9) / 60)
    guard minutes > 0 else { return nil }
    let (hours, rest) = (minutes / 60, minutes % 60)
    let minuteText = localized("\(rest) minute", plural: "\(rest) minutes", count: rest)
    if hours == 0 { return minuteText }
    let hourText = localized("\(hours) hour", plural: "\(hours) hours", count: hours)
    if rest == 0 || hours >= 100 { return hourText }
    return localized("\(hourText) \(minuteText)", context: "time", comment: "As in “5 hours 12 minutes”")
  }

  /// One line about the movie over the picture, without its length; `nil` while there is nothing to add to that.
  public var remark: String? {
    switch phase {
    case .idle: spaceText
    case .starting: localized("Starting…")
    case .finishing: localized("Finishing the video…")
    case .paused: localized("Paused")
    case .recording: spaceText
    }
  }

  /// Whether the movie that is being recorded was to have sound, and gets none now.
  public var lacksSound: Bool {
    guard phase.isRolling, settings.values.microphone != .none else { return false }
    return switch (sound, live.sound) {
    case (.silent, _), (.recording, .silent): true
    case (.off, _), (.recording, _): false
    }
  }

  /// The name of the mark beside the length that says whether sound is recorded; `nil` where there is none.
  public var soundMarkName: String? {
    if hasSound { return localized("Recording sound") }
    return lacksSound ? localized("No sound is being recorded") : nil
  }

  /// Whether the length means something: not before the first frame, and no longer while the file is being finished.
  public var showsElapsed: Bool { phase.isRolling }

  /// The name of the button that pauses.
  public var pauseName: String { phase == .paused ? localized("Resume Recording") : localized("Pause Recording") }
}

extension RecordingSettings.Quality {
  /// The name in menus.
  public var title: String {
    switch self {
    case .compact: localized("Compact", context: "video quality")
    case .standard: localized("Standard", context: "video quality")
    case .high: localized("High", context: "video quality")
    }
  }
}
