// Backdrops from files.

import CameraCore
import EngineInterface
import Foundation
import Localization

extension PhotoLibrary {
  /// Keeps the picture or movie of a file as backdrop: a copy in the colors of the screen, of a size that suffices behind
  /// people, without sound, place and other metadata. Of a live photo it is the still.
  ///
  /// - Parameters:
  ///   - file: Anywhere; no hidden picture of the library.
  ///   - reader: Decodes movies.
  ///   - progress: Of a movie, 0…1; called on any thread.
  /// - Returns: The backdrop, and whether the movie is longer than `BackdropMovie.longest` and was cut there.
  /// - Throws: `PhotoLibraryError`, for movies `CameraError`, or `CancellationError`.
  public func keepBackdrop(
    of file: URL, reader: any MovieReader, progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> (backdrop: KeptBackdrop, isCut: Bool) {
    let given = try await look(at: [file])
    guard let asset = given.pictures.first else {
      throw PhotoLibraryError.unusableFile(path: file.path, reason: localized("it isn’t a picture or video"))
    }
    // A copy of it would be seen by everybody who chooses a backdrop.
    guard !asset.isHidden else {
      throw PhotoLibraryError.unusableFile(path: file.path, reason: localized("it’s hidden"))
    }
    let mode = try await Blocking.run { [disk] in
      try FileAttributes(of: ReadableFile(asset.url.path, disk: disk), disk: disk).forCopy.firstMode
    }
    if asset.mediaType == .video {
      guard let range = asset.movieRange else {
        throw PhotoLibraryError.unusableFile(path: file.path, reason: localized("it isn’t a picture or video"))
      }
      let movie = BackdropMovie()
      var isCut = false
      do {
        try await reader.readFrames(
          of: MovieSource(url: asset.url, byteRange: range), fitting: BackdropMovie.size,
          atMost: BackdropMovie.frameRate
        ) { frame in
          try movie.add(frame.image, until: frame.time + frame.duration)
          progress(min(1, max(0, frame.time / min(BackdropMovie.longest, asset.duration ?? BackdropMovie.longest))))
        }
      } catch is BackdropMovie.IsFull {
        isCut = true
      }
      return (try await keepBackdrop(movie, mode: mode), isCut)
    }
    // Nobody needs it a second time, and a person's picture from elsewhere is none of the desktop's thumbnails.
    let images = ImageManager(cacheByteLimit: 0)
    guard let image = try await images.image(for: asset, targetSize: Self.largestBackdrop, isShared: false) else {
      throw PhotoLibraryError.unusableFile(path: file.path, reason: localized("it isn’t a picture or video"))
    }
    return (
      try await keepBackdrop(image.averaged(to: image.size.fitted(into: Self.largestBackdrop)), mode: mode), false
    )
  }
}
