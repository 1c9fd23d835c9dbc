// The time and memory of a fresh process that reads every picture of a library.

import ArgumentParser
import CameraCore
import Foundation
import PhotoLibrary

/// The result.
struct PictureLook: Codable {
  /// The number of listed assets.
  var count = 0
  /// The number of assets with a picture at every requested size.
  var shown = 0
  /// The reasons that the others have none.
  var refusals: [String] = []
  /// The problems that verification finds.
  var problems: [String] = []
  /// The most resident bytes that this process had.
  var peakMemory = 0
}

/// `photome-bench pictures`: opens a library in a process of its own, lists it, makes the pictures that a strip, a grid and
/// a viewer ask for, and verifies it.
struct PictureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pictures", abstract: "Read all pictures of a library once.", shouldDisplay: false)

  @Option var library: String
  @Option var index: String
  @Option(help: "The folder of thumbnails.") var thumbnails: String

  /// In pixels, of the longer side.
  private static let sides = [72, 256, 1024, 1920]

  func run() async throws {
    var look = PictureLook()
    let library = try await PhotoLibrary.open(
      at: URL(fileURLWithPath: library, isDirectory: true), index: URL(fileURLWithPath: index))
    try await library.refresh()
    let assets = try await library.fetchAssets()
    look.count = assets.count
    let images = ImageManager(thumbnailFolder: URL(fileURLWithPath: thumbnails, isDirectory: true))
    for asset in assets {
      do {
        for side in Self.sides {
          _ = try await images.image(for: asset, targetSize: PixelSize(width: side, height: side))
        }
        look.shown += 1
      } catch {
        look.refusals.append(error.localizedDescription)
      }
    }
    look.problems = try await library.verify().problems.map(\.description)
    await library.close()
    look.peakMemory = ProcessUsage.ownPeakMemory()
    print(String(decoding: try JSONEncoder().encode(look), as: UTF8.self))
  }
}
