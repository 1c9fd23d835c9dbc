// `photomectl library album`: albums and their pictures.

import ArgumentParser
import Foundation
import Localization
import PhotoLibrary

extension LibraryCommand {
  struct Album: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Lists and changes albums."),
      discussion: localized("An album is named by its title or its id."),
      subcommands: [
        ListAlbums.self, Create.self, Rename.self, DeleteAlbum.self, Add.self, Remove.self, Move.self, Order.self,
        Cover.self, Arrange.self,
      ])

    struct ListAlbums: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list", abstract: localized("Lists the albums in the order of the sidebar."))

      @OptionGroup var place: LibraryOptions
      @OptionGroup var output: OutputOptions

      func run() async throws {
        try await place.use { library in
          let folders = try await library.fetchLists()
          var reports: [AlbumReport] = []
          let albums = try await library.fetchAlbums()
          let found = Dictionary(albums.map { ($0.id, $0) }) { first, _ in first }
          for album in CollectionOrder(albums: albums, lists: folders).all.compactMap({ found[$0.id] }) {
            reports.append(try await AlbumReport(album, in: library, folders: folders))
          }
          if output.json { return try printJSON(reports) }
          for report in reports { say(report.line) }
        }
      }
    }

    struct Create: AsyncParsableCommand {
      static let configuration = CommandConfiguration(abstract: localized("Creates an album and prints its id."))

      @Argument(help: ArgumentHelp(localized("The album’s title."))) var title: String
      @Option(help: ArgumentHelp(localized("Make a smart album of what this search finds.")))
      var search: String?
      @OptionGroup var place: LibraryOptions
      @OptionGroup var output: OutputOptions

      func run() async throws {
        try await place.use { library in
          let (title, search) = (title, search)
          let id = try await library.performChanges { changes in
            search.map { changes.createAlbum(title: title, search: $0).id } ?? changes.createAlbum(title: title).id
          }
          if !output.json { return say(id) }
          try await AlbumReport.show(id, in: library, output)
        }
      }
    }

    struct Rename: AsyncParsableCommand {
      static let configuration = CommandConfiguration(abstract: localized("Renames an album."))

      @Argument(help: ArgumentHelp(localized("The album’s title or id."))) var album: String
      @Argument(help: ArgumentHelp(localized("The album’s new title."))) var title: String
      @OptionGroup var place: LibraryOptions
      @OptionGroup var output: OutputOptions

      func run() async throws {
        try await place.use { library in
          let id = try await AssetFinder(library: library).album(album).id
          let title = title
          try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: id, title: title)) }
          try await AlbumReport.show(id, in: library, output)
        }
      }
    }

    struct DeleteAlbum: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "delete", abstract: localized("Deletes an album. Its pictures stay."))

      @Argument(help: ArgumentHelp(localized("The album’s title or id."))) var album: String
      @OptionGroup var place: LibraryOptions
      @OptionGroup var output: OutputOptions

      func run() async throws {
        try await place.use { library in
          let album = try await AssetFinder(library: library).album(album)
          let report = try await AlbumReport(album, in: library, folders: [])
          try await library.performChanges { $0.deleteAlbums([album.id]) }
          if output.json { try printJSON(report) }
        }
      }
    }

    /// An album and pictures, and the change that puts the ones into the other or takes them out.
    struct Members: ParsableArguments {
      @Argument(help: ArgumentHelp(localized("The album’s title or id."))) var album: String
      @Argument(help: ArgumentHelp(localized("Ids or paths."))) var ids: [String]
      @Flag(help: ArgumentHelp(localized("All pictures of their bursts."))) var wholeBursts = false
      @OptionGroup var place: LibraryOptions
      @OptionGroup var output: OutputOptions

      func change(
        _ request: @escaping @Sendable (AssetCollection.ID, [Asset.ID]) -> AssetCollectionChangeRequest
      ) async throws {
        try await place.use { library in
          let finder = AssetFinder(library: library)
          let album = try await finder.album(album).id
          let ids = try await finder.assets(self.ids, wholeBursts: wholeBursts).map(\.id)
          try await library.performChanges { $0.change(request(album, ids)) }
          try await AlbumReport.show(album, in: library, output)
        }
      }
    }

    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(abstract: localized("Adds pictures to an album."))

      @OptionGroup var members: Members

      func run() async throws {
        try await members.change { AssetCollectionChangeRequest(for: $0, addAssets: $1) }
      }
    }

    struct Remove: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: localized("Removes pictures from an album. They stay in the library."))

      @OptionGroup var members: Members

      func run() async throws {
        try await members.change { AssetCollectionChangeRequest(for: $0, removeAssets: $1) }
      }
    }
  }
}
