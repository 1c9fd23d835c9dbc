// The still of a shot: the camera's own JPEG, or a new one of a raw frame.

import CameraCore
import Foundation
import Localization

/// Makes the still and its thumbnail; a few milliseconds, on any thread.
enum StillMaker {
  /// The JPEG of a frame, mirrored; see `JPEGMirror`.
  ///
  /// - Throws: `CameraError.pictureFailed`, also for one without its end: once mirrored, nobody could tell.
  static func mirrored(_ jpeg: FrameBlock, of frame: CameraFrame) throws(CameraError) -> FrameBlock {
    guard isWhole(frame) else { throw cut }
    do { return try JPEGMirror.mirrored(jpeg) } catch { throw .pictureFailed(message: "\(error)") }
  }

  /// The JPEG of a frame. A Motion JPEG camera's is taken as it is, unless its look changes something.
  ///
  /// - Throws: `CameraError.pictureFailed`.
  static func jpeg(of frame: CameraFrame, for quality: PhotoQuality = .balanced) throws(CameraError) -> FrameBlock {
    do {
      switch (frame.content, frame.look) {
      case (.jpeg, nil):
        return frame.block
      case (.jpeg, let look?):
        return try recompressed(frame.block, look)
      case (.raw(let layout), let look):
        return try frame.block.withUnsafeBytes { pixels in
          try RawFrameEncoder().encode(
            pixels, layout: layout, as: quality == .speed ? "I420" : FrameKeeping.planarLayout(for: layout.name),
            quality: quality == .speed ? FrameKeeping.fastStillQuality : FrameKeeping.stillQuality, look: look)
        }
      }
    } catch {
      throw .pictureFailed(message: "\(error)")
    }
  }

  private static func recompressed(_ jpeg: FrameBlock, _ look: FrameLook) throws -> FrameBlock {
    let decoder = try JPEGDecoder()
    let (layout, planes) = try jpeg.withUnsafeBytes { try decoder.decodeAnyPlanes($0, quality: .best) }
    // A new JPEG would hide that the picture's end is missing.
    if decoder.isCut { throw JPEGCodecError(message: localized("the camera sent only part of it; try again")) }
    let changed = try LookRenderer().render(planes, layout: layout, look: look, isLimited: false)
    return try JPEGEncoder().encode(planes: changed, layout: layout, quality: FrameKeeping.stillQuality)
  }

  /// The small JPEG for the strip.
  ///
  /// - Throws: `CameraError.pictureFailed` when the picture can't be decoded, or its end is missing.
  static func thumbnail(of jpeg: FrameBlock) throws(CameraError) -> Data {
    let isCut: Bool
    let thumbnail: Data
    do {
      let thumbnailer = try JPEGThumbnailer()
      thumbnail = try jpeg.withUnsafeBytes { try thumbnailer.makeThumbnail($0) }
      isCut = thumbnailer.isCut
    } catch {
      throw .pictureFailed(message: "\(error)")
    }
    if isCut { throw cut }
    return thumbnail
  }

  private static var cut: CameraError {
    .pictureFailed(message: localized("the camera sent only part of it; try again"))
  }

  /// Whether a frame can be decoded up to its end: some milliseconds for a JPEG.
  static func isWhole(_ frame: CameraFrame) -> Bool {
    guard case .jpeg = frame.content, let decoder = try? JPEGDecoder() else { return true }
    return decoder.isWhole(frame.block)
  }
}
