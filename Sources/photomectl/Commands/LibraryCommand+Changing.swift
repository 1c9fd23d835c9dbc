// `photomectl library favorite`, `key-photo`, `delete` and `restore`.

import ArgumentParser
import Foundation
import Localization
import PhotoLibrary

extension LibraryCommand {
  struct Favorite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: localized("Marks pictures as favorites."))

    @Argument(help: ArgumentHelp(localized("Ids or paths."))) var ids: [String]
    @Flag(help: ArgumentHelp(localized("Remove the mark."))) var off = false
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await place.use { library in
        let ids = try await AssetFinder(library: library).assets(self.ids).map(\.id)
        let isFavorite = !off
        try await library.performChanges { changes in
          for id in ids { changes.change(AssetChangeRequest(for: id, isFavorite: isFavorite)) }
        }
        try await AssetReport.show(ids, in: library, output)
      }
    }
  }

  struct KeyPhoto: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Makes a picture the one that stands for its burst."))

    @Argument(help: ArgumentHelp(localized("The picture’s id, or its path."))) var id: String
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await place.use { library in
        let asset = try await AssetFinder(library: library).asset(id)
        let frames = try await library.burst(of: asset)
        guard frames.count > 1 else { throw CommandError(localized("“\(asset.url.path)” isn’t part of a burst.")) }
        try await library.performChanges { $0.setKeyPhoto(asset.id, of: frames) }
        try await AssetReport.show([asset.id], in: library, output)
      }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Moves pictures to the Trash, from where “restore” restores them."))

    @Argument(help: ArgumentHelp(localized("Ids or paths."))) var ids: [String]
    @Flag(help: ArgumentHelp(localized("Delete them permanently, with their originals."))) var permanently = false
    @Flag(help: ArgumentHelp(localized("Delete whole bursts."))) var wholeBursts = false
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await place.use { library in
        let assets = try await AssetFinder(library: library).assets(ids, wholeBursts: wholeBursts)
        let ids = assets.map(\.id)
        var trashed: [Asset.ID: TrashedAsset] = [:]
        if permanently {
          try await library.performChanges { $0.deletePermanently(ids) }
        } else {
          for asset in try await trash(ids, in: library) { trashed[asset.id] = asset }
        }
        let reports = assets.map {
          DeletionReport(id: $0.id, path: $0.url.path, trashedPath: trashed[$0.id]?.trashedURL.path)
        }
        if output.json { return try printJSON(reports) }
        let state =
          permanently
          ? localized("deleted", context: "list", comment: "What was done with a photo or video")
          : localized("in the Trash", context: "list", comment: "Where a photo or video is now")
        for report in reports { say(oneLine("\(report.id)  \(state)  \(report.path)")) }
        guard !permanently else { return }
        let command = "photomectl library restore \(ids.joined(separator: " "))\(place.words)"
        say(localized("To restore: \(command)", comment: "{0} is a command to type"))
      }
    }

    /// Nothing is deleted permanently without an explicit request.
    private func trash(_ ids: [Asset.ID], in library: PhotoLibrary) async throws -> [TrashedAsset] {
      do throws(PhotoLibraryError) { return try await library.trash(ids) } catch {
        guard case .trashUnavailable = error else { throw error }
        let command = "photomectl library delete --permanently \(ids.joined(separator: " "))\(place.words)"
        throw CommandError(
          localized(
            "\(error.description) Nothing was deleted. To delete permanently: \(command)",
            comment: "{0} is a sentence: the reason; {1} is a command to type"))
      }
    }
  }

  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Restores pictures from the Trash, with their albums, marks, and edits."))

    @Argument(help: ArgumentHelp(localized("Ids, or former paths."))) var ids: [String] = []
    @Flag(help: ArgumentHelp(localized("Restore everything."))) var all = false
    @Flag(help: ArgumentHelp(localized("Only list what can be restored, last deleted first."))) var list = false
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard ids.isEmpty == (all || list), !(all && list) else {
        throw ValidationError(localized("Give ids, or --all, or --list."))
      }
    }

    func run() async throws {
      try await place.use { library in
        let trashed = try await library.trashedAssets()
        if list {
          let reports = trashed.map { DeletionReport(id: $0.id, path: $0.url.path, trashedPath: $0.trashedURL.path) }
          if output.json { return try printJSON(reports) }
          for report in reports { say(oneLine("\(report.id)  \(report.path)")) }
          return
        }
        let chosen = all ? trashed : try choose(from: trashed, library)
        try await library.restore(chosen)
        try await library.refresh()
        let ids = chosen.map(\.id)
        try await AssetReport.show(ids, in: library, output)
      }
    }

    private func choose(from trashed: [TrashedAsset], _ library: PhotoLibrary) throws -> [TrashedAsset] {
      var chosen: [TrashedAsset] = []
      for word in ids {
        let path = URL(fileURLWithPath: word, isDirectory: false).standardizedFileURL.path
        let isLong = word.utf8.count >= AssetFinder.shortestPrefix
        let found = trashed.filter { (isLong && $0.id.hasPrefix(word.lowercased())) || $0.url.path == path }
        guard let first = found.first else {
          throw CommandError(localized("There is no item “\(word)” from “\(library.folder.path)” in the Trash."))
        }
        guard found.allSatisfy({ $0.id == first.id || $0.url == first.url }) else {
          throw AssetFinder.ambiguous(word, first.id, found.last?.id ?? "")
        }
        // Of several with this path, the one deleted last.
        if !chosen.contains(first) { chosen.append(first) }
      }
      return chosen
    }
  }
}

/// A deleted picture as `--json` prints it.
struct DeletionReport: Encodable {
  var id: String
  /// The former path.
  var path: String
  /// The path in the Trash; `nil` after permanent deletion.
  var trashedPath: String?
}
