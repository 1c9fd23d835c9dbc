// `photomectl library album move`, `order` and `cover`: the order of an album's pictures, and the one that stands for it.

import ArgumentParser
import Foundation
import Localization
import PhotoLibrary

extension LibraryCommand.Album {
  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Moves pictures within an album, which gets an order of its own."))

    @Argument(help: ArgumentHelp(localized("The album’s title or id."))) var album: String
    @Argument(help: ArgumentHelp(localized("Ids or paths."))) var ids: [String]
    @Option(help: ArgumentHelp(localized("The picture before which they come; by default, the end."))) var before:
      String?
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await place.use { library in
        let finder = AssetFinder(library: library)
        let album = try await finder.album(album).id
        let ids = try await finder.assets(ids).map(\.id)
        var next: Asset.ID?
        if let before { next = try await finder.asset(before).id }
        let move = AssetCollectionChangeRequest.Move(ids, before: next)
        try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: album, move: move)) }
        try await AlbumReport.show(album, in: library, output)
      }
    }
  }

  struct Order: AsyncParsableCommand {
    enum Kind: String, ExpressibleByArgument, CaseIterable {
      case own
      case date
    }

    static let configuration = CommandConfiguration(
      abstract: localized("Shows an album in its own order, or the newest pictures first."))

    @Argument(help: ArgumentHelp(localized("The album’s title or id."))) var album: String
    @Argument(help: ArgumentHelp(localized("own or date."))) var order: Kind
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await place.use { library in
        let album = try await AssetFinder(library: library).album(album).id
        let isOrdered = order == .own
        try await library.performChanges { $0.change(AssetCollectionChangeRequest(for: album, isOrdered: isOrdered)) }
        try await AlbumReport.show(album, in: library, output)
      }
    }
  }

  struct Cover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Chooses the picture that stands for an album."))

    @Argument(help: ArgumentHelp(localized("The album’s title or id."))) var album: String
    @Argument(help: ArgumentHelp(localized("The picture’s id, or its path."))) var id: String?
    @Flag(help: ArgumentHelp(localized("The first one of the album."))) var first = false
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (id != nil) != first else { throw ValidationError(localized("Give a picture, or --first.")) }
    }

    func run() async throws {
      try await place.use { library in
        let finder = AssetFinder(library: library)
        let album = try await finder.album(album).id
        var cover = AssetCollectionChangeRequest.Cover.usual
        if let id { cover = .asset(try await finder.asset(id).id) }
        let request = AssetCollectionChangeRequest(for: album, cover: cover)
        try await library.performChanges { $0.change(request) }
        try await AlbumReport.show(album, in: library, output)
      }
    }
  }
}
