// `photomectl library album`: albums and what is in them.

import ArgumentParser
import Foundation
import PhotoLibrary

extension LibraryCommand {
  struct Album: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists albums, and changes them.",
      discussion: "An album is named by its title or its id.",
      subcommands: [ListAlbums.self, Create.self, Rename.self, DeleteAlbum.self, Add.self, Remove.self])

    struct ListAlbums: AsyncParsableCommand {
      static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the albums by title.")

      @OptionGroup var place: LibraryOptions
      @OptionGroup var output: OutputOptions

      func run() async throws {
        try await place.use { library in
          let lists = try await library.fetchLists()
          var reports: [AlbumReport] = []
          for album in try await library.fetchAlbums() {
            let folder = lists.first { $0.id == album.listID }?.title
            let count = try await library.fetch(in: album).count
            reports.append(AlbumReport(id: album.id, title: album.title, count: count, folder: folder))
          }
          if output.json { return try printJSON(reports) }
          for report in reports { say(oneLine("\(report.id)  \(report.count)  \(report.title)")) }
        }
      }
    }

    struct Create: AsyncParsableCommand {
      static let configuration = CommandConfiguration(abstract: "Makes an album, and prints its id.")

      @Argument(help: "What it is called.") var title: String
      @OptionGroup var place: LibraryOptions
      @OptionGroup var output: OutputOptions

      func run() async throws {
        try await place.use { library in
          let title = title
          let id = try await library.performChanges { $0.createAlbum(title: title).id }
          if !output.json { return say(id) }
          try await show(album: id, in: library, output)
        }
      }
    }

    struct Rename: AsyncParsableCommand {
      static let configuration = CommandConfiguration(abstract: "Gives an album another title.")

      @Argument(help: "Its title or id.") var album: String
      @Argument(help: "What it is to be called.") var title: String
      @OptionGroup var place: LibraryOptions
      @OptionGroup var output: OutputOptions

      func run() async throws {
        try await place.use { library in
          let id = try await AssetFinder(library: library).album(album).id
          let title = title
          try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: id, title: title)) }
          try await show(album: id, in: library, output)
        }
      }
    }

    struct DeleteAlbum: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes an album. Its pictures stay.")

      @Argument(help: "Its title or id.") var album: String
      @OptionGroup var place: LibraryOptions
      @OptionGroup var output: OutputOptions

      func run() async throws {
        try await place.use { library in
          let album = try await AssetFinder(library: library).album(album)
          let count = try await library.fetch(in: album).count
          try await library.performChanges { $0.deleteAlbums([album.id]) }
          if output.json { try printJSON(AlbumReport(id: album.id, title: album.title, count: count, folder: nil)) }
        }
      }
    }

    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(abstract: "Puts pictures into an album.")

      @Argument(help: "The album's title or id.") var album: String
      @Argument(help: "Ids or paths.") var ids: [String]
      @OptionGroup var place: LibraryOptions
      @OptionGroup var output: OutputOptions

      func run() async throws {
        try await place.use { library in
          let finder = AssetFinder(library: library)
          let album = try await finder.album(album).id
          let ids = try await finder.assets(self.ids).map(\.id)
          try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: album, addAssets: ids)) }
          try await show(album: album, in: library, output)
        }
      }
    }

    struct Remove: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Takes pictures out of an album. They stay in the library.")

      @Argument(help: "The album's title or id.") var album: String
      @Argument(help: "Ids or paths.") var ids: [String]
      @OptionGroup var place: LibraryOptions
      @OptionGroup var output: OutputOptions

      func run() async throws {
        try await place.use { library in
          let finder = AssetFinder(library: library)
          let album = try await finder.album(album).id
          let ids = try await finder.assets(self.ids).map(\.id)
          try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: album, removeAssets: ids)) }
          try await show(album: album, in: library, output)
        }
      }
    }
  }
}

/// An album as `--json` shows it.
struct AlbumReport: Encodable {
  var id: String
  var title: String
  /// Of pictures that are there and not hidden.
  var count: Int
  /// The title of the folder that it is in.
  var folder: String?
}

extension ParsableCommand {
  /// Prints an album as it is now.
  func show(album id: AssetCollection.ID, in library: PhotoLibrary, _ output: OutputOptions) async throws {
    guard let album = try await library.fetchAlbums().first(where: { $0.id == id }) else {
      throw CommandError("The album was deleted meanwhile by another program.")
    }
    let folder = try await library.fetchLists().first { $0.id == album.listID }?.title
    let count = try await library.fetch(in: album).count
    if output.json { return try printJSON(AlbumReport(id: id, title: album.title, count: count, folder: folder)) }
    say(oneLine("\(id)  \(count)  \(album.title)"))
  }
}
