// Images of photos, from the EXIF thumbnail, the desktop's thumbnail, or the picture itself.

import CameraCore
import EngineInterface
import Foundation
import Localization
import MediaFormats
import StillCodecs

extension ImageManager {
  /// A thumbnail with another aspect ratio than its picture has black bars or is cropped.
  private static let aspectTolerance = 0.03
  /// Reading a larger PNG takes longer than decoding a JPEG at that size.
  private static let largestThumbnailOfStill = DesktopThumbnails.SizeClass.extraLarge
  /// In pixels. A larger picture is reduced to its thumbnail before it waits to be written: many may wait.
  private static let largestHeld = 1 << 19

  /// The image of a photo. Blocks.
  ///
  /// - Parameter rough: Called with images that are too small, each larger than the one before.
  func still(
    _ asset: Asset, _ upright: PixelSize, _ mode: ImageContentMode, _ options: ImageRequestOptions,
    isCancelled: CancellationFlag, monitor: ReadMonitor? = nil, rough: ImageQueue.Rough
  ) throws -> ImageQueue.Outcome {
    try isCancelled.check()
    let path = asset.url.path
    let file = try ReadableFile(path, disk: disk, monitor: monitor)
    guard let head = try PictureHead(file) else {
      throw PhotoLibraryError.unusableFile(path: path, reason: localized("it isn’t a picture"))
    }
    let facts = head.exif.flatMap { MetadataToolkit.facts(exif: $0, wantsThumbnail: true) } ?? ExifFacts()
    let source = StillSource(
      file: file, head: head, facts: facts, target: upright, mode: mode,
      subject: thumbnails?.subject(path: path, status: file.status))

    // In EXIF's orientation, which a HEIF file need not have.
    let isUsable = head.orientationCounts || facts.orientation == 1
    var own = isUsable ? facts.thumbnail.flatMap { thumbnail($0, source) } : nil
    if let image = own {
      // It has the picture's colors, and mostly no profile of its own.
      let colors = try PictureDecoder.colors(of: head, isAdobeRGB: facts.isAdobeRGB, in: file)
      own = DecodedStill(image: image, colors: colors).onScreen
    }
    if own == nil, let preview = head.preview, preview.size.area < source.needed.area {
      // At once; the raw picture takes a second to be developed.
      let still = try? PictureDecoder.preview(
        of: file, preview, isAdobeRGB: facts.isAdobeRGB, needed: source.needed,
        isKept: options.isKept, unless: isCancelled)
      own = still?.onScreen.upright(orientation: source.orientation)
    }
    if let own, let outcome = answer(own, source, options, rough) { return outcome }
    try isCancelled.check()
    // Another picture may have had a say in that.
    if !options.isKept, let subject = source.subject,
      let shared = thumbnails?.read(subject, of: source.uprightSize, needed: source.uprightNeeded),
      shared.size.area > own?.size.area ?? 0, let outcome = answer(shared, source, options, rough)
    {
      return outcome
    }
    try isCancelled.check()
    let end = head.end ?? asset.movieRange?.lowerBound ?? file.size
    return try decode(source, until: end, own: own, options, isCancelled)
  }

  /// - Returns: `nil` when the image is too small; then it was passed on as a rough one.
  private func answer(
    _ image: DecodedImage, _ source: StillSource, _ options: ImageRequestOptions, _ rough: ImageQueue.Rough
  ) -> ImageQueue.Outcome? {
    if image.covers(source.uprightNeeded) {
      return ImageQueue.Outcome(image: image.reduced(toNeeded: source.uprightNeeded))
    }
    if options.deliveryMode == .fastFormat { return ImageQueue.Outcome(image: image, isRough: true) }
    rough(image)
    return nil
  }

