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
      var abstract: String?
    }
    struct Command: Decodable {
      var commandName: String
      var abstract: String?
      var discussion: String?
      var arguments: [Argument]?
      var subcommands: [Command]?

      var options: [String] { (arguments ?? []).flatMap { $0.names ?? [] }.map(\.option) }

      /// The command and all below it, with the words that call them.
      func all(below words: [String] = []) -> [(words: [String], command: Command)] {
        let own = words + [commandName]
        return [(own, self)] + (subcommands ?? []).flatMap { $0.all(below: own) }
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

  /// The options that all commands have; the page explains them once, in its list of options.
  static let common: Set = ["-h", "--help", "--version", "--json", "--library"]

  /// An entry of a list, or of the synopsis.
  struct Entry {
    /// Its first line, without markup.
    var heading: String
    /// The heading and all lines below it, with those of lists in it.
    var text: String
  }

  /// The entries of a page's lists, and of its synopsis.
  static func entries(of page: String) -> [Entry] {
    var entries: [Entry] = []
    var (section, depth, isHeading, isOpen) = ("", 0, false, false)
    for line in page.components(separatedBy: "\n") {
      let words = line.hasPrefix(".") ? line.drop { $0 != " " }.drop { $0 == " " } : line[...]
      if line.hasPrefix(".SH ") {
        (section, depth, isHeading, isOpen) = (String(words), 0, false, false)
      } else if line == ".RS" || line == ".RE" {
        depth += line == ".RS" ? 1 : -1
      } else if line == ".TP", depth == 0 {
        isHeading = true
      } else if isHeading {
        entries.append(Entry(heading: String(words), text: line))
        (isHeading, isOpen) = (false, true)
      } else if section == "SYNOPSIS", words.hasPrefix("photomectl ") {
        entries.append(Entry(heading: String(words.dropFirst("photomectl ".count)), text: line))
        isOpen = true
      } else if isOpen, let last = entries.indices.last {
        entries[last].text += "\n" + line
      }
    }
    return entries
  }

  /// What a page says of a command: the entries under its words, or under those of the command that it belongs to, as
  /// those of `library album` stand together.
  static func part(about words: [String], in entries: [Entry]) -> String {
    for count in stride(from: words.count, to: 0, by: -1) {
      let name = words.prefix(count).joined(separator: " ")
      let own = entries.filter { $0.heading == name || $0.heading.hasPrefix(name + " ") }
      if !own.isEmpty { return own.map(\.text).joined(separator: "\n") }
    }
    return ""
  }

  /// The options of a command that a page doesn't explain where it speaks of the command, or of all commands.
  static func missing(_ options: [String], of words: [String], in page: String) -> [String] {
    let own = part(about: words, in: entries(of: page))
    let shared = page.components(separatedBy: "\n.SH ").first { $0.hasPrefix("OPTIONS\n") } ?? ""
    return options.filter { !has($0, in: common.contains($0) ? shared : own) }
  }

  @Test("It has every command, and each option beside its command")
  func options() throws {
    let place = try Place()
    let commands = try place.decode(Description.self, ["--experimental-dump-help"]).command.all()
    #expect(commands.count > 20)
    let page = try Self.page()
    for (words, command) in commands where words.last != "help" {
      #expect(Self.has(words.last ?? "", in: page), "\(words)")
      let missing = Self.missing(command.options, of: Array(words.dropFirst()), in: page)
      #expect(missing == [], "\(words)")
    }
  }

  @Test("An option that stands beside another command only is missed")
  func missingOptions() {
    let page = """
      .SH SYNOPSIS
      .B photomectl one
      .RB [ --first ]
      .br
      .B photomectl group
      .SH COMMANDS
      .TP
      .B one
      takes --second, as
      .B photomectl group
      does.
      .TP
      group two NAME [--third], three
      has a list:
      .RS
      .TP
      --fourth
      an option.
      .RE
      .SH OPTIONS
      .TP
      .B --json
      prints --third.
      """
    let all = ["--first", "--second", "--third", "--fourth", "--json"]
    #expect(Self.missing(all, of: ["one"], in: page) == ["--third", "--fourth"])
    #expect(Self.missing(all, of: ["group", "two"], in: page) == ["--first", "--second"])
    #expect(Self.missing(all, of: ["group", "three"], in: page) == ["--first", "--second"])
    #expect(Self.missing(all, of: ["four"], in: page) == ["--first", "--second", "--third", "--fourth"])
    #expect(Self.missing(["--help"], of: ["one"], in: page) == ["--help"])
  }

  @Test("It has no option that no command has")
  func inventedOptions() throws {
    let place = try Place()
    let commands = try place.decode(Description.self, ["--experimental-dump-help"]).command.all()
    let options = Set(commands.flatMap(\.command.options))
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
