// The picture of an edit: new pixels with everything that is still true of what was said about the old ones.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import PhotoEffects
import StillCodecs

/// An edited picture, in the format of the original, or as a JPEG where edits aren't saved in that.
///
/// From the file that it replaces, which other programs may have tagged since the last edit, it takes EXIF with maker
/// notes, the XMP packet, IPTC and comments; from the untouched original the color profile, because the pixels are
/// rendered in the original's own colors. Left out is what would be untrue: previews of the old pixels, gain and depth
/// maps, indexes of further pictures, signatures of the old file (C2PA), further XMP segments, and what makers put into
/// segments of their own. Regions move with the pixels; see `XMPPacket.moveRegions`.
struct EditedPicture {
  var data: Data
  /// From the original's pixels to this picture's, both as stored; `nil` when it isn't known.
  var placement: PicturePlacement?
  /// The reason why the XMP packet was left out, for the end of a sentence; `nil` when nothing was lost.
  var lostPacket: String?
  /// To be attached when everything else is there.
  var gainMap: EditedGainMap?
  /// Whether the file that it replaces has a gain map, which this picture won't have.
  var losesGainMap = false
  /// Whether the file that it replaces may have transparent parts, which are white in this picture.
  var losesTransparency = false

  /// The marker of Photoshop's block.
  private static let photoshopMarker: UInt8 = 0xed
  /// In bytes: the most that one segment holds.
  private static let longestPayload = 65_533

  /// - Parameters:
  ///   - current: The file that it replaces.
  ///   - original: The unedited file, the same for a first edit.
  ///   - before: The placement of the current edit; `nil` when it isn't known, or for a first edit.
  /// - Throws: `unusableFile` when a picture is not complete; others when a file can't be read.
  init(
    _ output: ContentEditingOutput, current: ReadableFile, original: ReadableFile, before: PicturePlacement?,
    id: Asset.ID
  ) throws(PhotoLibraryError) {
    guard let head = try PictureHead(original) else {
      throw .unusableFile(path: original.path, reason: localized("it’s no longer a complete picture"))
    }
    let currentHead = try PictureHead(current)
    let facts = head.exif.flatMap { MetadataToolkit.facts(exif: $0, wantsThumbnail: output.photo == nil) }
    let orientation = head.orientation(facts)
    let picture: Data
    var changes = MetadataToolkit.EditChanges(size: head.size)
    if let rendering = output.photo {
      let photo = try Self.inFormat(of: head, original, rendering, output.photoOrigin)
      picture = photo
      let rendered = try PictureHead(photo, path: localized("The edited photo"))
      guard rendered.format == head.format.ofEdits else {
        throw .unusableFile(
          path: localized("The edited photo"),
          reason: localized("its format isn’t that of the original, \(head.format.ofEdits.name)"))
      }
      changes.size = rendered.size
      changes.thumbnail = try PictureDecoder.thumbnail(of: photo)
      // A raw picture is developed into sRGB.
      if output.photoOrigin != .movie, head.format != .raw { changes.colors = head.exif ?? Data() }
      placement = Self.placement(
        output.photoOrigin, of: head.size.turned(orientation: orientation), orientation, result: changes.size)
    } else {
      let end = try Self.end(of: head, in: original)
      picture = try original.data(at: 0, count: Int(clamping: end))
      changes.orientation = facts?.orientation ?? 1
      changes.thumbnail = facts?.thumbnail
      changes.colors = head.exif ?? Data()
      placement = .same
    }
    // A JPEG is an edit that has lost them before.
    losesTransparency =
      currentHead?.format != .jpeg
      && (output.losesTransparency || Self.losesTransparency(of: head, original, output))
    let exif = try MetadataToolkit.exif(edited: currentHead?.exif, id: id, changes)
    let edited = EditedPacket(
      of: currentHead, original: current.path == original.path ? nil : head, before: before, placement: placement,
      size: changes.size, getsMovie: output.pairedVideo != nil)
    lostPacket = edited.lost
    gainMap = try Self.gainMap(of: head, original, orientation, output)
    if gainMap == nil, let currentHead {
      losesGainMap = try current.parse { file throws(FormatError) in try currentHead.hasGainMap(in: file) }
    }
    guard PhotoAssembly.format(of: picture) == .jpeg else {
      data = try PhotoAssembly.copy(
        picture, PictureMetadata(exif: .replaced(exif), xmp: MetadataBlock(edited.bytes)))
      return
    }
    var others: [Data] = []
    let wantsProfile = output.photo.map { output.photoOrigin != .movie && !Self.hasProfile($0) } ?? false
    if wantsProfile, head.format == .jpeg { others += Self.profile(try Self.segments(of: original, head.jpeg)) }
    others += try Self.texts(of: current, currentHead?.jpeg, isRendered: output.photo != nil)
    data = try PhotoAssembly.assemble(
      picture, exif: Data("Exif\0\0".utf8) + exif, xmp: edited.bytes, others: others,
      removing: { $0.marker == Self.photoshopMarker || $0.kind == .comment })
  }

  /// The offset at which the original's movie begins, or the file ends.
  private static func end(of head: PictureHead, in original: ReadableFile) throws(PhotoLibraryError) -> UInt64 {
    if let known = head.end { return known }
    return try MotionPhoto(original, head: head)?.movieRange.lowerBound ?? original.size
  }

