// `photomectl effects`: the catalog of effects.

import ArgumentParser
import Foundation
import Localization
import PhotoEffects

struct EffectsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "effects", abstract: localized("Lists the effects."))

  @OptionGroup var output: OutputOptions

  /// An effect as `--json` prints it.
  private struct Report: Encodable {
    var name: String
    var title: String
    var group: String
  }

  func run() throws {
    let reports = Effect.all.map { Report(name: $0.identifier, title: $0.title, group: $0.group.rawValue) }
    if output.json { return try printJSON(reports) }
    let width = reports.map(\.name.count).max() ?? 0
    for report in reports {
      say("\(report.name.padding(toLength: width + 2, withPad: " ", startingAt: 0))\(report.title)")
    }
  }
}
