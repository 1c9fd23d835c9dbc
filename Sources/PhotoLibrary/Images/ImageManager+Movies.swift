// What an asset has besides its still: the movie, the live photo as a whole, and the bytes of its file.

import CameraCore
import EngineInterface
import Foundation

extension ImageManager {
  /// A video's picture: its first frame.
  func firstFrame(
    _ asset: Asset, _ needed: PixelSize, _ options: ImageRequestOptions, _ reader: any MovieReader,
    rough: @escaping ImageQueue.Rough
  ) async throws -> ImageQueue.Outcome {
    let (thumbnails, disk) = (thumbnails, disk)
    let picture = asset.size
    let size = DesktopThumbnails.SizeClass.covering(needed, of: picture)
    let found = try await ImageQueue.onThread { () -> FoundMovie in
      let movie = try AssetMovie.opening(asset, disk: disk)
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
      throw PhotoLibraryError.unusableFile(path: asset.url.path, reason: "there is no movie in it")
    }
    if let thumbnail = found.thumbnail {
      if thumbnail.covers(needed) { return ImageQueue.Outcome(image: thumbnail.reduced(toNeeded: needed)) }
      if options.deliveryMode == .fastFormat { return ImageQueue.Outcome(image: thumbnail, isRough: true) }
      rough(thumbnail)
    }
    // The decoder makes whole frames anyway, so one that fits the thumbnail costs no more.
    let isKept = options.isShared && found.subject != nil
    let wanted = isKept ? size?.size(of: picture) ?? needed : needed
    let frame: DecodedImage
    do {
      frame = try await reader.frame(of: movie.source, at: 0, fitting: wanted)
    } catch let error as CameraError {
      if isKept, size != nil, let subject = found.subject, case .playbackFailed(_, let message) = error {
        try await ImageQueue.onThread { thumbnails?.noteFailure(subject, reason: message) }
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

  /// The still and the movie of a live photo, to be shown together.
  ///
  /// - Parameters:
  ///   - targetSize: Of the still, in device pixels.
  ///   - options: The delivery mode doesn't matter: the still is the right one.
  /// - Returns: `nil` for an asset that isn't live.
  /// - Throws: `PhotoLibraryError`, also when the movie isn't where it should be, or `CancellationError`.
  public func requestLivePhoto(
    for asset: Asset, targetSize: PixelSize, contentMode: ImageContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions()
  ) async throws -> LivePhoto? {
    guard asset.isLive, let movie = try await requestMovie(for: asset),
      let still = try await image(
        for: asset, targetSize: targetSize, contentMode: contentMode, priority: options.priority,
        isShared: options.isShared)
    else { return nil }
    return LivePhoto(still: still, size: asset.size, movie: movie, photoDisplayTime: asset.photoDisplayTime)
  }

  /// Where the movie of a live photo or a video lies. That a movie begins there, and ends inside of the file, was checked.
  ///
  /// - Returns: `nil` for an asset without a movie.
  /// - Throws: `PhotoLibraryError`, also when the movie isn't where it should be.
  public func requestMovie(for asset: Asset) async throws -> AssetMovie? {
    let disk = disk
    return try await ImageQueue.onThread { try AssetMovie.opening(asset, disk: disk)?.movie }
  }

  /// The bytes of an asset, in pieces as they are asked for, however large it is.
  ///
  ///     let data = try await images.requestData(for: asset, resource: .file)
  ///     for try await piece in data {
  ///       try output.write(contentsOf: piece.bytes)
  ///       progress.fraction = piece.fractionCompleted
  ///     }
  ///
  /// The file is open from this call on: it may be renamed or removed meanwhile.
  ///
  /// - Returns: `nil` when the asset has no such resource.
  /// - Throws: `PhotoLibraryError`.
  public func requestData(for asset: Asset, resource: AssetResource) async throws -> AssetData? {
    let disk = disk
    return try await ImageQueue.onThread {
      let file = try ReadableFile(asset.url.path, disk: disk)
      switch resource {
      case .file: return AssetData(file: file, range: 0..<file.size)
      case .still:
        guard asset.mediaType == .photo else { return nil }
        let movie = try AssetMovie(checking: asset, in: file)
        return AssetData(file: file, range: 0..<(movie?.byteRange.lowerBound ?? file.size))
      case .movie: return try AssetMovie(checking: asset, in: file).map { AssetData(file: file, range: $0.byteRange) }
      }
    }
  }

  /// Copies the movie of a live photo or a video into a file of its own, for programs that can't read a part of a file.
  ///
  /// A file of that name is replaced when the copy is complete; until then, and when it fails, it stays.
  ///
  /// - Parameter progress: Called with the part that is done, up to 1; any thread.
  /// - Throws: `PhotoLibraryError`, also when the asset has no movie, or `CancellationError`.
  public func copyMovie(
    of asset: Asset, to target: URL, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    guard let data = try await requestData(for: asset, resource: .movie) else {
      throw PhotoLibraryError.unusableFile(path: asset.url.path, reason: "there is no movie in it")
    }
    try await data.write(to: target, progress: progress)
  }
}

/// What a look at a video's file and its thumbnails found.
private struct FoundMovie: Sendable {
  var movie: AssetMovie?
  var subject: DesktopThumbnails.Subject?
  var thumbnail: DecodedImage?
}
