// The place of a movie in a file.

import Foundation

/// An MP4 or QuickTime movie inside a file: all of a movie file, the tail of a live photo.
public struct MovieSource: Sendable, Hashable {
  public var url: URL
  /// The bytes of the movie in the file.
  public var byteRange: Range<UInt64>

  public init(url: URL, byteRange: Range<UInt64>) {
    self.url = url
    self.byteRange = byteRange
  }
}
