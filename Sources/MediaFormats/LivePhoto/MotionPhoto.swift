// The movie of a Motion Photo.

import CameraCore
import Foundation

/// The movie behind the picture of a Motion Photo 1.0 (JPEG, HEIC or AVIF), of its predecessor MicroVideo, or in Samsung's trailer.
///
/// Source: https://developer.android.com/media/platform/motion-photo-format
public struct MotionPhoto: Sendable, Hashable {
  /// The range of the MP4 in the file: up to its end, or within Samsung's trailer.
  public var movieRange: Range<UInt64>
  /// In seconds from the movie's start; `nil` when the file doesn't state it, or states more than any movie lasts.
  public var presentationTime: Double?

  /// Finds the movie. The picture's claims are untrusted: an MP4 must really begin where it is said to.
  ///
  /// Samsung's phones state in XMP a length from the movie to the end of the file, which the trailer's directory follows,
  /// or none. So the trailer counts more than XMP.
  ///
  /// - Parameter head: Of the same file.
  /// - Returns: `nil` for a plain picture, and for one with a false length.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource, head: JPEGHead) throws(FormatError) {
    let description = head.xmp.flatMap { MotionPhotoDescription(xmp: $0) }
    if description != nil || Self.mayHaveTrailer(head),
      let trailer = try SamsungTrailer(source, from: head.scanOffset),
      let range = try trailer.movieRange(in: source)
    {
      movieRange = range
      setTime(description?.presentationTime ?? description?.microVideoPresentationTime)
      return
    }
    guard let description else { return nil }
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
      setTime(claim.time)
      return
    }
    return nil
  }

  /// Finds the movie of a picture of any format: in the box `mpvd` of a HEIF file, as above for a JPEG.
  ///
  /// - Returns: `nil` for a plain picture.
  /// - Throws: `FormatError.read`.
  public init?(_ source: any ByteSource, head: PictureHead) throws(FormatError) {
    if let jpeg = head.jpeg {
      try self.init(source, head: jpeg)
      return
    }
    guard let movie = head.movie else { return nil }
    self.init(movieRange: movie)
    let description = head.xmp.flatMap { MotionPhotoDescription(xmp: $0) }
    setTime(description?.presentationTime ?? description?.microVideoPresentationTime)
  }

  private init(movieRange: Range<UInt64>) { self.movieRange = movieRange }

  private mutating func setTime(_ microseconds: Int64?) {
    let time = microseconds.map { Double($0) / 1_000_000 }
    presentationTime = time.flatMap { $0 <= MP4Head.longestDuration ? $0 : nil }
  }

  /// Whether the picture was taken by a Samsung, or nobody knows: the others need no look at the end of the file, which
  /// may be a far way on the disk.
  private static func mayHaveTrailer(_ head: JPEGHead) -> Bool {
    guard let exif = head.exif else { return true }
    return ["samsung", "SAMSUNG", "Samsung"].contains { exif.range(of: Data($0.utf8)) != nil }
  }
}
