// The help pages, checked by Yelp's own tool, their list of keys, and the names of controls in them.

import Foundation
import TestSupport
import Testing

@Suite("Help pages")
struct HelpPageTests {
  static let folder = "data/help/C"
  static let pages = ProjectTree.files(under: folder, suffixes: ["page"])
  /// The checks of yelp-check that a set of pages must pass.
  static let checks = ["validate", "links", "orphans"]

  /// What a check of yelp-check says of the pages in a folder; empty when there is nothing.
  static func complaints(_ check: String, _ folder: String) throws -> String {
    let result = try Command.run("yelp-check", [check, folder], at: ProjectTree.root)
    return result.output + result.errors + (result.status == 0 ? "" : "status \(result.status)")
  }

  @Test(
    "Pages are valid, their links lead somewhere, and each can be reached",
    .enabled(if: Command.areInstalled("yelp-check", "xmllint", "xsltproc"), "needs yelp-tools"), arguments: checks)
  func valid(_ check: String) throws {
    #expect(Self.pages.count > 30)
    #expect(try Self.complaints(check, Self.folder) == "")
    // What is wrong is found.
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (id, guide) in [("index", ""), ("lost", "<info><link type=\"seealso\" xref=\"gone\"/></info>")] {
      let page = """
        <page xmlns="http://projectmallard.org/1.0/" type="\(id == "index" ? "guide" : "topic")" id="\(id)">
        \(guide)<title>A page</title><nothing/></page>
        """
      try Data(page.utf8).write(to: folder.appendingPathComponent("\(id).page"))
    }
    #expect(try Self.complaints(check, folder.path) != "")
    try FileManager.default.removeItem(at: folder)
  }

  @Test("A page has its file's name as its ID, a place in a guide, a summary and the license", arguments: pages)
  func form(_ page: ProjectFile) {
    #expect(page.text.contains(" id=\"\(page.stem)\">"))
    #expect(page.text.contains("<desc>"))
    #expect(page.text.contains("<xi:include href=\"legal.xml\"/>"))
    #expect(page.stem == "index" || page.text.contains("<link type=\"guide\" xref=\"index#"))
  }

  /// A line of the list of keys: the group, what they do, and the keys as people write them.
  struct Row: Hashable, CustomStringConvertible {
    var group: String
    var title: String
    var keys: [String]
    var description: String { "\(group): \(title): \(keys.joined(separator: " "))" }
  }

  /// The parts of a text that begin with a mark; what is before the first is left out.
  static func parts(of text: String, at mark: String) -> ArraySlice<String> {
    text.components(separatedBy: mark).dropFirst()
  }

