// Rendering stills of HEIC, AVIF and PNG files, in their own format or another.

import CameraCore
import Foundation
import Localization
import MediaFormats
import PhotoEffects
import StillCodecs

extension StillRenderer {
  /// Of a raw file the camera's own picture, where it is large enough.
  private func decoded(_ head: PictureHead, needed: PixelSize) throws(PhotoLibraryError) -> DecodedStill {
    let isAdobeRGB = head.preview != nil && head.exif.flatMap { MetadataToolkit.facts(exif: $0) }?.isAdobeRGB == true
    if let preview = try PictureDecoder.preview(
      of: file, head, isAdobeRGB: isAdobeRGB, needed: needed, isKept: true, unless: isCancelled)
    {
      return preview
    }
    return try PictureDecoder.still(
      try file.data(at: 0, count: Int(end)), as: head.format, needed: needed, path: file.path, isKept: true,
      unless: isCancelled)
  }

  /// Decodes a picture that isn't a JPEG, and encodes it in the wanted format.
  ///
  /// - Parameters:
  ///   - target: The size of the copy, upright.
  ///   - format: That of the copy.
  /// - Throws: `unusableFile`, `decoderFailed`, `exportFailed`, or `cancelled`.
  func rendered(
    _ head: PictureHead, to target: PixelSize, as format: PhotoFormat
  ) throws(PhotoLibraryError) -> Rendering {
    let failure = PhotoLibraryError.exportFailed(
      path: file.path, reason: localized("there isn’t enough memory for its picture"))
    let orientation = head.orientation
    let needed = target.turned(orientation: orientation)
    let decoded = try decoded(head, needed: needed)
    try checkCancellation()
    let still = decoded.changed {
      $0.upright(orientation: orientation).averaged(to: target)
    }
    // Over white, as JPEGs and thumbnails are; and with the picture's own colors.
    var (image, straight) = (still.image, still.alpha?.straight(still.image))
    let places = options.dropsLocation ? PictureCopy.placeNames(head, known: places) : PlaceNames()
    var colors = still.colors
    if !format.isHEIF, colors.profile == nil, let conversion = ColorConversion.toScreen(from: colors) {
      // Only HEIF files name colors by numbers.
      (image, straight, colors) = (conversion.converted(image), straight.map(conversion.converted), StillColors())
    }
    if options.dropsLocation {
      colors.profile = colors.profile.flatMap { places.cleaned(colorProfile: [UInt8]($0)) }.map { Data($0) }
    }
    try checkCancellation()
    guard let jpeg = ScaledJPEG.encode(image, quality: Self.quality, hasFullColors: true) else { throw failure }
    let exif = try MetadataToolkit.exif(
      copying: head.exif,
      MetadataToolkit.CopyChanges(
        dropsLocation: options.dropsLocation, places: places,
        picture: (target, try ScaledJPEG.thumbnail(of: jpeg))))
    let packet = packet(head.xmp, places)
    try checkCancellation()
    guard format == .jpeg else {
      let picture = try PictureDecoder.encode(
        straight ?? image, alpha: still.alpha, as: format, colors: colors, path: file.path)
      return Rendering(
        data: try PhotoAssembly.copy(picture, PictureMetadata(exif: .replaced(exif), xmp: MetadataBlock(packet))),
        format: format)
    }
    var profile: [Data] = []
    do throws(JPEGStreamError) {
      profile = try colors.profile.map { data throws(JPEGStreamError) in try PictureCopy.segments(profile: data) } ?? []
    } catch {
      throw .unusableFile(path: file.path, reason: error.description)
    }
    return Rendering(
      data: try PhotoAssembly.assemble(jpeg, exif: Data("Exif\0\0".utf8) + exif, xmp: packet, others: profile),
      format: format, losesTransparency: still.alpha != nil)
  }
}
