// `photomectl presets`: the user's presets and their files.

import ArgumentParser
import CameraModels
import Foundation
import Localization
import PhotoEffects

struct PresetsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "presets", abstract: localized("Lists, imports, exports, and deletes presets of edits."),
    discussion: localized(
      """
      A preset is an effect and adjustments under a name; “photomectl edit --preset” applies it. Presets are saved in the \
      window’s editor.
      """),
    subcommands: [List.self, Import.self, Export.self, Delete.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: localized("Lists the presets."))

    @OptionGroup var output: OutputOptions

    /// A preset as `--json` prints it.
    private struct Report: Encodable {
      var name: String
      var recipe: AdjustmentRecipe
    }

    func run() throws {
      let (presets, problems) = try PresetStore.standard.list()
      for problem in problems { complain(problem.description) }
      if output.json { return try printJSON(presets.map { Report(name: $0.name, recipe: $0.recipe) }) }
      for preset in presets { say(oneLine(preset.name)) }
    }
  }

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Imports preset files."),
      discussion: localized("Where another preset has the same name, the new one gets a number."))

    @Argument(help: ArgumentHelp(localized("Preset files.")), completion: .file(extensions: [EditPreset.fileExtension]))
    var files: [String]

    func run() throws {
      for file in files { say(oneLine(try PresetStore.standard.importPreset(from: URL(fileURLWithPath: file)).name)) }
    }
  }

  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: localized("Writes a preset’s file, for others."))

    @Argument(help: ArgumentHelp(localized("The preset’s name."))) var name: String
    @Argument(help: ArgumentHelp(localized("A folder, or a file that doesn’t exist yet."))) var target: String = "."

    func run() throws { say(oneLine(try PresetStore.standard.export(name, to: URL(fileURLWithPath: target)).path)) }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Deletes presets."),
      discussion: localized("Pictures that were edited with them stay as they are."))

    @Argument(help: ArgumentHelp(localized("The presets’ names."))) var names: [String]

    func run() throws { for name in names { try PresetStore.standard.delete(name) } }
  }

  /// The preset of a name or a file.
  ///
  /// - Parameter text: A name, or a path that ends in `.photome-preset`.
  /// - Throws: `PresetError`.
  static func preset(_ text: String) throws -> EditPreset {
    let url = URL(fileURLWithPath: text)
    if url.pathExtension == EditPreset.fileExtension { return try PresetStore.preset(in: url) }
    return try PresetStore.standard.preset(named: text)
  }
}
