// `photomectl library`: what is in the library.

import ArgumentParser
import CameraCore
import Foundation
import PhotoLibrary

struct LibraryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "library", abstract: "Looks into the photo library.",
    subcommands: [List.self, Info.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the pictures, newest first.")

    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let library = try await place.open()
      try await library.refresh()
      for names in await library.unusableNames() { complain(names.description) }
      let assets = try await library.fetchAssets(limit: nil, offset: 0)
      if output.json { return try printJSON(assets.map(AssetReport.init)) }
      for asset in assets {
        let movie = asset.duration.map { String(format: "  %.1f s", $0) } ?? ""
        say("\(asset.id)  \(asset.kindName)  \(asset.size)\(movie)  \(asset.url.path)")
      }
    }
  }

  struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Tells what is known of a picture.")

    @Argument(help: "The picture's id, or its path.") var id: String
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let library = try await place.open()
      try await library.refresh()
      let byID = try await library.asset(id: id)
      let path = URL(fileURLWithPath: id).standardizedFileURL.path
      let byPath = try await library.fetchAssets(limit: nil, offset: 0).first {
        $0.url.standardizedFileURL.path == path
      }
      guard let asset = byID ?? byPath else {
        throw CommandError("There is no picture “\(id)” in \(library.folder.path).")
      }
      let report = AssetReport(asset)
      if output.json { return try printJSON(report) }
      for (name, value) in report.lines { say("\(name): \(value)") }
    }
  }
}

/// Where the library is.
struct LibraryOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The library's folder; without it PhotoMe in the Pictures folder.", valueName: "dir"))
  var library: String?

  /// Opens the library.
  func open() async throws -> PhotoLibrary {
    let folder = library.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? PhotoLibrary.defaultFolder
    return try await PhotoLibrary.open(at: folder)
  }
}

/// An error in words.
struct CommandError: LocalizedError {
  var errorDescription: String?
  init(_ text: String) { errorDescription = text }
}

/// A picture as `--json` shows it.
struct AssetReport: Encodable {
  var id: String
  var path: String
  /// `photo` or `video`.
  var mediaType: String
  var live: Bool
  /// ISO 8601 with the offset of the place it was taken at.
  var created: String
  var width: Int
  var height: Int
  /// Of the movie, in seconds.
  var duration: Double?
  /// In seconds from the movie's start.
  var photoDisplayTime: Double?
  var fileSize: UInt64
  var camera: String?

  init(_ asset: Asset) {
    id = asset.id
    path = asset.url.path
    mediaType = asset.mediaType.rawValue
    live = asset.isLive
    let zone = TimeZone(secondsFromGMT: asset.utcOffset) ?? .gmt
    created = asset.created.ISO8601Format(.init(includingFractionalSeconds: true, timeZone: zone))
    width = asset.size.width
    height = asset.size.height
    duration = asset.duration
    photoDisplayTime = asset.photoDisplayTime
    fileSize = asset.fileSize
    camera = asset.cameraName
  }

  /// For people.
  var lines: [(String, String)] {
    [
      ("id", id), ("path", path), ("kind", live ? "live photo" : mediaType), ("created", created),
      ("size", "\(width)x\(height)"), ("duration", duration.map { String(format: "%.3f s", $0) } ?? "–"),
      ("photo at", photoDisplayTime.map { String(format: "%.3f s", $0) } ?? "–"),
      ("camera", camera ?? "–"), ("file size", "\(fileSize) bytes"),
    ]
  }
}

extension Asset {
  var kindName: String { isLive ? "live " : mediaType == .video ? "movie" : "photo" }
}
