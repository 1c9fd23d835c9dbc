// Small pictures and a movie of the test camera, for measured and crash-tested libraries.

import CameraCore
import Foundation
import MediaEngine
import MediaFormats

/// Pictures of the test camera at 320 × 180.
struct SmallPictures {
  private let renderer: TestFrameRenderer
  private let decoder: JPEGDecoder
  private let encoder: JPEGEncoder
  private let thumbnailer: JPEGThumbnailer

  init() throws {
    renderer = try TestFrameRenderer(
      format: CameraFormat(
        encoding: .motionJPEG, size: PixelSize(width: 640, height: 360), frameRates: [CameraCommand.rate]),
      rate: CameraCommand.rate)
    decoder = try JPEGDecoder()
    encoder = try JPEGEncoder()
    thumbnailer = try JPEGThumbnailer()
  }

  /// A whole JPEG, no two alike for numbers below 60, and the small picture for its EXIF block.
  func picture(_ number: Int) throws -> (jpeg: Data, thumbnail: Data, size: PixelSize) {
    let frame = try renderer.makeFrame(number: Int64(number))
    let whole = try frame.withUnsafeBytes { try JPEGStream.complete($0) }
    let image = try whole.block.withUnsafeBytes {
      try decoder.decode($0, atLeast: PixelSize(width: 320, height: 180))
    }
    let jpeg: Data = try encoder.encode(image, quality: 75)
    return (jpeg, try jpeg.withUnsafeBytes { try thumbnailer.makeThumbnail($0) }, image.size)
  }
}

/// The movie of a live photo.
enum LiveMovie {
  /// An MP4 in form, whole and without a picture.
  static let empty: Data = {
    func box(_ type: String, _ body: Data) -> Data {
      let size = UInt32(body.count + 8)
      return Data((0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * UInt32($0))) }) + Data(type.utf8) + body
    }
    return box("ftyp", Data("mp42\0\0\0\0mp42isom".utf8)) + box("moov", Data()) + box("mdat", Data(count: 3000))
  }()

  /// Has the camera engine make one of the test camera at its smallest size, without sound.
  ///
  /// - Returns: An MP4 in `folder`.
  static func make(in folder: URL) async throws -> URL {
    let size = PixelSize(width: 640, height: 360)
    let studio = try await Studio(
      folder: folder.appendingPathComponent("studio"),
      camera: CameraConfiguration(cameraID: CameraDevice.testID, size: size, sizeIsExact: true))
    let saved = try await studio.shootLive()
    await studio.close()
    guard let saved else { throw BenchError("The camera engine made no movie for the live photos.") }
    let file = try Data(contentsOf: saved)
    let movie = folder.appendingPathComponent("movie.mp4")
    try file.subdata(in: JPEGSegments(parsing: file).trailer).write(to: movie)
    return movie
  }
}
