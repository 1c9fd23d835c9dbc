// Decoding, rendering and encoding of single pictures at full size.

import CameraCore
import EngineInterface
import Foundation
import Localization
import PhotoEffects
import StillCodecs

/// The steps of a still through an edit. All of them block.
enum StillCodec {
  /// The JPEG quality of an edited picture, visually lossless.
  static let quality = 95
  /// Chroma at full resolution, since ink has sharp colored edges.
  static let subsampling = JPEGDecoder.Subsampling.yuv444

  /// A picture with the format that its rendering gets.
  struct Still {
    /// The pixels.
    enum Content {
      case image(DecodedImage)
      /// With 16 bits a channel.
      case deep(DeepPixels)
    }

    var content: Content
    /// Of the content, which is over white; `nil` for one that is opaque everywhere.
    var alpha: AlphaPlane?
    var format = PhotoFormat.jpeg
    /// Of another format than JPEG, whose segments the library keeps.
    var colors = StillColors()

    init(_ content: Content, alpha: AlphaPlane?, format: PhotoFormat, colors: StillColors) {
      (self.content, self.alpha, self.format, self.colors) = (content, alpha, format, colors)
    }

    init(image: DecodedImage) { content = .image(image) }
  }

  /// Decodes a picture and turns it upright.
  ///
  /// - Parameter isCancelled: Ends the work when it is set, as far as it is another process's.
  /// - Throws: `EditError.unreadablePicture`, also for a damaged one: what is gray would stay so.
  static func decode(_ source: StillSource, unless isCancelled: CancellationFlag? = nil) throws(EditError) -> Still {
    let name = source.url.lastPathComponent
    let length = source.byteRange.upperBound - source.byteRange.lowerBound
    guard length <= StillSource.largestByteCount else {
      let size = ByteCountFormatStyle(style: .file, locale: .forNumbers).format(Int64(clamping: length))
      throw .unreadablePicture(file: name, reason: localized("the file is too large (\(size))"))
    }
    let picture: Data
    do {
      let file = try FileHandle(forReadingFrom: source.url)
      defer { try? file.close() }
      try file.seek(toOffset: source.byteRange.lowerBound)
      picture = try file.read(upToCount: Int(length)) ?? Data()
    } catch {
      throw .unreadablePicture(file: name, reason: error.localizedDescription)
    }
    guard picture.count == Int(length) else {
      throw .unreadablePicture(file: name, reason: localized("the file is incomplete"))
    }
    do {
      guard source.format == .jpeg else {
        if let deep = try StillCodecs.decodeDeep(picture, as: source.format, isKept: true, unless: isCancelled) {
          let alpha = deep.alpha?.changed { $0.upright(orientation: source.orientation) }
          return Still(
            .deep(deep.pixels.upright(orientation: source.orientation)), alpha: alpha, format: source.format.ofEdits,
            colors: deep.colors)
        }
        let still = try StillCodecs.decode(picture, as: source.format, isKept: true, unless: isCancelled).changed {
          $0.upright(orientation: source.orientation)
        }
        return Still(.image(still.image), alpha: still.alpha, format: source.format.ofEdits, colors: still.colors)
      }
      let decoder = try JPEGDecoder()
      decoder.largestArea = StillCodecs.largestArea
      let image: DecodedImage
      if let inks = try decoder.decodeInks(picture) {
        image = inks
      } else {
        image = try picture.withUnsafeBytes { try decoder.decode($0) }
      }
      if let warning = decoder.warning {
        throw JPEGCodecError(message: localized("the picture is damaged (\(warning))"))
      }
      return Still(image: image.upright(orientation: source.orientation))
    } catch {
      throw .unreadablePicture(file: name, reason: "\(error)")
    }
  }

