// News of captures for those who don’t see the picture.

import Localization

/// Something that a capture has done, for screen readers. What is on screen shows it in another way: the blink, the badge, the
/// new picture in the strip.
public struct CaptureNews: Sendable, Equatable {
  public enum Event: Sendable {
    case photoTaken
    case livePhotoSaved
  }

  public var event: Event
  /// Grows with each event, so that two of the same kind differ.
  public var number: Int

  /// One short line.
  public var text: String {
    switch event {
    case .photoTaken: localized("Photo taken")
    case .livePhotoSaved: localized("Live photo saved")
    }
  }
}

extension MovieModel {
  /// What has become of the video, in one short line for screen readers; `nil` where there is nothing to say. How it was saved is
  /// a message of its own only where something went wrong.
  ///
  /// - Parameter before: The phase before this one.
  public func news(after before: Phase) -> String? {
    switch (before, phase) {
    case (.starting, .recording): localized("Recording started")
    case (.recording, .paused): localized("Recording paused")
    case (.paused, .recording): localized("Recording resumed")
    case (.recording, .finishing), (.paused, .finishing): localized("Recording stopped")
    case (.finishing, .idle): if case .success = lastOutcome { localized("Video saved") } else { nil }
    default: nil
    }
  }
}
