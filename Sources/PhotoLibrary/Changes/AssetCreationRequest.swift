// The request to add an asset.

import CameraCore
import Foundation

/// A still that is durable, though not yet under its final name.
///
/// It stays in the library's hidden folder until an `AssetCreationRequest` commits it, with its movie or without. If
/// the program ends before that, the next start saves it as a plain photo.
public struct StagedPhoto: Sendable, Hashable {
  /// The id that the asset will have.
  public let id: Asset.ID
  /// The path of the staged file.
  let path: String
  /// The contents of the file: if the folder is removed while the movie is recorded, nothing is lost.
  let picture: Data
  let metadata: PhotoMetadata
  /// The DNG of the same shot; `nil` without one.
  var raw: Raw?

  /// A staged DNG.
  struct Raw: Sendable, Hashable {
    var path: String
    var data: Data
  }
}

/// A request to add one photo, live photo or movie to the library.
public struct AssetCreationRequest: Sendable {
  enum Still: Sendable {
    /// A complete picture without our metadata.
    case picture(Data, PhotoMetadata)
    case staged(StagedPhoto)
    /// Copied byte for byte, with its name and its dates.
    case file(URL)
  }

  /// The id that the asset gets; `nil` for a new one.
  public let id: Asset.ID?
  let still: Still
  /// The movie of a live photo: an MP4 on the library's file system or any other.
  public var pairedVideo: URL?
  /// The same shot as the sensor has it, to be saved as a DNG beside the picture; `nil` for none. Of a staged still, the
  /// one that was staged with it is taken.
  public var rawFrame: BayerFrame?
  /// The DNG that goes with an imported picture; `nil` for none.
  var rawFile: URL?
  /// The other files of an imported picture: see `FilePairs`. They get its base name.
  var parts: [URL] = []
  /// A file of the library that belongs to an imported one, which gets its base name and its folder; `nil` for none.
  var neighbor: URL?
  /// Whether the source file is removed once it is part of the library.
  public var shouldMoveFile: Bool
  /// The presentation time of the still's frame, in seconds from the movie's start; `nil` takes the metadata's.
  public var photoDisplayTime: Double?

  /// - Parameters:
  ///   - id: From `Asset.makeID`, if it must be known in advance.
  ///   - photo: A complete JPEG, HEIC, AVIF or PNG; its coded pixels are kept byte for byte.
  ///   - pairedVideo: The movie of a live photo.
  public init(
    id: Asset.ID? = nil, photo: Data, metadata: PhotoMetadata, pairedVideo: URL? = nil,
    photoDisplayTime: Double? = nil, shouldMoveFile: Bool = true
  ) {
    self.id = id
    still = .picture(photo, metadata)
    self.pairedVideo = pairedVideo
    self.photoDisplayTime = photoDisplayTime
    self.shouldMoveFile = shouldMoveFile
  }

  /// Imports a picture or a movie unchanged, with its name and its dates.
  ///
  /// - Parameters:
  ///   - file: A picture, a Motion Photo or a movie. Its id is the one in its metadata, or a digest.
  ///   - shouldMoveFile: Whether the file is removed once it is in the library.
  public init(file: URL, shouldMoveFile: Bool = false) {
    id = nil
    still = .file(file)
    self.shouldMoveFile = shouldMoveFile
  }

  /// Commits a staged still, with its movie or without.
  public init(
    staged: StagedPhoto, pairedVideo: URL? = nil, photoDisplayTime: Double? = nil, shouldMoveFile: Bool = true
  ) {
    id = staged.id
    still = .staged(staged)
    self.pairedVideo = pairedVideo
    self.photoDisplayTime = photoDisplayTime
    self.shouldMoveFile = shouldMoveFile
  }

  /// Commits a staged still with the engine's movie.
  public init(staged: StagedPhoto, movie: CapturedMovie) {
    self.init(staged: staged, pairedVideo: movie.url, photoDisplayTime: movie.photoDisplayTime)
  }

  /// Whether it makes two files of one name.
  var savesRaw: Bool {
    if case .staged(let photo) = still { photo.raw != nil } else { rawFrame != nil || rawFile != nil || !parts.isEmpty }
  }

  /// The metadata of a shot; `nil` for a file that is imported unchanged.
  var metadata: PhotoMetadata? {
    var metadata: PhotoMetadata?
    switch still {
    case .picture(_, let given): metadata = given
    case .staged(let staged): metadata = staged.metadata
    case .file: break
    }
    if let photoDisplayTime { metadata?.photoDisplayTime = photoDisplayTime }
    return metadata
  }
}
