// The translations' template and catalogs, held against the source.

import Foundation
import TestSupport
import Testing

@Suite("Translations")
struct TranslationTests {
  static let hasTools = Command.areInstalled("python3", "xgettext", "msgfmt", "msgcat")
  static let catalogs = ProjectTree.files(under: "data/po").filter { $0.path.hasSuffix(".po") }

  @Test(
    "The template has every text of the source", .enabled(if: hasTools, "needs python3 and gettext"))
  func template() throws {
    let result = try Command.run("data/dev/translations", ["--check"], at: ProjectTree.root)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("A catalog is well-formed and complete", .enabled(if: hasTools, "needs gettext"), arguments: catalogs)
  func catalog(_ file: ProjectFile) throws {
    let result = try Command.run(
      "msgfmt", ["-c", "--check-accelerators=_", "--statistics", "-o", "/dev/null", file.path], at: ProjectTree.root)
    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.errors.contains("untranslated") && !result.errors.contains("fuzzy"), "\(result.errors)")
  }

  @Test("An editing extension has its name and comment in every language in its own file")
  func extensions() throws {
    let extensions = ProjectTree.files(under: "data/extensions", suffixes: ["extension"])
    #expect(!extensions.isEmpty && !Self.catalogs.isEmpty)
    for file in extensions {
      for key in ["Name", "Comment"] {
        let missing = Self.catalogs.map(\.stem).filter { !file.text.contains("\n\(key)[\($0)]=") }
        #expect(missing == [], "\(file.path): \(key)")
      }
    }
  }

  @Test("The pseudo-language has a longer text in brackets for each", .enabled(if: hasTools, "needs gettext"))
  func pseudo() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-pseudo-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let made = try Command.run("data/dev/translations", ["--pseudo", folder.path], at: ProjectTree.root)
    #expect(made.status == 0, "\(made.errors)")
    let catalog = folder.appendingPathComponent("qps/LC_MESSAGES/photome.mo").path
    let texts = try Command.run("msgunfmt", ["--no-wrap", catalog], at: ProjectTree.root).output
    let translations = texts.split(separator: "\n").filter { $0.hasPrefix("msgstr") && !$0.hasSuffix("\"\"") }
    #expect(translations.count > 300)
    #expect(translations.allSatisfy { $0.contains("\"[") && $0.hasSuffix("]\"") })
  }
}