  private func decode(
    _ source: StillSource, until end: UInt64, own: DecodedImage?, _ options: ImageRequestOptions,
    _ isCancelled: CancellationFlag
  ) throws -> ImageQueue.Outcome {
    let path = source.file.path
    // Never noted: the limit is this version's, and no fault of the file.
    guard end <= EngineInterface.StillSource.largestByteCount else {
      throw PhotoLibraryError.unusableFile(
        path: path, reason: localized("at \(end.localizedByteCount), it’s too large to show"))
    }
    // At a thumbnail's size: a file that can't be decoded at that size can't be at any.
    let noting = source.subject.flatMap { subject in
      DesktopThumbnails.SizeClass.covering(source.uprightNeeded, of: source.uprightSize).map { _ in subject }
    }
    if let noting, let reason = thumbnails?.failure(noting) {
      throw PhotoLibraryError.unusableFile(path: path, reason: reason)
    }
    let image: DecodedImage
    do throws(PhotoLibraryError) {
      let preview = try PictureDecoder.preview(
        of: source.file, source.head, isAdobeRGB: source.isAdobeRGB, needed: source.needed,
        isKept: options.isKept, unless: isCancelled)
      let still: DecodedStill
      if let preview {
        still = preview
      } else {
        source.file.monitor?.expect(end)
        let data = try source.file.data(at: 0, count: Int(end))
        source.file.monitor?.takePlace()
        if isCancelled.isSet { throw PhotoLibraryError.cancelled }
        still = try PictureDecoder.decode(
          data, source.head, isAdobeRGB: source.isAdobeRGB, needed: source.needed, path: path,
          isKept: options.isKept, unless: isCancelled)
      }
      image = still.onScreen.upright(orientation: source.orientation)
    } catch {
      if let noting, options.isShared, case .unusableFile(_, let reason) = error {
        thumbnails?.noteFailure(noting, reason: reason)
      }
      throw error
    }
    var outcome = ImageQueue.Outcome(image: image.reduced(toNeeded: source.uprightNeeded))
    let format = source.head.format
    if let thumbnails, options.isShared, let subject = source.subject {
      let picture = source.uprightSize
      // No thumbnail is needed for sizes that the file's own covers.
      let size = DesktopThumbnails.SizeClass.allCases.last { size in
        let pixels = size.size(of: picture)
        return size <= Self.largestThumbnailOfStill && image.covers(pixels) && own?.covers(pixels) != true
      }
      guard let size else { return outcome }
      // An eighth of a large picture still takes much memory.
      let pixels = size.size(of: picture)
      let held =
        outcome.image.covers(pixels)
        ? outcome.image : image.size.area > Self.largestHeld ? image.reduced(toNeeded: pixels) : image
      outcome.afterwards = {
        guard !thumbnails.has(subject, of: picture, size) else { return }
        thumbnails.write(held, of: subject, picture: picture, size, mimeType: format.mimeType)
      }
    }
    return outcome
  }

  /// The embedded thumbnail, upright; `nil` when it is damaged, or has another aspect ratio than the picture.
  private func thumbnail(_ jpeg: Data, _ source: StillSource) -> DecodedImage? {
    let picture = source.head.size
    let aspect = Double(picture.width) / Double(picture.height)
    guard let image = try? ScaledJPEG.decode(jpeg, needed: source.needed, path: source.file.path) else { return nil }
    let own = Double(image.size.width) / Double(image.size.height)
    // One pixel is a large difference for a small picture.
    let tolerance = Self.aspectTolerance + 1 / Double(min(image.size.width, image.size.height))
    return abs(own / aspect - 1) <= tolerance ? image.upright(orientation: source.orientation) : nil
  }
}

/// An open photo, and the requested size.
private struct StillSource {
  let file: ReadableFile
  let head: PictureHead
  /// To be applied to what the decoder gives.
  let orientation: Int
  /// The needed size, turned as the file stores the pixels.
  let needed: PixelSize
  let uprightNeeded: PixelSize
  let uprightSize: PixelSize
  let isAdobeRGB: Bool
  let subject: DesktopThumbnails.Subject?

  init(
    file: ReadableFile, head: PictureHead, facts: ExifFacts, target: PixelSize, mode: ImageContentMode,
    subject: DesktopThumbnails.Subject?
  ) {
    self.file = file
    self.head = head
    (orientation, isAdobeRGB) = (head.orientation(facts), facts.isAdobeRGB)
    self.subject = subject
    uprightSize = head.size.turned(orientation: orientation)
    uprightNeeded = mode.neededSize(of: uprightSize, for: target)
    needed = uprightNeeded.turned(orientation: orientation)
  }
}
