// The movie of a Motion Photo.

import CameraCore
import Foundation

/// The movie behind the picture of a Motion Photo 1.0, or of its predecessor MicroVideo.
///
/// Source: https://developer.android.com/media/platform/motion-photo-format
public struct MotionPhoto: Sendable, Hashable {
  /// The range of the MP4 in the file, up to its end.
  public var movieRange: Range<UInt64>
  /// In seconds from the movie's start; `nil` when the file doesn't state it, or states more than any movie lasts.
  public var presentationTime: Double?

  /// Finds the movie. The picture's claims are untrusted: an MP4 must really begin where it is said to.
  ///
  /// - Parameter head: Of the same file.
  /// - Returns: `nil` for a plain picture, and for one with a false length.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource, head: JPEGHead) throws(FormatError) {
    guard let xmp = head.xmp, let description = MotionPhotoDescription(xmp: xmp) else { return nil }
    var claims: [(length: UInt64, time: Int64?)] = []
    if description.isMotionPhoto, let length = description.movieLength {
      claims.append((length, description.presentationTime ?? description.microVideoPresentationTime))
    }
    if description.isMicroVideo, let length = description.microVideoOffset {
      claims.append((length, description.microVideoPresentationTime ?? description.presentationTime))
    }
    for claim in claims {
      guard claim.length > 0, claim.length < source.count, source.count - claim.length > head.scanOffset else {
        continue
      }
      let start = source.count - claim.length
      guard try MP4Head.begins(in: source, at: start) else { continue }
      movieRange = start..<source.count
      let time = claim.time.map { Double($0) / 1_000_000 }
      presentationTime = time.flatMap { $0 <= MP4Head.longestDuration ? $0 : nil }
      return
    }
    return nil
  }
}
