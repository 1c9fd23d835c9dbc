// Live photos as files: Google's Motion Photo 1.0 written, it and its forerunner MicroVideo read.

import CameraCore
import Foundation

/// The movie behind the picture of a Motion Photo.
///
/// Source: https://developer.android.com/media/platform/motion-photo-format
struct MotionPhoto: Sendable, Hashable {
  /// Where the MP4 lies in the file, to its end.
  var movieRange: Range<UInt64>
  /// In seconds from the movie's start; `nil` when the file leaves it open, or says what no movie can be as long as.
  var presentationTime: Double?

  /// Finds the movie. Nothing that the picture claims is believed: an MP4 must really begin where it is said to.
  ///
  /// - Returns: `nil` for a plain picture, also for one whose length lies.
  init?(_ file: ReadableFile, head: JPEGHead) throws(PhotoLibraryError) {
    guard let xmp = head.xmp, let description = MotionPhotoDescription(xmp: xmp) else { return nil }
    var claims: [(length: UInt64, time: Int64?)] = []
    if description.isMotionPhoto, let length = description.movieLength {
      claims.append((length, description.presentationTime ?? description.microVideoPresentationTime))
    }
    if description.isMicroVideo, let length = description.microVideoOffset {
      claims.append((length, description.microVideoPresentationTime ?? description.presentationTime))
    }
    for claim in claims {
      guard claim.length > 0, claim.length < file.size, file.size - claim.length > head.scanOffset else { continue }
      let start = file.size - claim.length
      guard try MP4Head.begins(in: file, at: start) else { continue }
      movieRange = start..<file.size
      let time = claim.time.map { Double($0) / 1_000_000 }
      presentationTime = time.flatMap { $0 <= MP4Head.longestDuration ? $0 : nil }
      return
    }
    return nil
  }
}

/// Puts new picture files together: our metadata first, then the camera's own tables and scan, byte for byte.
enum PhotoAssembly {
  /// What of the source is not carried over: it is ours to say, or is only true of the source file.
  private static let replaced: Set<JPEGSegments.Kind> = [.jfif, .avi, .exif, .xmp, .extendedXMP, .multiPicture]

  /// JFIF 1.01, 72 pixels an inch as the EXIF block says, no thumbnail.
  private static let jfif = Data([
    0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x01, 0x00, 0x48, 0x00, 0x48, 0x00, 0x00,
  ])

  /// A plain photo from SOI to EOI.
  ///
  /// - Throws: `unusableFile` when the bytes are no whole JPEG.
  static func photo(
    jpeg: Data, metadata: PhotoMetadata, id: Asset.ID
  ) throws(PhotoLibraryError) -> Data {
    let exif = try MetadataToolkit.exif(for: metadata, id: id)
    return try assemble(jpeg, exif: Data("Exif\0\0".utf8) + exif, xmp: nil)
  }

  /// An edited picture from SOI to EOI, with what the picture before it said of itself and the same id.
  ///
  /// - Parameters:
  ///   - jpeg: The rendered picture, upright; `nil` takes the original's, bit for bit.
  ///   - source: The file that it takes the place of.
  ///   - original: The untouched file.
  static func edited(
    _ jpeg: Data?, of source: ReadableFile, original: ReadableFile, id: Asset.ID
  ) throws(PhotoLibraryError) -> Data {
    guard let jpeg else {
      guard let head = try JPEGHead(original) else {
        throw .unusableFile(path: original.path, reason: "it is no whole picture any more")
      }
      let end = try MotionPhoto(original, head: head)?.movieRange.lowerBound ?? original.size
      let picture = try original.data(at: 0, count: Int(clamping: end))
      let exif = try MetadataToolkit.exif(kept: head.exif, id: id)
      return try assemble(picture, exif: Data("Exif\0\0".utf8) + exif, xmp: nil)
    }
    let size: PixelSize
    do throws(JPEGStreamError) { size = try JPEGSegments(parsing: jpeg).size } catch {
      throw .unusableFile(path: "the edited picture", reason: error.description)
    }
    let exif = try MetadataToolkit.exif(
      edited: try JPEGHead(source)?.exif, id: id, size: size, thumbnail: try ScaledJPEG.thumbnail(of: jpeg))
    return try assemble(jpeg, exif: Data("Exif\0\0".utf8) + exif, xmp: nil)
  }

  /// The picture of a live photo from SOI to EOI: the MP4 is to follow it at once.
  ///
  /// - Parameter photo: What `photo` made.
  static func livePhoto(
    photo: Data, movieLength: UInt64, photoDisplayTime: Double?
  ) throws(PhotoLibraryError) -> Data {
    let xmp = try MetadataToolkit.motionPhotoXMP(movieLength: movieLength, photoDisplayTime: photoDisplayTime)
    return try assemble(photo, exif: nil, xmp: Data("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp)
  }

  /// - Parameter exif: With its identifier; `nil` keeps the source's.
  private static func assemble(_ jpeg: Data, exif: Data?, xmp: Data?) throws(PhotoLibraryError) -> Data {
    do throws(JPEGStreamError) {
      let source = try JPEGSegments(parsing: jpeg)
      var front = [try JPEGSegments.segment(marker: JPEGMarker.app0, payload: jfif)]
      if let exif = exif ?? source.payload(of: .exif) {
        front.append(try JPEGSegments.segment(marker: JPEGMarker.app1, payload: exif))
      }
      if let xmp { front.append(try JPEGSegments.segment(marker: JPEGMarker.app1, payload: xmp)) }
      return source.removing(replaced).assemble(front: front)
    } catch {
      throw .unusableFile(path: "the camera's picture", reason: error.description)
    }
  }
}