  private static func gainMap(
    of head: PictureHead, _ original: ReadableFile, _ orientation: Int, _ output: ContentEditingOutput
  ) throws(PhotoLibraryError) -> EditedGainMap? {
    guard head.format == .jpeg else { return nil }
    var (geometry, use): (Geometry?, ContentEditingOutput.GainMapUse) = (nil, .kept)
    if output.photo != nil {
      guard case .picture(let moved) = output.photoOrigin else { return nil }
      (geometry, use) = (moved, output.gainMap)
    }
    return try EditedGainMap(
      of: original, upTo: end(of: head, in: original), geometry, orientation: orientation, use)
  }

  /// Whether another program's JPEG stands for a picture with transparent parts.
  private static func losesTransparency(
    of head: PictureHead, _ original: ReadableFile, _ output: ContentEditingOutput
  ) -> Bool {
    guard output.photoOrigin == .changedPicture, head.format != .jpeg, head.format != .raw,
      output.photo.map({ PhotoAssembly.format(of: $0) == .jpeg }) == true,
      let data = try? original.data(at: 0, count: Int(clamping: min(head.end ?? original.size, original.size)))
    else { return false }
    return (try? StillCodecs.decode(data, as: head.format))?.alpha != nil
  }

  /// A rendering in the format of the original: frames of movies and results of extensions are JPEGs.
  private static func inFormat(
    of head: PictureHead, _ original: ReadableFile, _ rendering: Data, _ origin: ContentEditingOutput.PhotoOrigin
  ) throws(PhotoLibraryError) -> Data {
    guard head.format.ofEdits != .jpeg, PhotoAssembly.format(of: rendering) == .jpeg else { return rendering }
    var colors = StillColors()
    if origin != .movie {
      let end = min(head.end ?? original.size, original.size)
      guard end <= StillSource.largestByteCount else {
        throw .unusableFile(
          path: original.path, reason: localized("at \(end.localizedByteCount), it’s too large to edit"))
      }
      colors = try PictureDecoder.keptColors(
        of: try original.data(at: 0, count: Int(end)), as: head.format, path: original.path)
    }
    return try PictureDecoder.picture(ofJPEG: rendering, as: head.format, colors: colors)
  }

  /// - Parameters:
  ///   - size: Of the original, upright.
  ///   - orientation: Of the original as stored.
  private static func placement(
    _ origin: ContentEditingOutput.PhotoOrigin, of size: PixelSize, _ orientation: Int, result: PixelSize
  ) -> PicturePlacement? {
    let upright = PicturePlacement(uprightFrom: orientation)
    switch origin {
    case .picture(let geometry):
      let (start, right, down) = geometry.destination(of: size)
      return upright.then(PicturePlacement(origin: start, right: right, down: down))
    // A program that keeps the size has hardly moved anything.
    case .changedPicture: return result == size ? upright : nil
    // Another moment: who was there may have moved.
    case .movie: return nil
    }
  }

  // MARK: Segments

  private static func segments(of file: ReadableFile, _ head: JPEGHead?) throws(PhotoLibraryError) -> [Segment] {
    guard let head, head.scanOffset <= MetadataRewriter.largestHead else { return [] }
    let bytes = try file.data(at: 0, count: Int(head.scanOffset))
    guard let list = try? MetadataRewriter.segments(of: [UInt8](bytes)) else { return [] }
    return list.map { Segment(marker: $0.marker, kind: $0.kind, payload: bytes[$0.payload]) }
  }

  private struct Segment {
    var marker: UInt8
    var kind: JPEGSegments.Kind
    /// With a start index of its own.
    var payload: Data
    /// With marker and length.
    var whole: Data {
      let length = payload.count + 2
      return Data([0xff, marker, UInt8(length >> 8), UInt8(length & 0xff)]) + payload
    }
  }

  private static func hasProfile(_ jpeg: Data) -> Bool {
    (try? JPEGSegments(parsing: jpeg))?.payload(of: .colorProfile) != nil
  }

  /// The segments of the color profile. One for gray or CMYK is not true of a picture that was rendered in RGB.
  private static func profile(_ segments: [Segment]) -> [Data] {
    let pieces = segments.filter { $0.kind == .colorProfile }
    // The data's color space is at offset 16 of the profile (ICC.1, 7.2.6), behind the identifier and two numbers.
    let isOfColors = pieces.contains { piece in
      piece.payload.dropFirst(12).first == 1 && piece.payload.dropFirst(14 + 16).starts(with: "RGB ".utf8)
    }
    return isOfColors ? pieces.map(\.whole) : []
  }

  /// Photoshop's block, in which IPTC is, and comments.
  private static func texts(
    of file: ReadableFile, _ head: JPEGHead?, isRendered: Bool
  ) throws(PhotoLibraryError) -> [Data] {
    guard let head else { return [] }
    let segments = try segments(of: file, head)
    let photoshop = segments.filter {
      $0.marker == photoshopMarker && $0.payload.starts(with: PhotoshopBlock.identifier)
    }
    var block = photoshop.flatMap { [UInt8]($0.payload.dropFirst(PhotoshopBlock.identifier.count)) }
    if isRendered { block = PhotoshopBlock.withoutPreviews(block) }
    var result: [Data] = []
    let most = longestPayload - PhotoshopBlock.identifier.count
    for start in stride(from: 0, to: block.count, by: most) {
      let piece = PhotoshopBlock.identifier + block[start..<min(block.count, start + most)]
      result.append(Segment(marker: photoshopMarker, kind: .application, payload: Data(piece)).whole)
    }
    return result + segments.filter { $0.kind == .comment }.map(\.whole)
  }
}
