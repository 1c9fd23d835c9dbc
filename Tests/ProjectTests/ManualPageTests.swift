// The manual pages' form and keys; that they name every option is tested beside each program.

import Foundation
import TestSupport
import Testing

@Suite("Manual pages")
struct ManualPageTests {
  static let pages = ProjectTree.files(under: "data/man")

  /// What `man` warns about in a page; empty when there is nothing.
  static func warnings(in page: String) throws -> String {
    let result = try Command.run(
      "man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], at: ProjectTree.root,
      environment: ProcessInfo.processInfo.environment.merging(["MANROFFSEQ": "", "MANWIDTH": "80"]) { $1 })
    return result.errors + (result.status == 0 ? "" : "status \(result.status)")
  }

  @Test("man has nothing to warn about", .enabled(if: Command.areInstalled("man", "groff"), "needs man-db and groff"))
  func warnings() throws {
    #expect(Self.pages.map(\.name) == ["photome.1", "photomectl.1"])
    for page in Self.pages { #expect(try Self.warnings(in: page.path) == "", "\(page.path)") }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let broken = folder.appendingPathComponent("broken.1")
    try Data(".TH BROKEN 1\n.SH NAME\nbroken \\- a page\n.NOTHING\n".utf8).write(to: broken)
    #expect(try Self.warnings(in: broken.path).contains("NOTHING"))
    try FileManager.default.removeItem(at: folder)
  }

  @Test("A page has the sections that readers look for", arguments: pages)
  func sections(_ page: ProjectFile) {
    let sections = page.text.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map { $0.dropFirst(4) }
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"] {
      #expect(sections.filter { $0 == section }.count == 1, "\(section)")
    }
  }

  /// The bold words of a section.
  static func boldWords(of section: String, in page: String) -> Set<String> {
    let text = page.components(separatedBy: "\n.SH ").first { $0.hasPrefix(section + "\n") } ?? ""
    var bold: Set<String> = []
    for line in text.replacingOccurrences(of: "\\-", with: "-").components(separatedBy: "\n") {
      if line.hasPrefix(".B ") { bold.insert(String(line.dropFirst(3))) }
      guard line.hasPrefix(".BR ") else { continue }
      // Bold and roman take turns; quotation marks keep spaces in one of them.
      let words = line.dropFirst(4).matches(of: #/"([^"]*)"|([^ "]+)/#).map { String($0.1 ?? $0.2 ?? "") }
      for (index, word) in words.enumerated() where index % 2 == 0 { bold.insert(word) }
    }
    return bold
  }

  /// The keys of the shortcuts window that a page doesn't have in the section about where they work.
  static func missingKeys(_ rows: [HelpPageTests.Row], in page: String) -> [String] {
    rows.flatMap { row -> [String] in
      let isOwn = ["Library", "Viewer"].contains(row.group)
      let section = row.group.hasPrefix("Editor: ") ? "EDITOR" : isOwn ? row.group.uppercased() : "KEYS"
      let named = boldWords(of: section, in: page)
      return row.keys.map { $0 == "Esc" ? "Escape" : $0 }.filter { !named.contains($0) }.map { "\(section): \($0)" }
    }
  }

  @Test("The page of photome has the keys of the shortcuts window")
  func keys() throws {
    let rows = HelpPageTests.rows(inLayout: try #require(ProjectTree.file("data/ui/shortcuts.ui")).text)
    let page = try #require(ProjectTree.file("data/man/photome.1")).text
    #expect(rows.count > 50)
    #expect(Self.missingKeys(rows, in: page) == [])
    // What is missing is found.
    let sample = ".TH A 1\n.SH KEYS\n.BR , \", \" \\- \" and \" Space\n.B Ctrl+,\n.SH VIEWER\n.B Escape\n"
    let some = [
      HelpPageTests.Row(group: "Camera", title: "", keys: [",", "-", "Space", "Ctrl+,", "Esc", "and"]),
      HelpPageTests.Row(group: "Viewer", title: "", keys: ["Esc", "Space"]),
    ]
    #expect(Self.missingKeys(some, in: sample) == ["KEYS: Escape", "KEYS: and", "VIEWER: Space"])
  }
}
