// Encoding animated WebPs with libwebp.

import CWebP
import CameraCore
import EngineInterface
import Foundation
import Localization

/// Encodes a WebP frame by frame.
struct WebPEncoder: AnimationEncoder, ~Copyable {
  private let encoder: OpaquePointer
  private var config = WebPConfig()
  private let size: PixelSize
  /// In milliseconds: the earliest start of the next frame, after that of the last.
  private var next = 0
  private var end = 0

  /// From 0 to 100, as libwebp counts.
  private static let quality: Float = 80
  /// From 0, fast, to 6, small.
  private static let effort: Int32 = 3

  init(size: PixelSize) throws(AnimationFailure) {
    self.size = size
    var options = WebPAnimEncoderOptions()
    // Loops forever by default.
    guard WebPAnimEncoderOptionsInit(&options) != 0, WebPConfigInit(&config) != 0 else {
      throw AnimationFailure(reason: localized("PhotoMe was built for another version of libwebp"))
    }
    config.quality = Self.quality
    config.method = Self.effort
    config.thread_level = 1
    guard let encoder = WebPAnimEncoderNew(Int32(size.width), Int32(size.height), &options) else {
      throw AnimationFailure(reason: localized("a WebP can’t have more than \(16_383) pixels per side"))
    }
    self.encoder = encoder
  }

  deinit { WebPAnimEncoderDelete(encoder) }

  mutating func add(_ frame: MovieFrame) throws(AnimationFailure) {
    guard frame.image.size == size else { throw AnimationFailure(reason: localized("its frames differ in size")) }
    var picture = WebPPicture()
    guard WebPPictureInit(&picture) != 0 else {
      throw AnimationFailure(reason: localized("PhotoMe was built for another version of libwebp"))
    }
    defer { WebPPictureFree(&picture) }
    picture.use_argb = 1
    picture.width = Int32(size.width)
    picture.height = Int32(size.height)
    let isTaken = frame.image.block.withUnsafeBytes { pixels in
      WebPPictureImportBGRX(
        &picture, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(frame.image.stride)) != 0
    }
    let start = max(next, Int((frame.time * 1000).rounded()))
    next = start + 1
    end = max(next, Int(((frame.time + frame.duration) * 1000).rounded()))
    guard isTaken, let stamp = Int32(exactly: start), WebPAnimEncoderAdd(encoder, &picture, stamp, &config) != 0 else {
      throw failure
    }
  }

  mutating func finish() throws(AnimationFailure) -> Data {
    var bytes = WebPData()
    WebPDataInit(&bytes)
    defer { WebPDataClear(&bytes) }
    guard let stamp = Int32(exactly: end), WebPAnimEncoderAdd(encoder, nil, stamp, nil) != 0,
      WebPAnimEncoderAssemble(encoder, &bytes) != 0, let start = bytes.bytes
    else { throw failure }
    return Data(bytes: start, count: bytes.size)
  }

  private var failure: AnimationFailure {
    let reason = WebPAnimEncoderGetError(encoder).map { String(cString: $0) } ?? ""
    return AnimationFailure(
      reason: reason.isEmpty ? localized("there isn’t enough memory") : localized("libwebp reported “\(reason)”"))
  }
}
