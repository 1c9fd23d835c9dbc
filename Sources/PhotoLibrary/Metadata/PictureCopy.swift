// Copies of pictures with other metadata around the same coded pixels.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import StillCodecs

/// Rewrites a picture's metadata without encoding it again: without movie or location, or as half of an Apple Live Photo.
enum PictureCopy {
  /// The differences between the picture and its copy.
  struct Changes: Sendable, Hashable {
    /// Removes the description of a movie behind it.
    var dropsMovie = false
    /// The length of the movie that will follow it directly, in bytes; `nil` for the same.
    var movieLength: UInt64?
    /// When that movie shows what the picture does, in seconds, where the picture doesn't say it yet.
    var presentationTime: Double?
    /// Removes the index of further pictures, which the copy doesn't have.
    var dropsPictures = false
    /// Keeps only metadata that are known to hold no location, and no texts that name it. Further pictures in the file,
    /// which have metadata of their own, are removed.
    var dropsLocation = false
    /// The names of the place that are known from elsewhere, as from its movie.
    var places = PlaceNames()
    /// Makes it half of an Apple Live Photo: a UUID in capital letters.
    var contentIdentifier: String?
  }

  /// The longest picture that is parsed in memory, in bytes.
  static let largestPicture = StillSource.largestByteCount

  /// The pieces of the copy, without the movie, in order.
  ///
  /// - Parameter end: The offset at which the picture ends, or the further ones that belong to it.
  /// - Throws: `unusableFile` when the changes can't be made; others when the file can't be read.
  static func parts(
    of file: ReadableFile, end: UInt64, _ changes: Changes
  ) throws(PhotoLibraryError) -> [FilePart] {
    if changes == Changes() { return [.file(file, 0..<end)] }
    return try file.parse { file throws(FormatError) in
      if let head = try PictureHead(file as any ByteSource), head.format != .jpeg {
        return try parts(of: file, head, changes)
      }
      guard let head = try JPEGHead(file as any ByteSource),
        head.scanOffset <= min(end, MetadataRewriter.largestHead)
      else { throw .refused(reason: localized("it isn’t a JPEG")) }
      return changes.dropsLocation
        ? try withoutLocation(file, end: end, head, changes) : try keepingAll(file, end: end, head, changes)
    }
  }

  /// The pieces of a picture of another format than JPEG with other metadata, without a movie.
  ///
  /// - Parameter places: The names that are taken out of color profiles where everything else is left out.
  /// - Throws: `FormatError.refused` when the changes can't be made.
  static func pieces(
    of file: ReadableFile, _ format: PhotoFormat, _ metadata: PictureMetadata, naming places: PlaceNames = PlaceNames()
  ) throws(FormatError) -> [FilePart] {
    guard let container = PictureHead.container(of: format) else {
      return try HEIFCopy.pieces(of: file, metadata, naming: places)
    }
    return try container.pieces(of: file, metadata)
  }

  private static func parts(
    of file: ReadableFile, _ head: PictureHead, _ changes: Changes
  ) throws(FormatError) -> [FilePart] {
    let places = changes.dropsLocation ? placeNames(head, known: changes.places) : PlaceNames()
    let old = try packet(head.xmp)
    let new = try changed(old, changes, places, behind: head.format)
    var metadata = PictureMetadata(dropsOthers: changes.dropsLocation)
    // A packet that is too long to be read is not kept either.
    if new.bytes != old.bytes || changes.dropsLocation {
      metadata.xmp = MetadataBlock(new.bytes == XMPPacket.empty ? nil : Data(new.bytes))
    }
    if changes.dropsLocation, let container = PictureHead.container(of: head.format) {
      metadata.profile = try profile(of: file, container, head.format, without: places)
    }
    // GIFs hold no EXIF.
    if changes.dropsLocation || changes.contentIdentifier != nil, head.exif != nil || head.format != .gif {
      metadata.exif = .replaced(try exif(head.exif, changes, places))
    }
    return try pieces(of: file, head.format, metadata, naming: places)
  }

  /// The color profile without texts that tell the place. Always written anew: that of a PNG has a name of its own.
  private static func profile(
    of file: ReadableFile, _ container: any PictureContainer.Type, _ format: PhotoFormat, without places: PlaceNames
  ) throws(FormatError) -> MetadataBlock {
    func cleaned(_ profile: Data?) -> MetadataBlock {
      MetadataBlock(profile.flatMap { places.cleaned(colorProfile: [UInt8]($0)) }.map { Data($0) })
    }
    guard format == .png else { return cleaned(try container.init(file)?.profile) }
    guard file.size <= largestPicture else {
      throw .refused(reason: localized("at \(file.size.localizedByteCount), it’s too large to process"))
    }
    // It is compressed.
    return cleaned(StillCodecs.profile(ofPNG: Data(try read(file, count: file.size))))
  }

