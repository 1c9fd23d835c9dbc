// An album as `photomectl library album` prints it.

import Localization
import PhotoLibrary

/// An album as `--json` prints it.
struct AlbumReport: Encodable {
  var id: String
  var title: String
  /// Of the pictures that are present and not hidden.
  var count: Int
  /// The title of the folder that contains it.
  var folder: String?

  init(_ album: AssetCollection, in library: PhotoLibrary, folders: [CollectionList]) async throws {
    id = album.id
    title = album.title
    count = try await library.fetch(in: album).count
    folder = folders.first { $0.id == album.listID }?.title
  }

  /// One line of a list.
  var line: String { oneLine("\(id)  \(count)  \(title)") }

  /// Prints an album as it is now.
  static func show(_ id: AssetCollection.ID, in library: PhotoLibrary, _ output: OutputOptions) async throws {
    guard let album = try await library.fetchAlbums().first(where: { $0.id == id }) else {
      throw CommandError(localized("Another program has deleted the album."))
    }
    let report = try await AlbumReport(album, in: library, folders: library.fetchLists())
    if output.json { try printJSON(report) } else { say(report.line) }
  }
}
