// Single files as assets, and checks of their images.

import CameraCore
import EngineInterface
import Foundation
import Synchronization
import Testing

@testable import PhotoLibrary

extension Scratch {
  var thumbnails: URL { url.appendingPathComponent("cache/thumbnails", isDirectory: true) }

  /// Writes a file into the library's folder, and returns its asset.
  func asset(_ data: Data, _ name: String = "a.jpg") async throws -> Asset {
    try put(data, name)
    let library = try await library()
    try await library.refresh()
    let asset = try await library.fetchAssets().first { $0.url.lastPathComponent == name }
    await library.close()
    return try #require(asset)
  }

  /// The files in the thumbnail cache, relative to it.
  func thumbnailFiles() -> [String] {
    let all = FileManager.default.enumerator(atPath: thumbnails.path)?.compactMap { $0 as? String } ?? []
    return all.filter {
      (try? FileManager.default.attributesOfItem(atPath: thumbnails.path + "/" + $0)[.type])
        as? FileAttributeType == .typeRegular
    }.sorted()
  }
}

extension DecodedImage {
  /// The color of a pixel.
  func pixel(_ x: Int, _ y: Int) -> (red: UInt8, green: UInt8, blue: UInt8) {
    block.withUnsafeBytes { bytes in
      let at = y * stride + x * 4
      return (bytes[at + 2], bytes[at + 1], bytes[at])
    }
  }

  /// Whether the red corner of the samples is at this corner.
  func isRed(right: Bool, bottom: Bool) -> Bool {
    let pixel = pixel(right ? size.width - 2 : 1, bottom ? size.height - 2 : 1)
    return pixel.red > 180 && pixel.green < 90
  }

  /// An image of one color.
  static func plain(_ size: PixelSize, red: UInt8 = 0, green: UInt8 = 0, blue: UInt8 = 0) -> DecodedImage {
    let block = FrameBlock(count: size.area * 4) { target in
      for at in Swift.stride(from: 0, to: target.count, by: 4) {
        (target[at], target[at + 1], target[at + 2], target[at + 3]) = (blue, green, red, 0)
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }
}

/// A movie reader that returns scripted frames, and records its requests.
final class ScriptedFrameReader: MovieReader {
  struct Request: Hashable {
    var source: MovieSource
    var time: Double
    var size: PixelSize
  }
  private let noted = Mutex<[Request]>([])
  private let error: CameraError?

  init(error: CameraError? = nil) { self.error = error }

  var requests: [Request] { noted.withLock { $0 } }

  func readFrames(
    of source: MovieSource, fitting size: PixelSize, atMost frameRate: Double?,
    _ body: @escaping @Sendable (MovieFrame) throws -> Void
  ) async throws {
    throw CameraError.playbackFailed(file: source.url.lastPathComponent, message: "images take single frames")
  }

  func frame(of source: MovieSource, at time: Double, fitting size: PixelSize) async throws -> DecodedImage {
    noted.withLock { $0.append(Request(source: source, time: time, size: size)) }
    if let error { throw error }
    return .plain(size, green: 200)
  }
}
