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
    var image: DecodedImage
    var format = PhotoFormat.jpeg
    /// Of another format than JPEG, whose segments the library keeps.
    var colors = StillColors()
  }

  /// Decodes a picture and turns it upright.
  ///
  /// - Throws: `EditError.unreadablePicture`, also for a damaged one: what is gray would stay so.
  static func decode(_ source: StillSource) throws(EditError) -> Still {
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
        let still = try StillCodecs.decode(picture, as: source.format)
        return Still(
          image: still.image.upright(orientation: source.orientation), format: source.format.ofEdits,
          colors: still.colors)
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

  /// Renders a picture and encodes it.
  ///
  /// - Parameters:
  ///   - processor: `nil` leaves the pixels as they are.
  ///   - threadCount: The number of threads that work on the picture.
  /// - Throws: `EditError.encoding`, or what the processor throws.
  static func render(
    _ still: Still, _ processor: (any FrameProcessing)?, time: Double,
    threadCount: Int = ProcessInfo.processInfo.activeProcessorCount
  ) throws -> RenderedStill {
    let image = still.image
    guard let processor else { return try encode(still) }
    let size = processor.outputSize(for: image.size)
    let context = FrameContext(kind: .still, time: time, fullSize: size)
    let scratch = EffectScratch(threadCount: threadCount)
    let block = try FrameBlock(count: size.area * 4) { memory in
      guard let target = memory.assumingMemoryBound(to: UInt32.self).baseAddress else { return }
      try image.block.withUnsafeBytes { bytes in
        guard let source = bytes.assumingMemoryBound(to: UInt32.self).baseAddress else { return }
        // Processors don't write to a source.
        let view = PixelView(
          pixels: UnsafeMutablePointer(mutating: source), width: image.size.width, height: image.size.height,
          stride: image.stride / 4)
        let result = PixelView(pixels: target, width: size.width, height: size.height, stride: size.width)
        try processor.render(view, into: result, context: context, scratch: scratch)
      }
    }
    var result = still
    result.image = DecodedImage(size: size, stride: size.width * 4, block: block)
    return try encode(result)
  }

  private static func encode(_ still: Still) throws -> RenderedStill {
    let image = still.image
    do {
      guard still.format == .jpeg else {
        let data = try StillCodecs.encode(image, as: still.format, colors: still.colors, quality: .edit)
        return RenderedStill(data: data, size: image.size)
      }
      let jpeg = try JPEGEncoder().encode(image, quality: quality, subsampling: subsampling) { Data($0) }
      return RenderedStill(data: jpeg, size: image.size)
    } catch {
      throw EditError.encoding(reason: "\(error)")
    }
  }
}
