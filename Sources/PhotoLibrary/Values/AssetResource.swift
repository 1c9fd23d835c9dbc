// One of the files, or parts of files, that an asset is made of.

import Foundation

/// A resource of an asset, as `PhotoLibrary.resources(of:)` lists them.
public struct AssetResource: Sendable, Hashable {
  /// The role of a resource.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The picture as it is now.
    case photo
    /// The movie as it is now.
    case video
    /// The movie of a live photo, as it is now.
    case pairedVideo = "paired-video"
    /// The same shot as the sensor has it.
    case rawPhoto = "raw-photo"
    /// The untouched original of an edited picture.
    case originalPhoto = "original-photo"
    /// The untouched original of an edited movie.
    case originalVideo = "original-video"
    /// The untouched movie of an edited live photo.
    case originalPairedVideo = "original-paired-video"
    /// The matte of the people in the original, where the edit needs one.
    case matte
    /// The settings of the edit, in the library's record.
    case adjustment
  }

  public var kind: Kind
  /// The file that contains it.
  public var url: URL
  /// Its place in that file, in bytes.
  public var byteRange: Range<UInt64>
  /// The name under which it would be exported: without the library's own marks.
  public var name: String
}
