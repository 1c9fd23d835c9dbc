// `photomectl library list`, `search` and `info`: what is there.

import ArgumentParser
import Foundation
import PhotoLibrary

extension LibraryCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the pictures, newest first.")

    @Option(help: ArgumentHelp("Only those in this album.", valueName: "title|id")) var album: String?
    @Flag(help: "Only favorites.") var favorites = false
    @Flag(help: "Only live photos.") var live = false
    @Flag(help: "Only movies.") var videos = false
    @Flag(help: "Only edited pictures.") var edited = false
    @Flag(help: "Only hidden pictures, which are not listed else.") var hidden = false
    @Option(help: ArgumentHelp("At most so many.", valueName: "n")) var limit: Int?
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
    }

    func run() async throws {
      var options = FetchOptions()
      if favorites { options.isFavorite = true }
      if live { options.isLive = true }
      if videos { options.mediaType = .video }
      if edited { options.isEdited = true }
      options.includesHidden = hidden
      if !hidden { options.limit = limit }
      try await place.use { [options] library in
        for names in await library.unusableNames() { complain(names.description) }
        let album =
          if let album { try await AssetFinder(library: library).album(album) } else { nil as AssetCollection? }
        var assets = try await library.fetch(options, in: album).allAssets()
        if hidden {
          assets = assets.filter(\.isHidden)
          if let limit { assets = Array(assets.prefix(limit)) }
        }
        try await show(assets, in: library, output)
      }
    }
  }

  struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the pictures whose name, camera or albums have all of these words in them.")

    @Argument(help: "The words; case and accents don't count.") var words: [String]
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      var options = FetchOptions()
      options.text = words.joined(separator: " ")
      try await place.use { [options] library in
        try await show(try await library.fetch(options).allAssets(), in: library, output)
      }
    }
  }

  struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Tells what is known of a picture.")

    @Argument(help: "The picture's id, or its path.") var id: String
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await place.use { library in
        let asset = try await AssetFinder(library: library).asset(id)
        let report = try await AssetReport.reports([asset], in: library)[0]
        if output.json { return try printJSON(report) }
        for (name, value) in report.lines { say("\(name): \(oneLine(value))") }
      }
    }
  }

  /// Prints a list.
  static func show(_ assets: [Asset], in library: PhotoLibrary, _ output: OutputOptions) async throws {
    let reports = try await AssetReport.reports(assets, in: library)
    if output.json { return try printJSON(reports) }
    for report in reports { say(oneLine(report.line)) }
  }
}

extension ParsableCommand {
  func show(_ assets: [Asset], in library: PhotoLibrary, _ output: OutputOptions) async throws {
    try await LibraryCommand.show(assets, in: library, output)
  }
}
