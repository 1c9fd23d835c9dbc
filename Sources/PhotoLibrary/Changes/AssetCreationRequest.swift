// What is asked of the library inside `performChanges`.

import CameraCore
import Foundation

/// A still that is already durable, though not yet under its final name.
///
/// It lies in the library's hidden folder until it is committed by an `AssetCreationRequest`, with its movie or without.
/// When the program ends before that, the next start saves it as a plain photo.
public struct StagedPhoto: Sendable, Hashable {
  /// The id that the asset will have.
  public let id: Asset.ID
  /// Where it waits.
  let path: String
  /// What it holds: a folder that is removed while the movie rolls takes nothing with it.
  let jpeg: Data
  let metadata: PhotoMetadata
}

/// Adds one photo, or one live photo, to the library.
public struct AssetCreationRequest: Sendable {
  enum Still: Sendable {
    case jpeg(Data, PhotoMetadata)
    case staged(StagedPhoto)
    /// Kept byte for byte, with its name and its dates.
    case file(URL)
  }

  /// The id that the asset gets; `nil` gives each asset that is made of this request a new one.
  public let id: Asset.ID?
  let still: Still
  /// The movie of a live photo: an MP4 on the library's file system or any other.
  public var pairedVideo: URL?
  /// Whether the movie's file goes away once it is part of the photo.
  public var shouldMoveFile: Bool
  /// When the still's frame is shown, in seconds from the movie's start; `nil` takes the metadata's.
  public var photoDisplayTime: Double?

  /// - Parameters:
  ///   - id: From `Asset.makeID`, when it must be known before the asset is.
  ///   - photo: A JPEG from SOI to EOI; its tables and scan data are kept byte for byte.
  ///   - pairedVideo: Makes it a live photo.
  public init(
    id: Asset.ID? = nil, photo: Data, metadata: PhotoMetadata, pairedVideo: URL? = nil,
    photoDisplayTime: Double? = nil, shouldMoveFile: Bool = true
  ) {
    self.id = id
    still = .jpeg(photo, metadata)
    self.pairedVideo = pairedVideo
    self.photoDisplayTime = photoDisplayTime
    self.shouldMoveFile = shouldMoveFile
  }

  /// Takes a picture or a movie over as it is: its bytes, its name and its dates stay.
  ///
  /// - Parameters:
  ///   - file: A JPEG, a Motion Photo or a movie. Its id is the one that it says itself, or a digest.
  ///   - shouldMoveFile: Whether the file goes away once it is in the library.
  public init(file: URL, shouldMoveFile: Bool = false) {
    id = nil
    still = .file(file)
    self.shouldMoveFile = shouldMoveFile
  }

  /// Commits a still that was staged: with its movie, or alone when there is none.
  public init(
    staged: StagedPhoto, pairedVideo: URL? = nil, photoDisplayTime: Double? = nil, shouldMoveFile: Bool = true
  ) {
    id = staged.id
    still = .staged(staged)
    self.pairedVideo = pairedVideo
    self.photoDisplayTime = photoDisplayTime
    self.shouldMoveFile = shouldMoveFile
  }

  /// With a staged still and the engine's movie.
  public init(staged: StagedPhoto, movie: CapturedMovie) {
    self.init(staged: staged, pairedVideo: movie.url, photoDisplayTime: movie.photoDisplayTime)
  }

  /// Of a shot; `nil` for a file that is taken over as it is.
  var metadata: PhotoMetadata? {
    var metadata: PhotoMetadata?
    switch still {
    case .jpeg(_, let given): metadata = given
    case .staged(let staged): metadata = staged.metadata
    case .file: break
    }
    if let photoDisplayTime { metadata?.photoDisplayTime = photoDisplayTime }
    return metadata
  }
}
