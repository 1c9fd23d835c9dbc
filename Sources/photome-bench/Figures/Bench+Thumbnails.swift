// Figures: thumbnails for the strip.

import CameraCore
import Foundation
import MediaEngine
import MediaFormats
import PhotoLibrary

extension Bench {
  /// From a 1080p photo on disk to pixels for the strip, with the small picture in its EXIF block and without.
  func measureThumbnails() async throws -> [Figure] {
    say("Thumbnails of 1080p photos")
    let size = PixelSize(width: 1920, height: 1080)
    let library = try await PhotoLibrary.open(
      at: folder.appendingPathComponent("thumbnails"), index: folder.appendingPathComponent("thumbnails.sqlite"))
    let renderer = try TestFrameRenderer(
      format: CameraFormat(encoding: .motionJPEG, size: size, frameRates: [CameraCommand.rate]),
      rate: CameraCommand.rate)
    let thumbnailer = try JPEGThumbnailer()
    let decoder = try JPEGDecoder()
    var times: (embedded: [Double], decoded: [Double]) = ([], [])
    var floors: (embedded: [Double], decoded: [Double]) = ([], [])
    for number in 0..<(isQuick ? 20 : 60) {
      let frame = try renderer.makeFrame(number: Int64(number))
      let jpeg = Data(copying: try frame.withUnsafeBytes { try JPEGStream.complete($0) }.block)
      let thumbnail = try jpeg.withUnsafeBytes { try thumbnailer.makeThumbnail($0) }
      times.embedded.append(try await time(of: jpeg, thumbnail: thumbnail, size: size, in: library))
      times.decoded.append(try await time(of: jpeg, thumbnail: nil, size: size, in: library))
      floors.embedded.append(try decode(thumbnail, decoder, atLeast: Self.stripPicture))
      floors.decoded.append(try decode(jpeg, decoder, atLeast: Self.stripPicture))
    }
    await library.close()
    func figure(_ name: String, _ times: [Double], _ floors: [Double], goal: Double) -> Figure {
      Figure(
        "thumbnail for the strip from a 1080p JPEG, \(name)", value: times.median, unit: "ms", peer: floors.median,
        peerName: "libjpeg-turbo alone", goal: .atMost(goal),
        note: "\(times.count) photos, at most \(Figure.number(times.max() ?? 0)) ms")
    }
    return [
      figure("embedded", times.embedded, floors.embedded, goal: 1),
      figure("not embedded", times.decoded, floors.decoded, goal: 6),
    ]
  }

  /// The thumbnail request of an item of the strip.
  private static let stripPicture = PixelSize(width: 128, height: 72)

  /// Saves a photo, and asks for its small picture, which no one has asked for before.
  private func time(
    of jpeg: Data, thumbnail: Data?, size: PixelSize, in library: PhotoLibrary
  ) async throws -> Double {
    let metadata = PhotoMetadata(date: Date(), size: size, thumbnail: thumbnail)
    let asset = try await library.createAsset(AssetCreationRequest(photo: jpeg, metadata: metadata))
    let images = ImageManager()
    return try await timed {
      guard try await images.image(for: asset, targetSize: Self.stripPicture) != nil else {
        throw BenchError("There is no picture of \(asset.url.path).")
      }
    }
  }

  private func decode(_ jpeg: Data, _ decoder: JPEGDecoder, atLeast size: PixelSize) throws -> Double {
    let began = ContinuousClock.now
    _ = try jpeg.withUnsafeBytes { try decoder.decode($0, atLeast: size, quality: .fast) }
    return began.milliseconds
  }
}

extension Data {
  fileprivate init(copying block: FrameBlock) { self = block.withUnsafeBytes { Data($0) } }
}
