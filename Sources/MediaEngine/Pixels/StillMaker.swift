// The still of a shot: the camera's own JPEG, or a new one of a raw frame.

import CameraCore
import Foundation

/// Makes the still and its thumbnail; a few milliseconds, on any thread.
enum StillMaker {
  /// The JPEG of a frame. A Motion JPEG camera's is taken as it is.
  ///
  /// - Throws: `CameraError.pictureFailed`.
  static func jpeg(of frame: CameraFrame) throws(CameraError) -> FrameBlock {
    guard case .raw(let layout) = frame.content else { return frame.block }
    do {
      return try frame.block.withUnsafeBytes { pixels in
        try RawFrameEncoder().encode(
          pixels, layout: layout, as: FrameKeeping.planarLayout(for: layout.name), quality: FrameKeeping.stillQuality)
      }
    } catch {
      throw .pictureFailed(message: "\(error)")
    }
  }

  /// The small JPEG for the strip.
  ///
  /// - Throws: `CameraError.pictureFailed` when the picture can't be decoded.
  static func thumbnail(of jpeg: FrameBlock) throws(CameraError) -> Data {
    do {
      return try jpeg.withUnsafeBytes { try JPEGThumbnailer().makeThumbnail($0) }
    } catch {
      throw .pictureFailed(message: "\(error)")
    }
  }
}
