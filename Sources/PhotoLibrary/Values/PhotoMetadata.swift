// What is written into a new picture besides its pixels.

import CameraCore
import Foundation

/// The facts about a shot that end up in the file's EXIF block and in its name.
public struct PhotoMetadata: Sendable, Hashable {
  /// The wall clock at the instant of the still. Kept to the millisecond.
  public var date: Date
  /// Seconds east of Greenwich; a whole number of minutes, which is what EXIF can say.
  public var utcOffset: Int
  /// Of the still, in pixels.
  public var size: PixelSize
  /// What the camera calls itself, for EXIF `Model`; `nil` leaves it out.
  public var cameraName: String?
  /// EXIF `Make`; `nil` leaves it out.
  public var cameraMake: String?
  /// EXIF `Software`, for example `PhotoMe 0.1`.
  public var software: String
  /// A JPEG of at most 160 pixels a side and 48 KiB for the EXIF block; `nil` or a larger one is left out.
  public var thumbnail: Data?
  /// For a live photo: when the still's frame is shown, in seconds from the movie's start.
  public var photoDisplayTime: Double?

  /// - Parameter utcOffset: `nil` takes the offset of the present time zone at `date`. Rounded to a minute.
  public init(
    date: Date, utcOffset: Int? = nil, size: PixelSize, cameraName: String? = nil, cameraMake: String? = nil,
    software: String = "PhotoMe", thumbnail: Data? = nil, photoDisplayTime: Double? = nil
  ) {
    self.date = date
    let offset = utcOffset ?? TimeZone.current.secondsFromGMT(for: date)
    self.utcOffset = Int((Double(offset) / 60).rounded()) * 60
    self.size = size
    self.cameraName = cameraName
    self.cameraMake = cameraMake
    self.software = software
    self.thumbnail = thumbnail
    self.photoDisplayTime = photoDisplayTime
  }

  /// The facts of a shot that the engine took.
  public init(
    resolved: ResolvedPhotoSettings, photo: CapturedPhoto, movie: CapturedMovie? = nil, software: String = "PhotoMe"
  ) {
    self.init(
      date: resolved.date, size: photo.size, cameraName: resolved.camera.name, software: software,
      thumbnail: photo.thumbnail, photoDisplayTime: movie?.photoDisplayTime)
  }
}
