// Rendering a still for an export: smaller, or in another format, with its metadata.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import StillCodecs

/// Decodes a still and encodes it again.
struct StillRenderer {
  let file: ReadableFile
  /// The end of the picture.
  let end: UInt64
  let options: ExportOptions
  /// The names of the place that are known from elsewhere, as from its movie.
  let places: PlaceNames
  /// Ends the work with `cancelled` when it is set.
  let isCancelled: CancellationFlag

  /// A still that was decoded and encoded again.
  struct Rendering {
    var data: Data
    var format: PhotoFormat
    /// Whether parts are white that are transparent in the file.
    var losesTransparency = false
  }

  /// The highest quality that is visible, with 4:4:4 chroma: the copy is for viewing, not for editing.
  static let quality: Int32 = 92
  /// In bytes; a JPEG that is longer isn't decoded.
  private static let largestFile = StillSource.largestByteCount

  init(
    _ file: ReadableFile, end: UInt64, _ options: ExportOptions, places: PlaceNames,
    unless isCancelled: CancellationFlag
  ) {
    (self.file, self.end, self.options, self.places) = (file, end, options, places)
    self.isCancelled = isCancelled
  }

  /// - Throws: `cancelled`.
  func checkCancellation() throws(PhotoLibraryError) {
    if isCancelled.isSet { throw .cancelled }
  }

  /// - Returns: `nil` when the file's own picture can be used.
  /// - Throws: `unusableFile`, `decoderFailed`, `exportFailed`, or `cancelled`.
  func rendered() throws(PhotoLibraryError) -> Rendering? {
    let isRaw = FileFacts.Kind(name: Disk.name(of: file.path)) == .picture(.raw)
    guard options.longestSide != nil || options.stillFormat != .own || isRaw else { return nil }
    guard let head = try PictureHead(file) else {
      throw .unusableFile(path: file.path, reason: localized("it isn’t a picture"))
    }
    let format: PhotoFormat =
      switch options.stillFormat {
      case .own: head.format.ofEdits
      case .jpeg: .jpeg
      case .png: .png
      }
    let orientation = head.orientation
    let upright = head.size.turned(orientation: orientation)
    let side = options.longestSide ?? max(upright.width, upright.height)
    let target = ImageContentMode.aspectFit.neededSize(of: upright, for: PixelSize(width: side, height: side))
    if target == upright, head.format != .raw, options.stillFormat == .own || format == head.format { return nil }
    guard end <= Self.largestFile else {
      throw .unusableFile(path: file.path, reason: localized("at \(end.localizedByteCount), it’s too large to decode"))
    }
    guard let jpeg = head.jpeg else { return try rendered(head, to: target, as: format) }
    let data = try rendered(jpeg, to: target, orientation, as: format)
    guard format == .jpeg, let matte = try matte(orientation: orientation, atMost: target) else {
      return Rendering(data: data, format: format)
    }
    return Rendering(data: try FurtherPictures(matte: matte).attached(to: data).picture, format: format)
  }

  /// The matte behind the JPEG, as the copy has it.
  ///
  /// - Returns: `nil` for none, also for one that is damaged: the picture is worth more.
  private func matte(orientation: Int, atMost target: PixelSize) throws(PhotoLibraryError) -> Matte? {
    let found = try file.parse { file throws(FormatError) in try JPEGPortraitMatte(file, upTo: end) }
    guard let range = found?.range, range.count <= Self.largestFile else { return nil }
    let jpeg = try file.data(at: range.lowerBound, count: range.count)
    do {
      let size = try JPEGSegments(parsing: jpeg).size
      let image = try ScaledJPEG.decode(jpeg, needed: size, isWhole: true, path: file.path, unless: isCancelled)
        .upright(orientation: orientation)
      return Matte(gray: image.size.width > target.width ? image.averaged(to: target) : image)
    } catch {
      try checkCancellation()
      return nil
    }
  }

  private func rendered(
    _ head: JPEGHead, to target: PixelSize, _ orientation: Int, as format: PhotoFormat
  ) throws(PhotoLibraryError) -> Data {
    let jpeg = try file.data(at: 0, count: Int(end))
    let needed = target.turned(orientation: orientation)
    let decoded = try ScaledJPEG.decode(jpeg, needed: needed, path: file.path, unless: isCancelled)
    try checkCancellation()
    let image = decoded.upright(orientation: orientation).averaged(to: target)
    let failure = PhotoLibraryError.exportFailed(
      path: file.path, reason: localized("there isn’t enough memory for its picture"))
    guard let encoded = ScaledJPEG.encode(image, quality: Self.quality, hasFullColors: true) else { throw failure }
    try checkCancellation()
    let source: JPEGSegments
    do throws(JPEGStreamError) { source = try JPEGSegments(parsing: jpeg) } catch {
      throw .unusableFile(path: file.path, reason: error.description)
    }
    let places = options.dropsLocation ? PictureCopy.placeNames(head, source, known: places) : PlaceNames()
    let exif = try MetadataToolkit.exif(
      copying: head.exif,
      MetadataToolkit.CopyChanges(
        dropsLocation: options.dropsLocation, places: places,
        picture: (target, try ScaledJPEG.thumbnail(of: encoded))))
    do throws(JPEGStreamError) {
      if format == .png {
        var profile = PictureCopy.profile(source).flatMap(StillColors.profileOfColors)
        if options.dropsLocation {
          profile = profile.flatMap { places.cleaned(colorProfile: [UInt8]($0)) }.map { Data($0) }
        }
        guard let png = PNGEncoder.encode(image, exif: exif, colorProfile: profile) else { throw .damaged(offset: 0) }
        return png
      }
      let picture = try JPEGSegments(parsing: encoded)
      var front = [picture.payload(of: .jfif)].compactMap { $0 }
      front = front.isEmpty ? [] : [try JPEGSegments.segment(marker: JPEGMarker.app0, payload: front[0])]
      front.append(try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data("Exif\0\0".utf8) + exif))
      if let packet = packet(head.xmp, places) {
        front.append(
          try JPEGSegments.segment(marker: JPEGMarker.app1, payload: Data(MetadataRewriter.identifier) + packet))
      }
      // The color profile stays.
      front += try PictureCopy.profile(source, without: options.dropsLocation ? places : nil)
      return picture.removing([.jfif]).assemble(front: front)
    } catch {
      throw .unusableFile(path: file.path, reason: error.description)
    }
  }

  /// The part of the XMP packet that is kept; `nil` for none, also when it can't be read.
  func packet(_ xmp: Data?, _ places: PlaceNames) -> Data? {
    var changes = PictureCopy.Changes(dropsMovie: true, dropsPictures: true)
    changes.dropsLocation = options.dropsLocation
    do throws(FormatError) {
      var packet = try PictureCopy.changed(try PictureCopy.packet(xmp), changes, places)
      try packet.removePixelProperties()
      // Other formats have room for any padding.
      if packet.bytes.count > MetadataRewriter.largestPacket { try packet.removePadding() }
      return packet.bytes == XMPPacket.empty ? nil : Data(packet.bytes)
    } catch {
      return nil
    }
  }
}
