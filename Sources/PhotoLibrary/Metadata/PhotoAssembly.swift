// New picture files: our metadata first, then the camera's own tables and scan.

import CameraCore
import Foundation
import Localization
import Logging
import MediaFormats

/// Writes photos, and live photos as Google's Motion Photo 1.0. Tables and scan of a JPEG, and the coded pictures of other
/// formats, are copied byte for byte.
enum PhotoAssembly {
  private static let logger = Logger(label: "photome.library.metadata")

  /// Segments of the source that are replaced by ours, or are true of the source file only.
  private static let replaced: Set<JPEGSegments.Kind> = [.jfif, .avi, .exif, .xmp, .extendedXMP, .multiPicture]

  /// JFIF 1.01, 72 pixels per inch as in the EXIF block, no thumbnail.
  private static let jfif = Data([
    0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0x01, 0x00, 0x48, 0x00, 0x48, 0x00, 0x00,
  ])

  /// A plain photo with our metadata.
  ///
  /// - Parameter picture: A complete JPEG, HEIC, AVIF or PNG.
  /// - Throws: `unusableFile` when it is none.
  static func photo(
    _ picture: Data, metadata: PhotoMetadata, id: Asset.ID
  ) throws(PhotoLibraryError) -> Data {
    guard let format = format(of: picture), format != .jpeg else {
      return try photo(jpeg: picture, metadata: metadata, id: id)
    }
    let exif = try MetadataToolkit.exif(for: metadata, id: id)
    let xmp = try metadata.burstID.map { id throws(PhotoLibraryError) in
      try MetadataToolkit.burstXMP(id, isSheet: metadata.isSheet)
    }
    return try copy(picture, PictureMetadata(exif: .replaced(exif), xmp: xmp.map { .replaced($0) } ?? .kept))
  }

  /// The format of a picture; `nil` for other bytes.
  static func format(of picture: Data) -> PhotoFormat? {
    (try? PictureHead.format(of: DataSource(picture, name: "picture"))) ?? nil
  }

  /// A picture of another format than JPEG with other metadata.
  ///
  /// - Throws: `unusableFile` when it is none, or the metadata can't be changed.
  static func copy(_ picture: Data, _ change: PictureMetadata) throws(PhotoLibraryError) -> Data {
    let path = localized("The camera’s picture")
    let source = DataSource(picture, name: path)
    do throws(FormatError) {
      guard let container = format(of: picture).flatMap(PictureHead.container) else {
        return try HEIFCopy.pieces(of: source, change).joined()
      }
      return try container.pieces(of: source, change).joined()
    } catch {
      throw PhotoLibraryError(error, path: path)
    }
  }

  /// A plain photo from SOI to EOI.
  ///
  /// - Throws: `unusableFile` when the bytes are not a complete JPEG.
  static func photo(
    jpeg: Data, metadata: PhotoMetadata, id: Asset.ID
  ) throws(PhotoLibraryError) -> Data {
    let exif = try MetadataToolkit.exif(for: metadata, id: id)
    let xmp = try metadata.burstID.map { id throws(PhotoLibraryError) in
      try MetadataToolkit.burstXMP(id, isSheet: metadata.isSheet)
    }
    return try assemble(jpeg, exif: Data("Exif\0\0".utf8) + exif, xmp: xmp)
  }

  /// The picture of a live photo, with the head of the movie's box behind a HEIC or AVIF; the MP4 has to follow directly.
  ///
  /// - Parameter photo: A result of `photo`.
  /// - Throws: `unusableFile` when it is not a complete picture, or of a format without live photos.
  static func livePhoto(
    photo: Data, movieLength: UInt64, photoDisplayTime: Double?
  ) throws(PhotoLibraryError) -> Data {
    let time = photoDisplayTime.map(MotionPhotoDescription.microseconds)
    let format = format(of: photo) ?? .jpeg
    guard format.canBeLive else {
      throw .unusableFile(
        path: localized("The camera’s picture"), reason: localized("the format \(format.name) can’t hold a live photo"))
    }
    let xmp: Data
    if let own = try packet(of: photo, format, movieLength: movieLength, presentationTime: time) {
      xmp = own
    } else {
      xmp = try MetadataToolkit.motionPhotoXMP(movieLength: movieLength, presentationTime: time, behind: format)
    }
    guard format.isHEIF else { return try assemble(photo, exif: nil, xmp: xmp) }
    let head: Data
    do throws(FormatError) { head = try HEIFHead.movieBoxHead(movieLength: movieLength) } catch {
      throw PhotoLibraryError(error, path: localized("The video"))
    }
    return try copy(photo, PictureMetadata(xmp: .replaced(xmp))) + head
  }

  /// The picture's own packet with the description of the movie; `nil` without one, and for one that has a form to
  /// which nothing can be added, or no room. The movie comes first then: without its description it could not be found
  /// again.
  private static func packet(
    of photo: Data, _ format: PhotoFormat, movieLength: UInt64, presentationTime: Int64?
  ) throws(PhotoLibraryError) -> Data? {
    let old: Data?
    if format == .jpeg {
      old = try segments(photo).payload(of: .xmp).map { $0.dropFirst(MetadataRewriter.identifier.count) }
    } else {
      old = try PictureHead(photo, path: localized("The camera’s picture")).xmp
    }
    guard let old else { return nil }
    do throws(FormatError) {
      var packet = try XMPPacket([UInt8](old))
      try packet.setMovie(length: movieLength, presentationTime: presentationTime, behind: format)
      if packet.bytes.count > MetadataRewriter.largestPacket { try packet.removePadding() }
      if packet.bytes.count <= MetadataRewriter.largestPacket { return Data(packet.bytes) }
      logger.notice("The video’s description has no room beside the other metadata, which are left out.")
    } catch {
      logger.notice("The video’s description replaces the other metadata: \(error.reason).")
    }
    return nil
  }

  private static func segments(_ jpeg: Data) throws(PhotoLibraryError) -> JPEGSegments {
    do throws(JPEGStreamError) { return try JPEGSegments(parsing: jpeg) } catch {
      throw .unusableFile(path: localized("The camera’s picture"), reason: error.description)
    }
  }

  /// A picture with other metadata: ours first, then its own tables and scan.
  ///
  /// - Parameters:
  ///   - exif: With its identifier; `nil` keeps the source's.
  ///   - xmp: The packet; `nil` for none.
  ///   - others: Whole segments to follow these.
  ///   - removing: The segments that are left out beside those that are replaced.
  /// - Throws: `unusableFile` when the picture isn't a complete JPEG, or a segment is too long.
  static func assemble(
    _ jpeg: Data, exif: Data?, xmp: Data?, others: [Data] = [],
    removing isUnwanted: (JPEGSegments.Segment) -> Bool = { _ in false }
  ) throws(PhotoLibraryError) -> Data {
    do throws(JPEGStreamError) {
      let source = try JPEGSegments(parsing: jpeg)
      var front = [try JPEGSegments.segment(marker: JPEGMarker.app0, payload: jfif)]
      if let exif = exif ?? source.payload(of: .exif) {
        front.append(try JPEGSegments.segment(marker: JPEGMarker.app1, payload: exif))
      }
      if let xmp {
        front.append(
          try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data(MetadataRewriter.identifier) + xmp))
      }
      return source.removing { replaced.contains($0.kind) || isUnwanted($0) }.assemble(front: front + others)
    } catch {
      throw .unusableFile(path: localized("The camera’s picture"), reason: error.description)
    }
  }
}
