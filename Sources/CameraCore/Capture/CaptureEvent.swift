// The request for a shot, and the events until it is on disk.

import Foundation

/// The id of one shot while it is under way; unique in the process.
public struct CaptureID: Hashable, Sendable, Codable, CustomStringConvertible {
  public var rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  public var description: String { "shot \(rawValue)" }
}

/// Photos that belong together: a burst, or those of a photo booth.
public struct PhotoGroup: Hashable, Sendable {
  public var id: String
  /// Whether they are taken at the pace of a burst, which leaves no time for more than a JPEG of each. A photo of a burst never
  /// has the frame of the shot before it, and waits for the next one where no newer frame has come since.
  public var isBurst: Bool

  public init(id: String, isBurst: Bool) { (self.id, self.isBurst) = (id, isBurst) }
}

/// The request for one shot.
public struct PhotoSettings: Sendable {
  /// Also keep the movie around the press.
  public var isLive: Bool
  /// When the shutter was pressed; the still is the frame that was on screen then.
  public var pressed: MonotonicTime
  /// The folder for the movie of a live photo, on the library's file system. Whoever receives the file moves or removes
  /// it.
  public var movieFolder: URL
  /// Whether the still and the movie are mirrored left to right, as a mirrored viewfinder shows them.
  public var isMirrored: Bool
  public var quality: PhotoQuality
  /// The file format of the still.
  public var format: PhotoFormat
  /// The photos that it belongs to; `nil` for a single photo.
  public var group: PhotoGroup?

  /// Whether it is one of the quick photos of a burst.
  public var isOfBurst: Bool { group?.isBurst == true }

  public init(
    isLive: Bool, pressed: MonotonicTime = .now, movieFolder: URL, quality: PhotoQuality = .balanced,
    isMirrored: Bool = false, format: PhotoFormat = .jpeg, group: PhotoGroup? = nil
  ) {
    (self.format, self.group) = (format, group)
    self.isLive = isLive
    self.quality = quality
    self.pressed = pressed
    self.movieFolder = movieFolder
    self.isMirrored = isMirrored
  }
}

/// The properties of a shot that are known the moment it begins.
public struct ResolvedPhotoSettings: Sendable, Equatable {
  public var id: CaptureID
  public var isLive: Bool
  /// Of the still, in pixels.
  public var size: PixelSize
  /// When the frame of the still was taken.
  public var stillTime: MonotonicTime
  /// The wall clock at that instant.
  public var date: Date
  public var camera: CameraDevice
  /// The microphone of the movie's sound; `nil` when it has none.
  public var microphone: MicrophoneDevice?
  /// Whether another still may follow the first and take its place: a better one, or the same in another format.
  public var mayImprove: Bool
  /// Whether the sensor's own frame is to be saved beside it.
  public var wantsRaw: Bool
  /// The photos that it belongs to; `nil` for a single photo.
  public var group: PhotoGroup?

  public init(
    id: CaptureID, isLive: Bool, size: PixelSize, stillTime: MonotonicTime, date: Date, camera: CameraDevice,
    microphone: MicrophoneDevice?, mayImprove: Bool = false, wantsRaw: Bool = false, group: PhotoGroup? = nil
  ) {
    (self.wantsRaw, self.group) = (wantsRaw, group)
    self.id = id
    self.isLive = isLive
    self.size = size
    self.stillTime = stillTime
    self.date = date
    self.camera = camera
    self.microphone = microphone
    self.mayImprove = mayImprove
  }
}

/// The still of a shot: a complete picture, with no metadata from PhotoMe yet.
public struct CapturedPhoto: Sendable {
  /// A whole file. A JPEG from a Motion JPEG camera has the camera's own scan data, unless it was mirrored.
  public var data: Data
  public var format: PhotoFormat
  /// A JPEG that fits into 160×160 pixels and is at most 48 KiB, for the strip at once and for the EXIF block.
  public var thumbnail: Data
  public var size: PixelSize
  /// The frames that it was made of: 1, unless several were averaged.
  public var frameCount: Int
  /// The same frame as the sensor has it; `nil` when it isn't saved.
  public var raw: BayerFrame?
  /// The reason why it isn't what was asked for, in a sentence; `nil` when it is.
  public var shortfall: String?

