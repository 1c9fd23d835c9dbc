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
    /// Whether it changes nothing unless there are people in the picture.
    var needsPeople: Bool
    /// The values of --on, by which it can be set on a part of the picture.
    var on: [String]
    /// The named values of --backdrop.
    var backdrops: [String]

    init(_ effect: Effect) {
      (name, title, group) = (effect.identifier, effect.title, effect.group.rawValue)
      needsPeople = effect.renderer.needsMatte
      on = effect.hasScope ? EffectScope.allCases.map(\.rawValue) : []
      backdrops = effect.hasBackdrop ? BackdropScene.allCases.map(\.rawValue) : []
    }
  }

  func run() throws {
    let reports = Effect.all.map { Report($0) }
    if output.json { return try printJSON(reports) }
    let width = reports.map(\.name.count).max() ?? 0
    for report in reports {
      say("\(report.name.padding(toLength: width + 2, withPad: " ", startingAt: 0))\(report.title)")
    }
  }
}
