// Images of videos, and the movies of assets.

import CameraCore
import EngineInterface
import Foundation
import Localization

extension ImageManager {
  /// The image of a video: its first frame.
  func firstFrame(
    _ asset: Asset, _ needed: PixelSize, _ options: ImageRequestOptions, _ reader: any MovieReader,
    monitor: ReadMonitor, rough: @escaping ImageQueue.Rough
  ) async throws -> ImageQueue.Outcome {
    let (thumbnails, disk) = (thumbnails, disk)
    let picture = asset.size
    let size = DesktopThumbnails.SizeClass.covering(needed, of: picture)
    let found = try await Blocking.run { () -> FoundMovie in
      let movie = try AssetMovie.opening(asset, disk: disk, monitor: monitor)
      guard let movie, let subject = thumbnails?.subject(path: asset.url.path, status: movie.status) else {
        return FoundMovie(movie: movie?.movie)
      }
      let shared = thumbnails?.read(subject, of: picture, needed: needed)
      if shared?.covers(needed) != true, size != nil, let reason = thumbnails?.failure(subject) {
        throw PhotoLibraryError.unusableFile(path: asset.url.path, reason: reason)
      }
      return FoundMovie(movie: movie.movie, subject: subject, thumbnail: shared)
    }
    guard let movie = found.movie else {
      throw PhotoLibraryError.unusableFile(path: asset.url.path, reason: localized("it contains no video"))
    }
    if let thumbnail = found.thumbnail {
      if thumbnail.covers(needed) { return ImageQueue.Outcome(image: thumbnail.reduced(toNeeded: needed)) }
      if options.deliveryMode == .fastFormat { return ImageQueue.Outcome(image: thumbnail, isRough: true) }
      rough(thumbnail)
    }
    // The decoder decodes whole frames anyway, so one that fits the thumbnail costs no more.
    let isKept = options.isShared && found.subject != nil
    let wanted = isKept ? size?.size(of: picture) ?? needed : needed
    let frame: DecodedImage
    do {
      frame = try await Self.frame(of: movie, at: 0, fitting: wanted, reader, monitor)
    } catch let error as CameraError {
      if isKept, size != nil, let subject = found.subject, case .playbackFailed(_, let message) = error {
        await Blocking.run { thumbnails?.noteFailure(subject, reason: message) }
      }
      throw error
    }
    var outcome = ImageQueue.Outcome(image: frame.reduced(toNeeded: needed))
    if isKept, let thumbnails, let subject = found.subject, let size {
      outcome.afterwards = {
        thumbnails.write(frame, of: subject, picture: picture, size, mimeType: AssetMovie.mimeType(of: asset.url))
      }
    }
    return outcome
  }

  /// Decodes a frame. It is read as it is decoded, and which of the two takes long isn't known: both count as reading.
  static func frame(
    of movie: AssetMovie, at time: Double, fitting size: PixelSize, _ reader: any MovieReader, _ monitor: ReadMonitor
  ) async throws -> DecodedImage {
    monitor.beginReading()
    defer { monitor.endReading() }
    return try await reader.frame(of: movie.source, at: time, fitting: size)
  }

  /// The location of the movie of a live photo or a video, after checking that a movie begins there and ends inside of
  /// the file.
  ///
  /// - Returns: `nil` for an asset without a movie.
  /// - Throws: `PhotoLibraryError`, also when the movie isn't where it should be.
  public func requestMovie(for asset: Asset) async throws -> AssetMovie? {
    try await movie(of: asset, monitor: nil)
  }

  /// - Parameter monitor: Follows the reading.
  func movie(of asset: Asset, monitor: ReadMonitor?) async throws -> AssetMovie? {
    let disk = disk
    return try await Blocking.run { try AssetMovie.opening(asset, disk: disk, monitor: monitor)?.movie }
  }
}

/// The movie of a video's file, and the best of its thumbnails.
private struct FoundMovie: Sendable {
  var movie: AssetMovie?
  var subject: DesktopThumbnails.Subject?
  var thumbnail: DecodedImage?
}