  private static func keepingAll(
    _ file: ReadableFile, end: UInt64, _ head: JPEGHead, _ changes: Changes
  ) throws(FormatError) -> [FilePart] {
    var bytes = try read(file, count: head.scanOffset)
    if changes.dropsPictures {
      for segment in try MetadataRewriter.segments(of: bytes).reversed() where segment.kind == .multiPicture {
        bytes.removeSubrange(segment.range)
      }
    }
    let segments = try MetadataRewriter.segments(of: bytes)
    if changes.dropsMovie || changes.movieLength != nil {
      let packet = try packet(head.xmp)
      try MetadataRewriter.check(segments, packet)
      let new = try changed(packet, changes)
      if new.bytes != packet.bytes {
        let payload = new.bytes == XMPPacket.empty ? nil : MetadataRewriter.identifier + new.bytes
        bytes = try MetadataRewriter.replacing(.xmp, in: bytes, segments, with: payload)
      }
    }
    if changes.contentIdentifier != nil {
      let exif = Array("Exif\0\0".utf8) + (try exif(head.exif, changes))
      bytes = try MetadataRewriter.replacing(
        .exif, in: bytes, try MetadataRewriter.segments(of: bytes), with: exif)
    }
    return [.bytes(Data(bytes)), .file(file, head.scanOffset..<end)]
  }

  /// JFIF, EXIF, XMP and color profile, tables and scan, and nothing else.
  private static func withoutLocation(
    _ file: ReadableFile, end: UInt64, _ head: JPEGHead, _ changes: Changes
  ) throws(FormatError) -> [FilePart] {
    guard end <= largestPicture else {
      throw .refused(reason: localized("at \(end.localizedByteCount), it’s too large to process"))
    }
    let bytes = Data(try read(file, count: end))
    let picture: JPEGSegments
    do throws(JPEGStreamError) { picture = try JPEGSegments(parsing: bytes) } catch {
      throw FormatError(error)
    }
    guard changes.movieLength == nil || picture.end == Int(end) else {
      throw .refused(
        reason: localized(
          """
          it contains additional pictures that may include its location; export only its photo or its \
          video
          """))
    }
    let places = placeNames(head, picture, known: changes.places)
    let new = try changed(try packet(head.xmp), changes, places)
    let exif = Data("Exif\0\0".utf8) + (try exif(head.exif, changes, places))
    do throws(JPEGStreamError) {
      var front: [Data] = []
      if let jfif = picture.payload(of: .jfif).flatMap(Self.plain(jfif:)) {
        front.append(try JPEGSegments.segment(marker: JPEGMarker.app0, payload: jfif))
      }
      front.append(try JPEGSegments.segment(marker: JPEGMarker.app1, payload: exif))
      if new.bytes != XMPPacket.empty {
        let payload = Data(MetadataRewriter.identifier + new.bytes)
        front.append(try JPEGSegments.segment(marker: JPEGMarker.app1, payload: payload))
      }
      front += try decoderSettings(picture) + profile(picture, without: places)
      return [.bytes(picture.removing { $0.kind != .tables }.removingLateMetadata().assemble(front: front))]
    } catch {
      throw FormatError(error)
    }
  }

  /// JFIF's block without its thumbnail; `nil` for another block.
  private static func plain(jfif: Data) -> Data? {
    // Identifier, version, unit and density; then the size of the thumbnail.
    guard jfif.count >= 14, jfif.starts(with: "JFIF".utf8) else { return nil }
    return jfif.prefix(12) + [0, 0]
  }

  static func packet(_ xmp: Data?) throws(FormatError) -> XMPPacket {
    try XMPPacket(anyEncoding: xmp.map { [UInt8]($0) } ?? XMPPacket.empty)
  }

  /// - Parameter places: The names of the place outside of the packet.
  static func changed(
    _ packet: XMPPacket, _ changes: Changes, _ places: PlaceNames = PlaceNames(), behind format: PhotoFormat = .jpeg
  ) throws(FormatError) -> XMPPacket {
    var new = packet
    if changes.dropsMovie { try new.removeMovie(keepsPictures: !changes.dropsPictures && !changes.dropsLocation) }
    if changes.dropsLocation { try new.removeLocation(naming: places) }
    guard let length = changes.movieLength else { return new }
    if MotionPhotoDescription(xmp: Data(new.bytes)) == nil {
      // Only a trailer told of it.
      try new.setMovie(
        length: length, presentationTime: changes.presentationTime.map(MotionPhotoDescription.microseconds),
        behind: format)
    } else {
      try new.setMovieLength(length)
    }
    return new
  }

  private static func exif(
    _ exif: Data?, _ changes: Changes, _ places: PlaceNames = PlaceNames()
  ) throws(FormatError) -> Data {
    do throws(PhotoLibraryError) {
      return try MetadataToolkit.exif(
        copying: exif,
        MetadataToolkit.CopyChanges(
          dropsLocation: changes.dropsLocation, places: places, contentIdentifier: changes.contentIdentifier))
    } catch {
      throw .refused(reason: localized("its EXIF metadata can’t be changed"))
    }
  }

  private static func read(_ file: ReadableFile, count: UInt64) throws(FormatError) -> [UInt8] {
    let bytes = try (file as any ByteSource).data(at: 0, count: Int(count))
    guard bytes.count == Int(count) else { throw .refused(reason: localized("it has become shorter")) }
    return [UInt8](bytes)
  }
}
