// The place of a still picture in a file.

import CameraCore
import Foundation

/// A picture inside a file: all of an ordinary photo, the head of a live photo.
public struct StillSource: Sendable, Hashable {
  public var url: URL
  /// The bytes of the picture in the file.
  public var byteRange: Range<UInt64>
  public var format: PhotoFormat
  /// The EXIF orientation, 1…8, that turns the decoded picture upright.
  public var orientation: Int

  /// The longest picture that is read, shown, edited, saved or exported, in bytes. No camera makes one; a crafted file may,
  /// and all of it is in memory while it is decoded. The largest picture that is decoded, 67 megapixels, is shorter at any
  /// quality.
  public static let largestByteCount: UInt64 = 256 << 20

  public init(url: URL, byteRange: Range<UInt64>, format: PhotoFormat = .jpeg, orientation: Int = 1) {
    self.format = format
    self.url = url
    self.byteRange = byteRange
    self.orientation = orientation
  }
}