  public init(
    data: Data, format: PhotoFormat = .jpeg, thumbnail: Data, size: PixelSize, frameCount: Int = 1,
    raw: BayerFrame? = nil, shortfall: String? = nil
  ) {
    self.format = format
    self.shortfall = shortfall
    self.frameCount = frameCount
    self.data = data
    self.thumbnail = thumbnail
    self.size = size
    self.raw = raw
  }
}

/// The movie of a live photo: an MP4 with H.264 and, unless it is silent, AAC.
public struct CapturedMovie: Sendable {
  /// In the folder that the settings named.
  public var url: URL
  /// In seconds.
  public var duration: Double
  /// The presentation time of the frame that is the still, in seconds from the movie's start.
  public var photoDisplayTime: Double
  public var hasSound: Bool
  /// What it lacks of what was asked for.
  public var shortfalls: [CaptureShortfall]

  public init(
    url: URL, duration: Double, photoDisplayTime: Double, hasSound: Bool, shortfalls: [CaptureShortfall] = []
  ) {
    self.url = url
    self.duration = duration
    self.photoDisplayTime = photoDisplayTime
    self.hasSound = hasSound
    self.shortfalls = shortfalls
  }
}

/// A shot that is safe on disk.
public struct SavedPhoto: Sendable, Equatable {
  /// The asset's id in the library.
  public var assetID: String
  public var url: URL
  /// The DNG of the raw picture beside it; `nil` without one.
  public var rawURL: URL?
  public var isLive: Bool
  public var size: PixelSize
  public var resolved: ResolvedPhotoSettings
  /// In seconds; `nil` without a movie.
  public var movieDuration: Double?
  /// In seconds from the movie's start; `nil` without a movie.
  public var photoDisplayTime: Double?
  /// From the press until the file was durable under its final name.
  public var pressToSaved: TimeSpan
  /// The missing part and why it is missing, for example the movie; the photo itself is safe.
  public var shortfall: String?
  /// The frames that the still was made of: 1, unless several were averaged.
  public var frameCount: Int

  public init(
    assetID: String, url: URL, rawURL: URL? = nil, isLive: Bool, size: PixelSize, resolved: ResolvedPhotoSettings,
    movieDuration: Double?, photoDisplayTime: Double?, pressToSaved: TimeSpan, shortfall: String?, frameCount: Int = 1
  ) {
    self.frameCount = frameCount
    self.assetID = assetID
    self.url = url
    self.rawURL = rawURL
    self.isLive = isLive
    self.size = size
    self.resolved = resolved
    self.movieDuration = movieDuration
    self.photoDisplayTime = photoDisplayTime
    self.pressToSaved = pressToSaved
    self.shortfall = shortfall
  }
}

/// The events of a shot, in this order. Every shot ends with either `finished` or a thrown error.
///
/// The engine sends everything up to `movie`; the model adds `finished` when the library has the files. A photo without
/// Live has neither `movieRecorded` nor `movie`.
public enum CaptureEvent: Sendable {
  /// The frame is chosen.
  case willBegin(ResolvedPhotoSettings)
  /// The exposure: the moment to blink and to play the shutter sound.
  case willCapture
  case didCapture
  /// A small JPEG for the strip, at most 160 pixels on its longer side.
  case thumbnail(Data)
  case photo(CapturedPhoto)
  /// A better still of the same moment, or the same in the format that was asked for, where
  /// `ResolvedPhotoSettings.mayImprove` said that one may follow.
  case improved(CapturedPhoto)
  /// The last frame of the movie has arrived: the person may move again.
  case movieRecorded
  case movie(CapturedMovie)
  case finished(SavedPhoto)
}
