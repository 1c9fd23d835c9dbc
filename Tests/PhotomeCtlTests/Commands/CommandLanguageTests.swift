// The command line in a language that doesn't exist: each text is accented and in brackets.

import Foundation
import TestSupport
import Testing

@testable import photomectl

@Suite("The language of photomectl", .timeLimit(.minutes(30))) struct CommandLanguageTests {
  private static let hasTools = Command.areInstalled("python3", "xgettext", "msguniq", "msgfmt")
  private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private struct Shot: Decodable { var id: String }

  /// Makes a catalog with every text of the source.
  ///
  /// - Returns: The variables that choose it.
  private func pseudoLanguage(_ place: Place) throws -> [String: String] {
    let folder = place.folder.appendingPathComponent("locale").path
    let made = try Command.run("data/dev/translations", ["--pseudo", folder], at: Self.project)
    try #require(made.status == 0, "\(made.errors)")
    return ["PHOTOME_LOCALEDIR": folder, "LANGUAGE": "qps"]
  }

  private static func isTranslated(_ text: String) -> Bool { text.hasPrefix("[") && text.hasSuffix("]") }

  /// A text without its line breaks and indentation.
  private static func unwrapped(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test("The help of every command is translated", .enabled(if: hasTools, "needs python3 and gettext"))
  func help() throws {
    let place = try Place()
    let language = try pseudoLanguage(place)
    let root = try place.decode(ManualPageTests.Description.self, ["--experimental-dump-help"], with: language).command
    let commands = root.all()
    #expect(commands.count > 20)
    // Those that ArgumentParser adds are English.
    for (words, command) in commands where words.last != "help" {
      var texts = [command.abstract ?? ""]
      if let discussion = command.discussion, !discussion.isEmpty { texts.append(discussion) }
      for argument in command.arguments ?? [] {
        let names = argument.names?.map(\.name) ?? []
        if !names.contains("help"), !names.contains("version") { texts.append(argument.abstract ?? "") }
      }
      let help = Self.unwrapped(try place.run(Array(words.dropFirst()) + ["--help"], with: language))
      for text in texts {
        #expect(Self.isTranslated(text), "\(words): \(text)")
        #expect(help.contains(Self.unwrapped(text)), "\(words): \(text)")
      }
    }
  }

  @Test("Errors are translated", .enabled(if: hasTools, "needs python3 and gettext"))
  func errors() throws {
    let place = try Place()
    let environment = place.environment.merging(try pseudoLanguage(place)) { $1 }
    let faults: [(arguments: [String], status: Int32)] = [
      (["capture", "--count", "0"], 64), (["effects", "--nonsense"], 64),
      (["library", "info", "nonsense"] + place.library, 1),
    ]
    for (arguments, status) in faults {
      let result = try place.result(arguments, environment: environment)
      #expect(result.status == status && result.output.isEmpty)
      #expect(result.errors.hasPrefix("photomectl: [") && result.errors.hasSuffix("]\n"), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
  }

  @Test("What scripts read is the same in every language", .enabled(if: hasTools, "needs python3 and gettext"))
  func scripts() throws {
    let place = try Place()
    let language = try pseudoLanguage(place)
    let shot = try place.decode(
      Shot.self, ["capture", "--camera", "test", "--resolution", "640x480", "--json"] + place.library, with: language)
    for arguments in [["library", "info", shot.id, "--json"], ["library", "list", "--json"], ["library", "list"]] {
      let english = try place.run(arguments + place.library)
      #expect(english.contains(shot.id))
      #expect(try place.run(arguments + place.library, with: language) == english)
    }
    // What people read is not.
    let lines = try place.run(["library", "info", shot.id] + place.library, with: language).split(separator: "\n")
    #expect(lines.count > 10 && lines.allSatisfy { Self.isTranslated(String($0)) }, "\(lines)")
  }

  @Test("The marks around values stay in a line that is read from the right")
  func isolates() {
    let text = "\u{2068}a\u{2069} \u{202e}b"
    #expect(oneLine(text, keepsIsolates: true) == "\u{2068}a\u{2069} \\u202eb")
    #expect(oneLine(text, keepsIsolates: false) == "\\u2068a\\u2069 \\u202eb")
  }
}
