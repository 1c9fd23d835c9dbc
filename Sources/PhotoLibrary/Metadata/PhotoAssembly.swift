// New picture files: our metadata first, then the camera's own tables and scan.

import CameraCore
import Foundation
import MediaFormats

/// Writes photos, and live photos as Google's Motion Photo 1.0. Tables and scan of a picture are copied byte for byte.
enum PhotoAssembly {
  /// Segments of the source that are replaced by ours, or are true of the source file only.
  private static let replaced: Set<JPEGSegments.Kind> = [.jfif, .avi, .exif, .xmp, .extendedXMP, .multiPicture]

  /// JFIF 1.01, 72 pixels per inch as in the EXIF block, no thumbnail.
  private static let jfif = Data([
    0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x01, 0x00, 0x48, 0x00, 0x48, 0x00, 0x00,
  ])

  /// A plain photo from SOI to EOI.
  ///
  /// - Throws: `unusableFile` when the bytes are not a complete JPEG.
  static func photo(
    jpeg: Data, metadata: PhotoMetadata, id: Asset.ID
  ) throws(PhotoLibraryError) -> Data {
    let exif = try MetadataToolkit.exif(for: metadata, id: id)
    return try assemble(jpeg, exif: Data("Exif\0\0".utf8) + exif, xmp: nil)
  }

  /// An edited picture from SOI to EOI, with the metadata and the id of its predecessor.
  ///
  /// - Parameters:
  ///   - jpeg: The rendered picture, upright; `nil` takes the original's, byte for byte.
  ///   - source: The file that it replaces.
  ///   - original: The unedited file.
  /// - Throws: `unusableFile` when a picture is not complete; others when a file can't be read.
  static func edited(
    _ jpeg: Data?, of source: ReadableFile, original: ReadableFile, id: Asset.ID
  ) throws(PhotoLibraryError) -> Data {
    guard let jpeg else {
      guard let head = try JPEGHead(original) else {
        throw .unusableFile(path: original.path, reason: "it is not a complete picture any more")
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

  /// The picture of a live photo from SOI to EOI; the MP4 has to follow directly.
  ///
  /// - Parameter photo: A result of `photo`.
  /// - Throws: `unusableFile` when it is not a complete JPEG.
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
