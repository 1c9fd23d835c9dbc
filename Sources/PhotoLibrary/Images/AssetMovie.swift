// The movie of a live photo or a video, as a range of its file.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats

/// The location of the movie of a live photo or a video.
public struct AssetMovie: Sendable, Hashable {
  /// The file that contains it.
  public let url: URL
  /// The tail of a live photo's file, all of a video's.
  public let byteRange: Range<UInt64>
  /// In seconds; `nil` when it is unknown.
  public let duration: Double?

  /// As the engine's readers and players take it.
  public var source: MovieSource { MovieSource(url: url, byteRange: byteRange) }

  /// - Parameter file: At `Asset.movieURL`.
  /// - Returns: `nil` for an asset without a movie.
  /// - Throws: `unusableFile` when no movie begins at the range, or the range exceeds the file; or the error of the
  ///   disk.
  init?(checking asset: Asset, in file: ReadableFile) throws(PhotoLibraryError) {
    guard let range = asset.movieRange else { return nil }
    guard !range.isEmpty, range.upperBound <= file.size, try Self.begins(in: file, at: range.lowerBound) else {
      throw .unusableFile(
        path: file.path,
        reason: localized("its video isn’t where it should be; another app may have changed the file"))
    }
    url = asset.movieURL
    byteRange = range
    duration = asset.duration
  }

  /// Whether a movie begins at an offset: of any format in a file of its own, an MP4 behind a picture.
  private static func begins(in file: ReadableFile, at offset: UInt64) throws(PhotoLibraryError) -> Bool {
    if offset == 0 { return try MovieHead.format(of: file) != nil }
    return try MP4Head.begins(in: file, at: offset)
  }

  /// The same, with the status of the file.
  static func opening(
    _ asset: Asset, disk: Disk, monitor: ReadMonitor? = nil
  ) throws(PhotoLibraryError) -> (movie: AssetMovie, status: Disk.Status)? {
    guard asset.movieRange != nil else { return nil }
    let file = try ReadableFile(asset.movieURL.path, disk: disk, monitor: monitor)
    return try AssetMovie(checking: asset, in: file).map { ($0, file.status) }
  }

  static func mimeType(of url: URL) -> String {
    (MovieFormat(fileExtension: url.pathExtension) ?? .mp4).mimeType
  }
}