  /// Renders a picture and encodes it, with more than 8 bits a channel where picture, processor and format have them, and
  /// with its transparent parts where processor and format can.
  ///
  /// - Parameters:
  ///   - processor: `nil` leaves the pixels as they are.
  ///   - threadCount: The number of threads that work on the picture.
  ///   - isCancelled: Checked before the picture is encoded.
  /// - Throws: `EditError.encoding`, `CancellationError`, or what the processor throws.
  static func render(
    _ still: Still, _ processor: (any FrameProcessing)?, time: Double,
    threadCount: Int = ProcessInfo.processInfo.activeProcessorCount, unless isCancelled: CancellationFlag? = nil
  ) throws -> RenderedStill {
    guard let processor else { return try encode(still) }
    let scratch = EffectScratch(threadCount: threadCount)
    var result = still
    let found = try processor.needsMatte ? processor.matte(of: image(of: still.content)) : nil
    var matte = found.map { processor.corrected($0) }
    try isCancelled?.check()
    func apply(_ processor: any FrameProcessing) throws {
      result.content = try content(result.content, processor, time: time, matte, scratch)
    }
    func encoded(_ placed: Matte?) throws -> RenderedStill {
      try isCancelled?.check()
      var rendered = try encode(result)
      // Other kinds aren't of the whole person.
      if processor.matteKind == .person, let found, let placed {
        rendered.mattes = StillMattes(found: found, rendered: placed)
      }
      return rendered
    }
    guard let alpha = still.alpha, still.format != .jpeg, let (geometry, colors) = processor.steps else {
      try apply(processor)
      result.alpha = nil
      var rendered = try encoded(
        matte.map { try processor.placed($0, of: image(of: still.content).size, scratch: scratch) })
      rendered.losesTransparency = still.alpha != nil
      return rendered
    }
    try apply(geometry)
    func place(_ image: DecodedImage) throws -> DecodedImage {
      try geometry.render(image, kind: .still, time: time, fullSize: image.size, scratch: scratch)
    }
    result.alpha = try alpha.changed(place)
    matte = try matte?.changed(place)
    switch result.content {
    case .deep(let pixels): result.content = .deep(result.alpha?.straight(pixels) ?? pixels)
    case .image(let image): result.content = .image(result.alpha?.straight(image) ?? image)
    }
    try apply(colors)
    return try encoded(matte)
  }

  private static func content(
    _ content: Still.Content, _ processor: any FrameProcessing, time: Double, _ matte: Matte?, _ scratch: EffectScratch
  ) throws -> Still.Content {
    if case .deep(let pixels) = content {
      let context = FrameContext(kind: .still, time: time, fullSize: processor.outputSize(for: pixels.size))
      if let rendered = try processor.render(pixels, context: context, scratch: scratch) { return .deep(rendered) }
    }
    let image = image(of: content)
    return .image(
      try processor.render(
        image, kind: .still, time: time, fullSize: image.size, matte: matte, scratch: scratch))
  }

  /// The content with 8 bits a channel.
  private static func image(of content: Still.Content) -> DecodedImage {
    switch content {
    case .deep(let pixels): pixels.narrowed
    case .image(let image): image
    }
  }

  /// - Parameter still: With straight colors where it has an alpha plane.
  private static func encode(_ still: Still) throws -> RenderedStill {
    do {
      if case .deep(let pixels) = still.content,
        let data = try StillCodecs.encode(
          pixels, alpha: still.alpha, as: still.format, colors: still.colors, quality: .edit)
      {
        return RenderedStill(data: data, size: pixels.size)
      }
      let image = image(of: still.content)
      guard still.format == .jpeg else {
        let data = try StillCodecs.encode(
          image, alpha: still.alpha, as: still.format, colors: still.colors, quality: .edit)
        return RenderedStill(data: data, size: image.size)
      }
      let jpeg = try JPEGEncoder().encode(image, quality: quality, subsampling: subsampling) { Data($0) }
      return RenderedStill(data: jpeg, size: image.size)
    } catch {
      throw EditError.encoding(reason: "\(error)")
    }
  }
}
