// The place of a movie in a file.

import Foundation

/// A movie inside a file: all of a movie file of any format, or the MP4 at the end of a live photo.
public struct MovieSource: Sendable, Hashable {
  public var url: URL
  /// The bytes of the movie in the file.
  public var byteRange: Range<UInt64>

  public init(url: URL, byteRange: Range<UInt64>) {
    self.url = url
    self.byteRange = byteRange
  }
}
