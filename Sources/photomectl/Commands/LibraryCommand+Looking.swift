// `photomectl library list`, `info` and `resources`.

import ArgumentParser
import Foundation
import Localization
import PhotoLibrary

extension LibraryCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: localized("Lists the pictures, newest first."))

    @Option(help: ArgumentHelp(localized("Only those in this album."), valueName: "title|id")) var album: String?
    @Flag(help: ArgumentHelp(localized("Only favorites."))) var favorites = false
    @Flag(help: ArgumentHelp(localized("Only live photos."))) var live = false
    @Flag(help: ArgumentHelp(localized("Only videos."))) var videos = false
    @Flag(help: ArgumentHelp(localized("Only edited pictures."))) var edited = false
    @Flag(help: ArgumentHelp(localized("Only hidden pictures, which are not listed otherwise."))) var hidden = false
    @Flag(help: ArgumentHelp(localized("Of each burst only the picture that stands for it."))) var groupBursts = false
    @Option(help: ArgumentHelp(localized("At most this many."), valueName: "n")) var limit: Int?
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      if let limit, limit < 0 { throw ValidationError(localized("--limit must be at least 0.")) }
    }

    func run() async throws {
      var options = FetchOptions()
      if favorites { options.isFavorite = true }
      if live { options.isLive = true }
      if videos { options.mediaType = .video }
      if edited { options.isEdited = true }
      options.includesHidden = hidden
      options.groupsBursts = groupBursts
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
        try await AssetReport.show(assets, in: library, output)
      }
    }
  }

  struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: localized("Prints the details of a picture."))

    @Argument(help: ArgumentHelp(localized("The picture’s id, or its path."))) var id: String
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await place.use { library in
        let asset = try await AssetFinder(library: library).asset(id)
        let report = try await AssetReport.reports([asset], in: library)[0]
        if output.json { return try printJSON(report) }
        for line in report.lines { say(oneLine(line)) }
      }
    }
  }

  struct Resources: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Lists the files that a picture is made of: photo, video, RAW file, originals, edit."))

    @Argument(help: ArgumentHelp(localized("The picture’s id, or its path."))) var id: String
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await place.use { library in
        let asset = try await AssetFinder(library: library).asset(id)
        let resources = try await library.resources(of: asset).map { ResourceReport($0) }
        if output.json { return try printJSON(resources) }
        for one in resources {
          let size = ByteCountFormatStyle(style: .file, locale: .forNumbers).format(Int64(clamping: one.byteCount))
          say(oneLine("\(one.kind)  \(one.name)  \(size)  \(one.path)"))
        }
      }
    }
  }
}

/// A resource as `--json` prints it.
private struct ResourceReport: Encodable {
  /// As `AssetResource.Kind`.
  var kind: String
  var name: String
  var path: String
  /// Where it begins in the file, in bytes.
  var offset: UInt64
  var byteCount: UInt64

  init(_ resource: AssetResource) {
    (kind, name, path) = (resource.kind.rawValue, resource.name, resource.url.path)
    offset = resource.byteRange.lowerBound
    byteCount = resource.byteRange.upperBound - offset
  }
}
