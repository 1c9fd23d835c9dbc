// Decoding, rendering and encoding of single pictures at full size.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects

/// The steps of a still through an edit. All of them block.
enum StillCodec {
  /// The JPEG quality of an edited picture, visually lossless.
  static let quality = 95
  /// Chroma at full resolution, since ink has sharp colored edges.
  static let subsampling = JPEGDecoder.Subsampling.yuv444

  /// Decodes a picture and turns it upright.
  ///
  /// - Throws: `EditError.unreadablePicture`, also for a damaged one: what is gray would stay so.
  static func decode(_ source: StillSource) throws(EditError) -> DecodedImage {
    let name = source.url.lastPathComponent
    let length = source.byteRange.upperBound - source.byteRange.lowerBound
    guard length <= StillSource.largestByteCount else {
      throw .unreadablePicture(file: name, reason: "its \(length >> 20) MiB are too many")
    }
    let jpeg: Data
    do {
      let file = try FileHandle(forReadingFrom: source.url)
      defer { try? file.close() }
      try file.seek(toOffset: source.byteRange.lowerBound)
      jpeg = try file.read(upToCount: Int(length)) ?? Data()
    } catch {
      throw .unreadablePicture(file: name, reason: error.localizedDescription)
    }
    guard jpeg.count == Int(length) else { throw .unreadablePicture(file: name, reason: "it is cut short") }
    do {
      let decoder = try JPEGDecoder()
      let image = try jpeg.withUnsafeBytes { try decoder.decode($0) }
      if let warning = decoder.warning {
        throw JPEGCodecError(message: "it is damaged (\(warning))")
      }
      return image.upright(orientation: source.orientation)
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
    _ image: DecodedImage, _ processor: (any FrameProcessing)?, time: Double,
    threadCount: Int = ProcessInfo.processInfo.activeProcessorCount
  ) throws -> RenderedStill {
    guard let processor else { return try encode(image) }
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
    return try encode(DecodedImage(size: size, stride: size.width * 4, block: block))
  }

  private static func encode(_ image: DecodedImage) throws -> RenderedStill {
    do {
      let jpeg = try JPEGEncoder().encode(image, quality: quality, subsampling: subsampling) { Data($0) }
      return RenderedStill(jpeg: jpeg, size: image.size)
    } catch {
      throw EditError.encoding(reason: "\(error)")
    }
  }
}
