// The installed files: what data/packaging/install does, and what meson-notes.md says of it.

import Foundation
import TestSupport
import Testing

@Suite("Installation")
struct InstallTests {
  /// The table in meson-notes.md, and the files of a checkout that its rows name.
  struct Table {
    struct Row {
      var sources: [String]
      /// Below the prefix: a folder when it ends with a slash; `nil` for what isn't installed.
      var destination: String?
    }
    var rows: [Row]

    init(_ notes: String) {
      let section = notes.components(separatedBy: "## Installed files").dropFirst().first ?? ""
      rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n").compactMap { line in
        let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        guard cells.count == 4, cells[1].contains("`") else { return nil }
        let sources = cells[1].matches(of: #/`([^`]+)`/#).map { String($0.1) }
        return Row(sources: sources, destination: cells[2].firstMatch(of: #/`prefix/([^`]+)`/#).map { String($0.1) })
      }
    }

    /// The files that a source names: all below a folder, or those that a pattern of the shell matches.
    static func files(_ source: String, among paths: [String]) -> [String] {
      if source.hasSuffix("/") { return paths.filter { $0.hasPrefix(source) } }
      return paths.filter { fnmatch(source, $0, FNM_PATHNAME) == 0 }
    }

    /// Where a checkout's files are installed, below the prefix.
    func installed(of paths: [String]) -> Set<String> {
      var installed: Set<String> = []
      for row in rows {
        guard let destination = row.destination else { continue }
        for source in row.sources {
          // A program, or what a program writes.
          if !source.hasPrefix("data/") {
            installed.insert(destination.hasSuffix("/") ? destination + source : destination)
            continue
          }
          for file in Self.files(source, among: paths) {
            let name = String(file.split(separator: "/").last ?? "")
            if destination.hasSuffix("/") {
              installed.insert(destination + (source.hasSuffix("/") ? String(file.dropFirst(source.count)) : name))
            } else {
              installed.insert(
                destination.replacingOccurrences(of: "LANGUAGE", with: name.components(separatedBy: ".")[0]))
            }
          }
        }
      }
      return installed
    }

    /// The files that no row names.
    func unnamed(of paths: [String]) -> [String] {
      let named = Set(rows.flatMap(\.sources).flatMap { Self.files($0, among: paths) })
      return paths.filter { !named.contains($0) }
    }
  }

  /// A folder with the result of an installation of stand-ins for the programs.
  struct Installation {
    let folder: URL
    var root: String { folder.path + "/root" }

    init(prefix: String = "/usr") throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-install-\(UUID().uuidString)")
      let programs = folder.appendingPathComponent("programs")
      try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
      for name in ["photome", "photomectl", "photome-decoder"] {
        let program = programs.appendingPathComponent(name)
        try Data("#!/bin/sh\necho \"$LC_ALL ${LANGUAGE-} $0 $*\"\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
      }
      let complaint = try Command.complaint(
        of: "env", ["LANGUAGE=de", "data/packaging/install", programs.path, root, prefix], package: "gettext",
        at: ProjectTree.root)
      if let complaint { throw CommandFailure(output: complaint) }
    }

    func remove() throws { try FileManager.default.removeItem(at: folder) }

    /// The installed files and their permissions, by their paths below the prefix.
    func files(prefix: String = "/usr") throws -> [String: Int] {
      let top = URL(fileURLWithPath: root + prefix)
      let inside = try #require(FileManager.default.enumerator(at: top, includingPropertiesForKeys: [.isDirectoryKey]))
      var files: [String: Int] = [:]
      for case let file as URL in inside where !file.hasDirectoryPath {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        files[String(file.path.dropFirst(top.path.count + 1))] = attributes[.posixPermissions] as? Int
      }
      return files
    }

    func text(_ path: String) throws -> String { try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8) }
  }

  /// Translations are merged by msgfmt, which finds in polkit's package what to translate in action files.
  static let canTranslate =
    ProjectTree.paths(under: "data/po").allSatisfy { !$0.hasSuffix(".po") }
    || Command.areInstalled("msgfmt") && FileManager.default.fileExists(atPath: "/usr/share/gettext/its/polkit.its")

  static let data = ProjectTree.paths(under: "data")

  @Test("What is installed is what meson-notes.md says", .enabled(if: canTranslate, "needs gettext and polkitd"))
  func table() throws {
    let table = Table(try #require(ProjectTree.file("meson-notes.md")).text)
    let installation = try Installation()
    let installed = try installation.files()
    #expect(Set(installed.keys).subtracting(table.installed(of: Self.data)).sorted() == [], "not in meson-notes.md")
    #expect(table.installed(of: Self.data).subtracting(installed.keys).sorted() == [], "not installed")
    #expect(table.unnamed(of: Self.data) == [], "neither installed nor left out by meson-notes.md")
    for (path, permissions) in installed {
      let source = ProjectTree.root.appendingPathComponent("data/extensions/\(path.split(separator: "/").last ?? "")")
      let isProgram =
        ["bin/", "libexec/"].contains(where: path.hasPrefix)
        || FileManager.default.isExecutableFile(atPath: source.path)
      #expect(permissions == (isProgram ? 0o755 : 0o644), "\(path)")
    }
    try installation.remove()
  }

  @Test("A row too many, and a file without a row, are found")
  func tableFails() {
    let table = Table(
      """
      ## Installed files
      | `a`, `b` | `prefix/bin/` |
      | `data/ui/` | `prefix/share/ui/` |
      | `data/*.desktop` | `prefix/share/applications/`, as it is |
      | `data/po/*.po` | `prefix/share/locale/LANGUAGE/c.mo` |
      | `data/dev/` | not installed |
      ## Other
      | `c` | `prefix/bin/` |
      """)
    let paths = ["data/ui/x/y.ui", "data/z.desktop", "data/po/de.po", "data/dev/run", "data/po/z.desktop"]
    #expect(
      table.installed(of: paths) == [
        "bin/a", "bin/b", "share/ui/x/y.ui", "share/applications/z.desktop", "share/locale/de/c.mo",
      ])
    #expect(table.unnamed(of: paths) == ["data/po/z.desktop"])
  }

  @Test("The bus starts the program of the prefix", .enabled(if: canTranslate, "needs gettext and polkitd"))
  func prefix() throws {
    let installation = try Installation(prefix: "/app")
    let service = try installation.text("app/share/dbus-1/services/io.github.photome.PhotoMe.service")
    #expect(service.contains("\nExec=/app/bin/photome --gapplication-service"))
    #expect(try installation.files(prefix: "/app")["bin/photome"] != nil)
    let completions = try installation.text("app/share/fish/vendor_completions.d/photomectl.fish")
    #expect(completions.hasSuffix("/photomectl --generate-completion-script fish\n"))
    #expect(completions.hasPrefix("C.UTF-8  /"), "in English for everybody")
    try installation.remove()
  }
}
