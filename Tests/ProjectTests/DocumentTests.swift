// The documents at the project's root: their links.

import Foundation
import Testing

@Suite("Documents")
struct DocumentTests {
  static let names = ["README.md", "CONTRIBUTING.md", "PRIVACY.md", "meson-notes.md"]

  /// The targets of links and pictures in a Markdown text, without those of other sites.
  static func links(in text: String) -> [String] {
    text.matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.1) }.filter { !$0.contains("://") }
  }

  /// The anchors of a Markdown text's headings, as GitHub makes them.
  static func anchors(in text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
        heading.drop { "# ".contains($0) }.lowercased().filter { $0.isLetter || $0.isNumber || "- _".contains($0) }
          .replacing(" ", with: "-")
      })
  }

  /// The links of a document at the root that lead nowhere.
  static func deadLinks(in text: String, exists: (String) -> Bool, read: (String) -> String?) -> [String] {
    links(in: text).filter { link in
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts[0].isEmpty || exists(parts[0]) else { return true }
      guard parts.count > 1 else { return false }
      return !anchors(in: parts[0].isEmpty ? text : read(parts[0]) ?? "").contains(parts[1])
    }
  }

  @Test("A link leads to a file of the project, and to a heading of it", arguments: names)
  func links(_ name: String) throws {
    let text = try #require(ProjectTree.file(name)).text
    let dead = Self.deadLinks(
      in: text, exists: { FileManager.default.fileExists(atPath: ProjectTree.root.appendingPathComponent($0).path) },
      read: { ProjectTree.file($0)?.text })
    #expect(dead == [])
  }

  @Test("The README leads to the other documents")
  func readme() throws {
    let links = Self.links(in: try #require(ProjectTree.file("README.md")).text)
    for name in Self.names.dropFirst() { #expect(links.contains { $0.hasPrefix(name) }, "\(name)") }
  }

  @Test("A dead link is found")
  func deadLinks() {
    let text =
      "# One two!\n[a](A.md) ![b](B.md) [c](A.md#here) [d](A.md#there) [e](#one-two) [f](#two) [g](https://h/i)"
    #expect(
      Self.deadLinks(in: text, exists: { $0 == "A.md" }, read: { _ in "## Here\n" }) == ["B.md", "A.md#there", "#two"])
  }
}
