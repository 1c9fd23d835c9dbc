// `photomectl library import`: pictures and movies from other folders.

import ArgumentParser
import CameraCore
import Foundation
import Localization
import PhotoLibrary

extension LibraryCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Copies pictures and videos into the library, without duplicates."))

    @Argument(help: ArgumentHelp(localized("Files, and folders with their contents.")), completion: .file())
    var paths: [String]
    @Flag(help: ArgumentHelp(localized("Move them: sources are removed once they are in the library.")))
    var move = false
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
        let count = report.imported.count
        throw CommandError(
          localized(
            """
            The import was interrupted. The \(count) file that is listed as imported is in the library. Import again \
            to continue.
            """,
            plural: """
              The import was interrupted. The \(count) files that are listed as imported are in the library. Import \
              again to continue.
              """, count: count))
      case .complete:
        let count = report.refused.count
        guard let first = report.refused.first else { return }
        if count == 1 { throw CommandError(first.description) }
        throw CommandError(
          localized(
            "\(count) file couldn’t be imported. \(first.description)",
            plural: "\(count) files couldn’t be imported. \(first.description)", count: count,
            comment: "{1} is a sentence about the first of the files"))
      }
    }

    private func show(_ report: ImportReport) {
      // The columns of a table; ids and paths stay as they are.
      let imported = localized("imported", context: "list", comment: "What was done with a photo or video")
      for one in report.imported {
        say(oneLine("\(one.asset.id)  \(imported)  \(one.asset.url.path)"))
        for note in Self.notes(on: one) { say(oneLine("    \(note)")) }
      }
      let present = localized("already in the library", context: "list", comment: "Why a file wasn’t imported")
      for one in report.duplicates { say(oneLine("\(one.assetID)  \(present)  \(one.source.path)")) }
      for one in report.refused {
        say(oneLine(localized("refused: \(one.description)", comment: "{0} is a sentence: the reason")))
      }
      for one in report.skipped { say(oneLine(one.description)) }
    }

    /// What is remarkable about an imported file.
    private static func notes(on one: ImportReport.Imported) -> [String] {
      var notes = one.uncompared.map { path in
        localized("“\(path)” couldn’t be read to compare it with this item, which may be in the library twice now.")
      }
      if let fault = one.fault {
        notes.append(localized("\(fault) It was imported as it is.", comment: "{0} is a sentence about a file"))
      }
      if let reason = one.keptSource {
        notes.append(localized("“\(one.source.path)” wasn’t removed: \(reason.asClause)."))
      }
      return notes
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
