// `photomectl library album arrange`: the order of albums and folders of albums.

import ArgumentParser
import Foundation
import Localization
import PhotoLibrary

extension LibraryCommand.Album {
  struct Arrange: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Puts an album or a folder of albums elsewhere in the sidebar’s order."),
      discussion: localized("Albums are listed by name until one is moved. Undo it with --by-name."))

    @Argument(help: ArgumentHelp(localized("The title or id of an album or a folder of albums."))) var album: String
    @Option(help: ArgumentHelp(localized("The album or folder before which it comes, in the folder of that.")))
    var before: String?
    @Option(help: ArgumentHelp(localized("The album or folder after which it comes, in the folder of that.")))
    var after: String?
    @Flag(help: ArgumentHelp(localized("Before all others in its folder."))) var first = false
    @Flag(help: ArgumentHelp(localized("After all others in its folder."))) var last = false
    @Flag(help: ArgumentHelp(localized("List all in its folder by name again."))) var byName = false
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard [before != nil, after != nil, first, last, byName].filter(\.self).count == 1 else {
        throw ValidationError(localized("Give one of --before, --after, --first, --last and --by-name."))
      }
    }

    func run() async throws {
      try await place.use { library in
        let order = try await order(of: library)
        let finder = AssetFinder(library: library)
        let moved = try finder.member(album, of: order)
        let neighbor = try (before ?? after).map { try finder.member($0, of: order) }
        guard neighbor?.id != moved.id else {
          throw CommandError(localized("“\(moved.title)” can’t come before or after itself."))
        }
        let list = order.list(of: neighbor?.id ?? moved.id)
        var next = neighbor?.id
        if first { next = order.members(of: list).first { $0.id != moved.id }?.id }
        if let after = next, self.after != nil { next = order.follower(of: after, without: moved.id) }
        let (byName, target) = (byName, next)
        let place = list.map { CollectionPlace.list($0) } ?? .top
        try await library.performChanges { changes in
          if byName { changes.sortByTitle(in: place) } else { changes.arrange(moved.id, in: place, before: target) }
        }
        try await show(list, in: library)
      }
    }

    private func order(of library: PhotoLibrary) async throws -> CollectionOrder {
      CollectionOrder(albums: try await library.fetchAlbums(), lists: try await library.fetchLists())
    }

    /// Prints what is in a folder, or at the top, as it is listed now.
    private func show(_ list: CollectionList.ID?, in library: PhotoLibrary) async throws {
      let members = try await order(of: library).members(of: list)
      if output.json { return try printJSON(members.map { Line(id: $0.id, title: $0.title, isFolder: $0.isList) }) }
      for member in members { say(oneLine("\(member.id)  \(member.title)")) }
    }

    /// An album or a folder as `--json` prints it.
    private struct Line: Encodable {
      var id: String
      var title: String
      var isFolder: Bool
    }
  }
}
