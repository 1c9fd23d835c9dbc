// The metadata of a new photo.

import CameraCore
import Foundation

/// The properties of a shot that are written into the file's EXIF block and its name.
public struct PhotoMetadata: Sendable, Hashable {
  /// The wall-clock time of the still, to the millisecond.
  public var date: Date
  /// Seconds east of Greenwich; a whole number of minutes, as in EXIF.
  public var utcOffset: Int
  /// The still's size in pixels.
  public var size: PixelSize
  /// The camera's name, for EXIF `Model`; `nil` leaves it out.
  public var cameraName: String?
  /// EXIF `Make`; `nil` leaves it out.
  public var cameraMake: String?
  /// EXIF `Software`, for example `PhotoMe 0.1`.
  public var software: String
  /// A JPEG of at most 160 pixels a side and 48 KiB for the EXIF block; a larger one is left out.
  public var thumbnail: Data?
  /// For a live photo, the presentation time of the still's frame, in seconds from the movie's start.
  public var photoDisplayTime: Double?
  /// The place where it was taken, for EXIF's GPS tags; `nil` leaves them out.
  public var location: GeoLocation?
  /// The id that all pictures of a burst share, for XMP `GCamera:BurstID`: 1 to 64 printable ASCII characters; `nil` for a
  /// picture that is in none.
  public var burstID: String?
  /// Whether it is a sheet of the other pictures of its burst, for XMP `Iptc4xmpExt:DigitalSourceType`.
  public var isSheet = false

  /// - Parameter utcOffset: Rounded to a minute; `nil` takes the current time zone's at `date`.
  public init(
    date: Date, utcOffset: Int? = nil, size: PixelSize, cameraName: String? = nil, cameraMake: String? = nil,
    software: String = "PhotoMe", thumbnail: Data? = nil, photoDisplayTime: Double? = nil,
    location: GeoLocation? = nil, burstID: String? = nil
  ) {
    self.burstID = burstID
    self.date = date
    let offset = utcOffset ?? TimeZone.current.secondsFromGMT(for: date)
    self.utcOffset = Int((Double(offset) / 60).rounded()) * 60
    self.size = size
    self.cameraName = cameraName
    self.cameraMake = cameraMake
    self.software = software
    self.thumbnail = thumbnail
    self.photoDisplayTime = photoDisplayTime
    self.location = location
  }

  /// The metadata of a shot that the engine took.
  public init(
    resolved: ResolvedPhotoSettings, photo: CapturedPhoto, movie: CapturedMovie? = nil, software: String = "PhotoMe",
    location: GeoLocation? = nil, burstID: String? = nil
  ) {
    self.init(
      date: resolved.date, size: photo.size, cameraName: resolved.camera.name, software: software,
      thumbnail: photo.thumbnail, photoDisplayTime: movie?.photoDisplayTime, location: location,
      burstID: burstID)
  }
}
