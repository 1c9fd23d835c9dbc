// What each test of the library's page starts from: a library with pictures in a folder of its own, and the models over it.

import CameraCore
import CameraModels
import Foundation

@testable import PhotoLibrary

@MainActor
final class LibraryBench {
  let folder: URL
  let library: PhotoLibrary
  let messages = MessageModel()
  let strip: ThumbnailStripModel
  let grid: LibraryModel
  let viewer: ViewerModel
  let pictures: PictureActionsModel
  let players = ScriptedPlayers()
  /// Newest first, as the library lists them.
  private(set) var assets: [Asset] = []

  /// - Parameter count: How many photos there are, a day apart.
  init(count: Int) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-grid-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    library = try await PhotoLibrary.open(
      at: folder.appendingPathComponent("PhotoMe"), index: folder.appendingPathComponent("index.sqlite"), disk: Disk(),
      trash: DesktopTrash(disk: Disk(), home: folder.appendingPathComponent("Trash").path))
    let images = ImageManager()
    strip = ThumbnailStripModel(library: library, images: images)
    grid = LibraryModel(library: library, images: images, messages: messages)
    viewer = ViewerModel(library: library, strip: strip, images: images, players: players, messages: messages)
    pictures = PictureActionsModel(library: library, grid: grid, viewer: viewer, messages: messages)
    for number in 0..<count { try await add(day: -number) }
    assets = try await library.fetchAssets()
  }

  /// Adds a photo of a day, counted from a day in November 2026.
  @discardableResult
  func add(day: Int) async throws -> Asset {
    let date = Date(timeIntervalSince1970: 1_795_262_400 + Double(day) * 86_400)
    return try await library.createAsset(
      AssetCreationRequest(
        photo: SampleMedia.jpeg,
        metadata: PhotoMetadata(date: date, utcOffset: 0, size: PixelSize(width: 64, height: 48))))
  }

  /// The ids that the grid shows, in order.
  var shown: [Asset.ID] { (0..<grid.list.count).compactMap { grid.list.asset(at: $0)?.id } }

  func end() async throws {
    await library.close()
    try FileManager.default.removeItem(at: folder)
  }
}
