// `photomectl extensions`: the installed editing extensions.

import ArgumentParser
import Foundation
import Localization
import PhotoLibrary

struct ExtensionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extensions", abstract: localized("Lists the installed editing extensions."),
    discussion: localized(
      "Each has a key file in photome/extensions of a data directory; see photomectl(1) for the format."))

  @OptionGroup var output: OutputOptions

  /// An extension as `--json` prints it.
  private struct Report: Encodable {
    var id: String
    var name: String
    var comment: String?
    var media: [String]
    var formatIdentifier: String
    var formatVersions: [String]
    var timeLimit: Double
    var keyFile: String
  }

  func run() throws {
    let found = EditingExtensions()
    for problem in found.problems { complain(problem.description) }
    let reports = found.extensions.map { one in
      Report(
        id: one.id, name: one.name, comment: one.comment,
        media: EditingExtension.Media.allCases.filter(one.media.contains).map(\.rawValue),
        formatIdentifier: one.formatIdentifier, formatVersions: one.formatVersions, timeLimit: one.timeLimit,
        keyFile: one.keyFile.path)
    }
    if output.json { return try printJSON(reports) }
    for report in reports { say(oneLine("\(report.id)  \(report.name)  \(report.media.joined(separator: ", "))")) }
  }

  /// - Throws: `CommandError` when there is none with that name.
  static func named(_ name: String) throws -> EditingExtension {
    let found = EditingExtensions()
    if let one = found.named(name) { return one }
    if let problem = found.problems.first(where: { $0.keyFile.lastPathComponent == "\(name).extension" }) {
      throw CommandError(problem.description)
    }
    let known = found.extensions.map(\.id)
    throw CommandError(
      known.isEmpty
        ? localized("There is no editing extension “\(name)”. None is installed.")
        : localized("There is no editing extension “\(name)”. Available extensions: \(known.localizedList)."))
  }
}
