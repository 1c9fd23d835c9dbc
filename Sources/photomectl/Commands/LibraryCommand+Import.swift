// `photomectl library import`: pictures and movies from other folders.

import ArgumentParser
import Foundation
import PhotoLibrary

extension LibraryCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copies pictures and videos into the library, without duplicates.")

    @Argument(help: "Files, and folders with their contents.", completion: .file()) var paths: [String]
    @Flag(help: "Moves them: sources are removed once they are in the library.") var move = false
    @OptionGroup var place: LibraryOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let urls = paths.map { URL(fileURLWithPath: $0) }
      let move = move
      let report = try await place.useUntilInterrupted { library in
        let bar = ProgressBar()
        defer { bar.end() }
        return try await library.importAssets(from: urls, move: move) { bar.show($0) }
      }
      if output.json { try printJSON(ImportOutput(report)) } else { show(report) }
      switch report.end {
      case .stopped(let error): throw error
      case .cancelled:
        throw CommandError(
          "The import was interrupted. The \(report.imported.count) files that are listed as imported are in the library; "
            + "import again to go on.")
      case .complete:
        let (count, all) = (
          report.refused.count, report.refused.count + report.imported.count + report.duplicates.count
        )
        if count == 1, let only = report.refused.first { throw CommandError(only.description) }
        if count > 0 {
          throw CommandError("\(count) of \(all) files can’t be imported, as \(report.refused[0].description)")
        }
      }
    }

    private func show(_ report: ImportReport) {
      for one in report.imported {
        say(oneLine("\(one.asset.id)  imported  \(one.asset.url.path)"))
        for path in one.uncompared {
          say(oneLine("    “\(path)” could not be read to be compared with it: it may be there twice"))
        }
        if let fault = one.fault { say(oneLine("    \(fault) It was imported as it is.")) }
        if let reason = one.keptSource { say(oneLine("    “\(one.source.path)” was not removed: \(reason)")) }
      }
      for one in report.duplicates { say(oneLine("\(one.assetID)  is there already  \(one.source.path)")) }
      for one in report.refused { say(oneLine("refused: \(one.description)")) }
      for one in report.skipped { say(oneLine(one.description)) }
    }
  }
}

/// An import as `--json` prints it.
struct ImportOutput: Encodable {
  struct Imported: Encodable {
    var id: String
    var path: String
    var source: String
    /// The reason why the source was not removed.
    var keptSource: String?
    /// Possible duplicates in the library that could not be read.
    var uncompared: [String]
    /// A fault of the file, with which it was imported.
    var fault: String?
  }

  struct Duplicate: Encodable {
    var id: String
    var path: String
    var source: String
  }

  struct Skipped: Encodable {
    var reason: String
    var count: Int
    var example: String
  }

  struct Refused: Encodable {
    var path: String
    var reason: String
  }

  var imported: [Imported]
  var duplicates: [Duplicate]
  var refused: [Refused]
  var skipped: [Skipped]

  init(_ report: ImportReport) {
    imported = report.imported.map {
      Imported(
        id: $0.asset.id, path: $0.asset.url.path, source: $0.source.path, keptSource: $0.keptSource,
        uncompared: $0.uncompared, fault: $0.fault)
    }
    duplicates = report.duplicates.map { Duplicate(id: $0.assetID, path: $0.url.path, source: $0.source.path) }
    refused = report.refused.map { Refused(path: $0.path, reason: $0.description) }
    skipped = report.skipped.map { Skipped(reason: $0.reason.rawValue, count: $0.count, example: $0.example) }
  }
}