  /// Rows of the window with the keyboard shortcuts. The groups of its second section have its title before theirs.
  static func rows(inLayout text: String) -> [Row] {
    func title(_ part: String) -> String { String(part.firstMatch(of: #/name="title"[^>]*>([^<]*)</#)?.1 ?? "") }
    return parts(of: text, at: "\"GtkShortcutsSection\"").enumerated().flatMap { index, section in
      parts(of: section, at: "\"GtkShortcutsGroup\"").flatMap { group in
        parts(of: group, at: "\"GtkShortcutsShortcut\"").map { shortcut in
          let keys = shortcut.firstMatch(of: #/name="accelerator">([^<]*)</#)?.1 ?? ""
          return Row(
            group: index == 0 ? title(group) : "\(title(section)): \(title(group))", title: title(shortcut),
            keys: keys.split(separator: " ").map(written))
        }
      }
    }
  }

  /// Rows of the help page of keys.
  static func rows(inPage text: String) -> [Row] {
    parts(of: text, at: "<section").flatMap { section in
      let group = section.firstMatch(of: #/<title>([^<]*)</#)?.1 ?? ""
      return parts(of: section, at: "<tr>").map { row in
        let cells = row.matches(of: #/<td>\s*<p>(.*?)<\/p>\s*<\/td>/#.dotMatchesNewlines()).map { String($0.1) }
        let keys = (cells.last ?? "").matches(of: #/<keyseq>(.*?)<\/keyseq>|<key>(.*?)<\/key>/#).map { match in
          String(match.1 ?? match.2 ?? "").replacing("</key><key>", with: "+").replacing(#/<\/?key>/#, with: "")
        }
        return Row(group: String(group), title: cells.first ?? "", keys: keys)
      }
    }
  }

  /// `&lt;Control&gt;comma` as people write it: `Ctrl+,`.
  static func written(_ accelerator: Substring) -> String {
    let names = [
      "space": "Space", "Return": "Enter", "Escape": "Esc", "plus": "+", "minus": "-", "comma": ",", "period": ".",
      "bracketleft": "[", "bracketright": "]", "question": "?",
    ]
    let parts = accelerator.replacing("&lt;", with: "").replacing("&gt;", with: "+").split(separator: "+")
    return parts.map { part in
      part == "Control" ? "Ctrl" : names[String(part)] ?? (part.count == 1 ? part.uppercased() : String(part))
    }.joined(separator: "+")
  }

  /// Names in the pages that aren't texts of the program: of the desktop's settings, of its folder for pictures, and of an
  /// editing extension.
  static let namesOfOthers: Set = ["Privacy", "Pictures", "Oil Painting"]

  /// The names of controls in a page.
  static func controls(inPage text: String) -> [String] {
    text.matches(of: #/<gui>(.*?)<\/gui>/#.dotMatchesNewlines()).map { match in
      match.1.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  /// A text without the marks of keys, and without the ellipsis at its end.
  static func plain(_ text: String) -> String {
    let plain = text.replacing("_", with: "")
    return plain.hasSuffix("…") ? String(plain.dropLast()) : plain
  }

  /// The texts of a translations' template that have one line.
  static func texts(inTemplate text: String) -> Set<String> {
    let beginning = "msgid \""
    let lines = text.components(separatedBy: "\n").filter { $0.hasPrefix(beginning) && $0.hasSuffix("\"") }
    return Set(lines.map { plain(String($0.dropFirst(beginning.count).dropLast())) })
  }

  static let programTexts = texts(inTemplate: ProjectTree.file("data/po/photome.pot")?.text ?? "")

  /// The names in a page that are neither among the program's texts nor of others.
  static func unknownControls(inPage text: String, texts: Set<String>) -> [String] {
    controls(inPage: text).filter { !texts.contains(plain($0)) && !namesOfOthers.contains($0) }
  }

  @Test("A control has the name that the program gives it", arguments: pages)
  func controls(_ page: ProjectFile) {
    #expect(Self.programTexts.count > 1000)
    #expect(Self.unknownControls(inPage: page.text, texts: Self.programTexts) == [])
  }

  @Test("A name that the program doesn't have is found")
  func unknownControls() {
    let template = "msgid \"_Export…\"\nmsgstr \"\"\n\n#: a\nmsgid \"All Items\"\nmsgstr \"\"\n"
    let page =
      "<gui>All</gui> <gui>All\n  Items</gui> <gui>Export</gui> <gui>Privacy</gui> <gui>Export…</gui> <gui>A…</gui>"
    #expect(Self.unknownControls(inPage: page, texts: Self.texts(inTemplate: template)) == ["All", "A…"])
    // Each of the names of others is in some page.
    let used = Set(Self.pages.flatMap { Self.controls(inPage: $0.text) })
    #expect(Self.namesOfOthers.subtracting(used) == [])
  }

  @Test("The page of keys has the keys of the shortcuts window, in their groups and order")
  func keys() throws {
    let layout = Self.rows(inLayout: try #require(ProjectTree.file("data/ui/shortcuts.ui")).text)
    let page = Self.rows(inPage: try #require(ProjectTree.file("\(Self.folder)/keyboard.page")).text)
    #expect(layout.count > 50 && layout.allSatisfy { !$0.title.isEmpty && !$0.keys.isEmpty })
    #expect(layout.filter { !page.contains($0) } == [], "not in the page")
    #expect(page.filter { !layout.contains($0) } == [], "not in the window")
    #expect(layout == page)
  }

  @Test("Keys of both are read")
  func keysFail() {
    let layout = """
      <object class="GtkShortcutsSection"><property name="title" translatable="yes">All</property>
      <object class="GtkShortcutsGroup"><property name="title">One</property>
      <object class="GtkShortcutsShortcut"><property name="title">Do</property>
      <property name="accelerator">&lt;Control&gt;&lt;Shift&gt;z F1 plus</property>
      <object class="GtkShortcutsSection"><property name="title">More</property>
      <object class="GtkShortcutsGroup"><property name="title">Two</property>
      <object class="GtkShortcutsShortcut"><property name="title">Undo</property>
      <property name="accelerator">bracketleft</property>
      """
    let page = """
      <section id="a"><title>One</title><table><tr>
      <td><p>Do</p></td>
      <td><p><keyseq><key>Ctrl</key><key>Shift</key><key>Z</key></keyseq> <key>F1</key> <key>+</key></p></td>
      </tr></table></section>
      <section id="b"><title>More: Two</title><table><tr><td><p>Undo</p></td><td>
        <p><key>[</key></p>
      </td></tr></table></section>
      """
    let rows = [
      Row(group: "One", title: "Do", keys: ["Ctrl+Shift+Z", "F1", "+"]),
      Row(group: "More: Two", title: "Undo", keys: ["["]),
    ]
    #expect(Self.rows(inLayout: layout) == rows)
    #expect(Self.rows(inPage: page) == rows)
  }
}
