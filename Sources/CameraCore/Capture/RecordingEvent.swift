// The request for a movie, and the events until its file is finished.

import Foundation

/// The request to record a movie.
public struct RecordingSettings: Sendable, Hashable {
  /// The quality of the picture. The bit rate follows from it and from what moves in front of the camera.
  public enum Quality: String, Sendable, Hashable, Codable, CaseIterable {
    /// Small files; faces stay sharp, fine texture doesn't.
    case compact
    case standard
    /// For editing: hardly distinguishable from the camera's own picture.
    case high
  }

  /// The compression of the picture.
  public enum Codec: String, Sendable, Hashable, Codable, CaseIterable {
    /// H.264, and HEVC for frames of 10 bits where an encoder for them is installed.
    case automatic = "auto"
    /// Every program plays it.
    case h264
    /// Half the size for nearly the same picture, for more work. H.264 where no encoder for it works.
    case hevc
  }

  /// The folder of the file, which is created if it is missing. While it is recorded the file is hidden in it.
  public var folder: URL
  public var microphone: MicrophoneChoice
  public var quality: Quality
  public var codec: Codec
  /// The length at which the movie ends by itself, without pauses; `nil` for a movie that someone stops.
  public var duration: TimeSpan?
  /// When the movie was asked for, for its name; `nil` for the instant at which its file is made.
  public var date: Date?
  /// Where the movie is recorded, in the form of ISO 6709, annex H; `nil` for a movie that doesn't tell.
  public var position: String?
  /// Whether the picture is mirrored left to right, as a mirrored viewfinder shows it.
  public var isMirrored: Bool
  /// Whether the shaking of the camera is taken out of the picture, which loses its margins to that.
  public var isStabilized: Bool

  public init(
    folder: URL, microphone: MicrophoneChoice = .automatic, quality: Quality = .standard,
    codec: Codec = .automatic, duration: TimeSpan? = nil, date: Date? = nil, position: String? = nil,
    isMirrored: Bool = false, isStabilized: Bool = false
  ) {
    self.folder = folder
    self.microphone = microphone
    self.quality = quality
    self.codec = codec
    self.duration = duration
    self.date = date
    self.position = position
    self.isMirrored = isMirrored
    self.isStabilized = isStabilized
  }
}

/// The state of a recording in progress, about once a second.
public struct RecordingProgress: Sendable, Equatable {
  /// The length of the movie so far, without pauses.
  public var elapsed: TimeSpan
  /// The size of the file so far.
  public var byteCount: Int64
  /// The time until the disk is full at the present bit rate; `nil` where the free space isn't known.
  public var timeLeft: TimeSpan?
  /// Frames that are missing in the movie: the encoder couldn't keep up, or they were damaged.
  public var droppedFrames: Int

  public init(elapsed: TimeSpan, byteCount: Int64, timeLeft: TimeSpan?, droppedFrames: Int) {
    self.elapsed = elapsed
    self.byteCount = byteCount
    self.timeLeft = timeLeft
    self.droppedFrames = droppedFrames
  }
}

/// The cause of a recording's end.
public enum RecordingEnding: Sendable, Equatable {
  /// Someone stopped it, or the program is closing.
  case stopped
  /// The camera was unplugged, broke, or was closed.
  case cameraLost
  /// The disk had no more room.
  case diskFull
  /// The encoder broke; the message is its own.
  case encoderFailed(String)
  /// The camera's frames can't be used any more, or the disk has lost what was written; the message is a clause.
  case failed(String)
}

/// The file of a movie that is being recorded.
public struct UnfinishedMovie: Codable, Sendable, Hashable {
  /// Its path until it is finished.
  public var hiddenPath: String
  /// The path that it gets then, unless another file has taken that meanwhile.
  public var path: String

  public init(hiddenPath: String, path: String) { (self.hiddenPath, self.path) = (hiddenPath, path) }
}

/// A finished movie: an MP4 with H.264 or HEVC and, unless it is silent, AAC.
public struct RecordedMovie: Sendable, Equatable {
  /// In the folder that the settings named; the name is `VID_20261121_073200_000.mp4` or the next one that is free.
  public var url: URL
  /// In seconds.
  public var duration: Double
  public var hasSound: Bool
  public var ending: RecordingEnding
  /// Frames that are missing; see `RecordingProgress`.
  public var droppedFrames: Int
  /// Seconds for which the microphone sent nothing; its track has silence there.
  public var missingSound: Double
  /// Whether the position that was asked for could not be written.
  public var lacksPosition: Bool

  /// The least of `missingSound` that is told: the first and the last sound of a movie come some tenths late.
  static let tolerableMissingSound = 1.0

  public init(
    url: URL, duration: Double, hasSound: Bool, ending: RecordingEnding, droppedFrames: Int, missingSound: Double = 0,
    lacksPosition: Bool = false
  ) {
    self.url = url
    self.duration = duration
    self.hasSound = hasSound
    self.ending = ending
    self.droppedFrames = droppedFrames
    self.missingSound = missingSound
    self.lacksPosition = lacksPosition
  }
}

/// The events of a recording. The stream ends after `finished`, or throws.
public enum RecordingEvent: Sendable, Equatable {
  /// The file is there, with nothing in it yet. Comes again when another file takes its place, because something hangs
  /// that may still write to it.
  case opened(UnfinishedMovie)
  /// The movie was to be HEVC, and is H.264; the reason is a sentence.
  case hevcUnavailable(reason: String)
  /// The first frame is in the movie.
  case began(LiveSound)
  case progress(RecordingProgress)
  case paused
  case resumed
  /// The picture isn't stabilized anymore, because the computer can't keep up. The movie goes on.
  case stabilizationEnded
  /// The last frame is taken; the file is being finished.
  case ending
  case finished(RecordedMovie)
}
