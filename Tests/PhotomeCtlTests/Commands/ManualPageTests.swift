// The manual page of photomectl, compared with the program's own help.

import Foundation
import TestSupport
import Testing

@Suite("The manual page of photomectl")
struct ManualPageTests {
  /// `photomectl --experimental-dump-help`: ArgumentParser's description of all commands.
  struct Description: Decodable {
    struct Name: Decodable {
      /// `long`, `short` or `longWithSingleDash`.
      var kind: String
      var name: String
      var option: String { (kind == "long" ? "--" : "-") + name }
    }
    struct Argument: Decodable {
      var names: [Name]?
    }
    struct Command: Decodable {
      var commandName: String
      var arguments: [Argument]?
      var subcommands: [Command]?

      /// The command and all below it, with the words that call them.
      func all(below words: [String] = []) -> [(words: [String], options: [String])] {
        let own = words + [commandName]
        let options = (arguments ?? []).flatMap { $0.names ?? [] }.map(\.option)
        return [(own, options)] + (subcommands ?? []).flatMap { $0.all(below: own) }
      }
    }
    var command: Command
  }

  /// The page without its markup.
  static func page() throws -> String {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../data/man/photomectl.1").standardized
    return try String(contentsOf: file, encoding: .utf8).replacingOccurrences(of: "\\-", with: "-")
      .replacing(#/\\f[BIR]/#, with: "")
  }

  /// Whether a page has a word that isn't the beginning of a longer one.
  static func has(_ word: String, in page: String) -> Bool {
    page.ranges(of: word).contains { range in
      guard range.upperBound < page.endIndex else { return true }
      let next = page[range.upperBound]
      return !next.isLetter && !next.isNumber && next != "-"
    }
  }

  @Test("It has every command and every option")
  func options() throws {
    let place = try Place()
    let commands = try place.decode(Description.self, ["--experimental-dump-help"]).command.all()
    #expect(commands.count > 20)
    let page = try Self.page()
    for command in commands where command.words.last != "help" {
      #expect(Self.has(command.words.last ?? "", in: page), "\(command.words)")
      for option in command.options { #expect(Self.has(option, in: page), "\(command.words) \(option)") }
    }
  }

  @Test("It has no option that no command has")
  func inventedOptions() throws {
    let place = try Place()
    let commands = try place.decode(Description.self, ["--experimental-dump-help"]).command.all()
    let options = Set(commands.flatMap(\.options))
    let named = Set(try Self.page().matches(of: #/[^\w-](--[a-z][a-z-]*[a-z])/#).map { String($0.1) })
    #expect(named.count > 20)
    #expect(named.subtracting(options).sorted() == [])
  }

  @Test("A longer option doesn't stand for a shorter one")
  func beginnings() {
    #expect(!Self.has("--live", in: "--live-photo and --lives"))
    #expect(Self.has("--live", in: "--lives, [--live]") && Self.has("--live", in: "--live"))
  }
}
