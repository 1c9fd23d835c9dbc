// The manual pages' form; that they name every option is tested beside each program.

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
}
