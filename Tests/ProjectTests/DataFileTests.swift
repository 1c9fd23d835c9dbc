// The files in data/, checked by their formats' own tools.

import Foundation
import TestSupport
import Testing

@Suite("Installed files")
struct DataFileTests {
  /// The tool that checks a file, its arguments and its Debian package; `nil` for files that need no check.
  static func checker(for path: String) -> (tool: String, arguments: [String], package: String)? {
    if path.hasSuffix(".metainfo.xml") || path.hasSuffix(".appdata.xml") {
      return ("appstreamcli", ["validate", "--no-net", path], "appstream")
    }
    if path.hasSuffix(".desktop") { return ("desktop-file-validate", [path], "desktop-file-utils") }
    // Not gtk4-builder-tool: it needs a display and doesn't know libadwaita's widgets.
    if [".ui", ".xml", ".svg", ".policy"].contains(where: path.hasSuffix) {
      return ("xmllint", ["--noout", "--nonet", path], "libxml2-utils")
    }
    return nil
  }

  static let checked = ProjectTree.files(under: "data").filter { checker(for: $0.path) != nil }

  /// The checkers' names.
  static let tools = ["appstreamcli", "desktop-file-validate", "xmllint"]
  static let hasTools = Command.areInstalled("appstreamcli", "desktop-file-validate", "xmllint")

  @Test(
    "A data file is valid", .enabled(if: hasTools, "needs \(tools.joined(separator: ", "))"), arguments: checked)
  func dataFile(_ file: ProjectFile) throws {
    let checker = try #require(Self.checker(for: file.path))
    #expect(
      try Command.complaint(of: checker.tool, checker.arguments, package: checker.package, at: ProjectTree.root) == nil)
  }

  @Test("Shell scripts have no syntax errors")
  func scripts() throws {
    let scripts = ProjectTree.files(under: "data/dev", ".ci").filter { $0.text.hasPrefix("#!/bin/bash") }
    #expect(scripts.count >= 2)
    for script in scripts {
      #expect(
        try Command.complaint(of: "bash", ["-n", script.path], package: "bash", at: ProjectTree.root) == nil,
        "\(script.path)")
    }
  }

  @Test(
    "Each checker complains about a broken file", .enabled(if: hasTools, "needs \(tools.joined(separator: ", "))"),
    arguments: [
      ("broken.desktop", "[Desktop Entry]\nType=Nothing\n"),
      ("broken.metainfo.xml", "<component><id>a</id></component>"),
      ("broken.ui", "<interface><object></interface>"),
    ])
  func checkersFail(name: String, text: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    let checker = try #require(Self.checker(for: file.path))
    let complaint = try Command.complaint(
      of: checker.tool, checker.arguments, package: checker.package, at: ProjectTree.root)
    #expect(complaint != nil)
  }
}
