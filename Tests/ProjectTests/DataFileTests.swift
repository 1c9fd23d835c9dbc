// The files in data/, checked by their formats' own tools.

import Foundation
import TestSupport
import Testing

@Suite("Installed files")
struct DataFileTests {
  /// The tool that checks a file, its arguments and its Debian package; `nil` for files that need no check.
  static func checker(for path: String) -> (tool: String, arguments: [String], package: String)? {
    if path.hasSuffix(".metainfo.xml") || path.hasSuffix(".appdata.xml") {
      return ("appstreamcli", ["validate", "--pedantic", "--no-net", path], "appstream")
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

  /// A remark of appstreamcli that stays: the id has its capitals from the name, and is the one of the bus.
  static let acceptedRemark = "cid-contains-uppercase-letter"

  @Test("AppStream has nothing to remark", .enabled(if: hasTools, "needs \(tools.joined(separator: ", "))"))
  func metainfo() throws {
    let report = try Command.run(
      "appstreamcli",
      ["validate", "--pedantic", "--no-net", "--no-color", "data/io.github.photome.PhotoMe.metainfo.xml"],
      at: ProjectTree.root)
    let remarks = report.output.split(separator: "\n").filter { $0.contains(#/^[EWIP]: /#) }
    // From version 1.0 on it wants another tag for the developer, which 0.16 doesn't know.
    #expect(remarks.filter { !$0.contains(Self.acceptedRemark) && !$0.contains("developer-name-tag-deprecated") } == [])
    #expect(remarks.contains { $0.contains(Self.acceptedRemark) })
  }

  @Test("Each screenshot of the metainfo is in the repository")
  func screenshots() throws {
    let metainfo = try #require(ProjectTree.file("data/io.github.photome.PhotoMe.metainfo.xml")).text
    let images = metainfo.matches(of: #/<image[^>]*>https:\/\/[^<]*\/([^<\/]+)<\/image>/#).map { String($0.1) }
    let pictures = ProjectTree.paths(under: "data/screenshots").map { String($0.dropFirst("data/screenshots/".count)) }
    #expect(images.sorted() == pictures.filter { $0.hasSuffix(".png") })
    #expect(metainfo.ranges(of: "<caption>").count == images.count)
  }

  @Test("Icons have their usual sizes, and symbolic ones a single color")
  func icons() throws {
    let icons = ProjectTree.files(under: "data/icons", suffixes: ["svg"])
    #expect(icons.count > 5)
    for icon in icons {
      let isSymbolic = icon.name.hasSuffix("-symbolic.svg")
      let size = isSymbolic ? 16 : 128
      #expect(
        icon.text.contains("width=\"\(size)\" height=\"\(size)\" viewBox=\"0 0 \(size) \(size)\""), "\(icon.path)")
      if isSymbolic {
        let colors = Set(icon.text.matches(of: #/(?:fill|stroke)="(#[0-9a-f]+)"/#).map { String($0.1) })
        #expect(colors == ["#2e3436"], "\(icon.path)")
      }
    }
    let id = "io.github.photome.PhotoMe"
    let app = "data/icons/hicolor/scalable/apps/\(id).svg"
    #expect(icons.contains { $0.path == app })
    #expect(icons.contains { $0.path == "data/icons/hicolor/symbolic/apps/\(id)-symbolic.svg" })
  }

  @Test("Each icon of ours that the program names is there, and each that is there is named")
  func namedIcons() {
    let names = ProjectTree.files(
      under: "Sources/PhotoMe", "Sources/CameraModels", "data/ui", suffixes: ["swift", "ui"]
    )
    .flatMap { $0.text.matches(of: #/["'>](photome-[a-z-]+)["'<]/#).map { String($0.1) } }
    let icons = ProjectTree.paths(under: "data/icons/hicolor/scalable").filter { !$0.contains("/apps/") }
      .compactMap { $0.split(separator: "/").last?.dropLast(".svg".count) }
    #expect(Set(icons.map(String.init)) == Set(names))
  }

  @Test("Shell scripts have no syntax errors")
  func scripts() throws {
    let scripts = ProjectTree.files(under: "data/dev", "data/packaging", ".ci").filter {
      $0.text.hasPrefix("#!/bin/bash")
    }
    #expect(scripts.count >= 5)
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
