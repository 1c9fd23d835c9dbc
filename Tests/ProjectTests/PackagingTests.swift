// The packages of distributions: their versions, relations, licenses and permissions.

import Foundation
import TestSupport
import Testing

@Suite("Packages")
struct PackagingTests {
  /// A text file of the project.
  static func text(_ path: String) throws -> String { try #require(ProjectTree.file(path), "\(path)").text }

  /// The lines of a table of packages: the kind, the package, the reason.
  static func table(_ path: String) throws -> [(kind: String, name: String, reason: String)] {
    try text(path).split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true).map(String.init)
      return (words[0], words.count > 1 ? words[1] : "", words.count > 2 ? words[2] : "")
    }
  }

  /// The value of a field of a Debian control file, with its further lines.
  static func field(_ name: String, of control: String) -> String? {
    var value: String?
    for line in control.components(separatedBy: "\n") where !line.hasPrefix("#") {
      if let known = value {
        guard line.hasPrefix(" ") else { return known }
        value = known + line
      } else if line.hasPrefix("\(name):") {
        value = String(line.dropFirst(name.count + 1))
      }
    }
    return value
  }

  /// The names in a relation field, without versions.
  static func names(in relations: String) -> [String] {
    relations.split(separator: ",").map { String($0.drop { $0 == " " }.prefix { !" (".contains($0) }) }
      .filter { !$0.isEmpty }
  }

  @Test("The program, the package and the metainfo have one version")
  func version() throws {
    let source = try Self.text("Sources/CameraCore/System/ProgramVersion.swift")
    let program = try #require(source.firstMatch(of: #/text = "([0-9.]+)"/#)?.1)
    let changelog = try Self.text("data/packaging/deb/debian/changelog")
    let package = try #require(changelog.firstMatch(of: #/^photome \(([^)]*)-[0-9]+\)/#)?.1)
    #expect(package == program)
    let metainfo = try Self.text("data/io.github.photome.PhotoMe.metainfo.xml")
    let release = try #require(metainfo.firstMatch(of: #/<release version="([^"]*)"/#)?.1)
    #expect(release == program)
  }

  @Test("What the package is built with are the packages of data/dev/packages")
  func buildDependencies() throws {
    let control = try Self.text("data/packaging/deb/debian/control")
    var declared = Set(Self.names(in: try #require(Self.field("Build-Depends", of: control))))
    #expect(declared.remove("debhelper-compat") != nil)
    let lines = try Self.table("data/dev/packages")
    let build = Set(lines.filter { $0.kind == "build" }.map(\.name))
    let packaging = Set(lines.filter { $0.kind == "deb" }.map(\.name))
    #expect(build.subtracting(declared).sorted() == [])
    #expect(declared.subtracting(build).subtracting(packaging).sorted() == [])
  }

  @Test("Each package that is used at run time has a kind and a reason")
  func runTimePackages() throws {
    let lines = try Self.table("data/packaging/deb/packages")
    #expect(lines.count > 10)
    for line in lines {
      #expect(["Depends", "Recommends", "Suggests", "None"].contains(line.kind), "\(line)")
      #expect(line.reason.count > 10, "\(line)")
    }
    #expect(Set(lines.map(\.name)).count == lines.count)
    let named = Set(lines.map(\.name))
    // What a checkout installs to run the program, and what the program names where an element is missing.
    let run = try Self.table("data/dev/packages").filter { $0.kind == "run" }.map(\.name)
    let runtime = try Self.text("Sources/MediaEngine/GStreamer/GStreamerRuntime.swift")
    let elements = runtime.matches(of: #/"(gstreamer1\.0-[a-z-]+)"/#).map { String($0.1) }
    #expect(run.count > 5 && elements.count > 5)
    #expect(Set(run + elements).subtracting(named).sorted() == [])
    // The rules take these kinds from the table, and the control file has a place for each.
    let control = try Self.text("data/packaging/deb/debian/control")
    for kind in ["Depends", "Recommends", "Suggests"] {
      #expect(Self.field(kind, of: control)?.contains("${photome:\(kind)}") == true)
    }
  }

  @Test("The license of each Swift package that is linked is in the package's copyright file")
  func licenses() throws {
    let copyright = try Self.text("data/packaging/deb/debian/copyright")
    let packages = try Self.text("Package.swift").matches(of: #/\.package\(url: "[^"]*/([^"/]+)"/#).map { $0.1 }
    #expect(packages.count >= 4)
    for package in packages { #expect(copyright.contains("\(package)/*"), "\(package)") }
    // Each license that a paragraph of files names has its own paragraph.
    let names = copyright.matches(of: #/\nLicense: ([^\n]+)/#).map { String($0.1) }
    for name in Set(names) { #expect(names.filter { $0 == name }.count >= 2, "\(name)") }
  }

  /// The lines of a list in a YAML file without quotes, each with whether a comment is above it or above the items before it
  /// that have none.
  static func items(of list: String, in yaml: String) -> [(value: String, isExplained: Bool)] {
    let lines = yaml.components(separatedBy: "\n")
    guard let first = lines.firstIndex(of: "\(list):") else { return [] }
    var items: [(String, Bool)] = []
    var isExplained = false
    for line in lines[(first + 1)...] {
      guard line.hasPrefix("  ") else { break }
      let text = line.drop { $0 == " " }
      if text.hasPrefix("#") { isExplained = true } else { items.append((String(text.dropFirst(2)), isExplained)) }
    }
    return items
  }

  static let flatpak = "data/packaging/flatpak/io.github.photome.PhotoMe.yml"

  @Test("The Flatpak has the permissions that PhotoMe needs, each with its reason")
  func permissions() throws {
    let manifest = try Self.text(Self.flatpak)
    let permissions = Self.items(of: "finish-args", in: manifest)
    #expect(
      permissions.map(\.value) == [
        "--socket=wayland", "--socket=fallback-x11", "--share=ipc", "--socket=pulseaudio", "--device=dri",
        "--filesystem=xdg-pictures", "--filesystem=xdg-data/Trash:ro", "--filesystem=xdg-cache/thumbnails:create",
        "--talk-name=org.gnome.ScreenSaver", "--talk-name=org.cinnamon.ScreenSaver",
        "--talk-name=org.mate.ScreenSaver", "--talk-name=org.freedesktop.ScreenSaver",
        "--system-talk-name=org.freedesktop.login1",
      ])
    #expect(permissions.filter { !$0.isExplained }.map(\.value) == [])
    // The network is for the build alone.
    #expect(!permissions.contains { $0.value == "--share=network" })
  }

  @Test("The Flatpak may talk to every screen saver that is watched")
  func screenSavers() throws {
    let watch = try Self.text("Sources/GtkShim/PmSessionWatch.c")
    let savers = watch.matches(of: #/\{"([a-zA-Z.]+\.ScreenSaver)"/#).map { "--talk-name=\($0.1)" }
    let permissions = Self.items(of: "finish-args", in: try Self.text(Self.flatpak)).map(\.value)
    #expect(savers.count >= 4 && savers.filter { !permissions.contains($0) } == [])
  }

  @Test("A permission without a reason is found")
  func permissionsFail() {
    let items = Self.items(of: "list", in: "a: b\nlist:\n  - --one\n  # Why.\n  - --two\nmore:\n  - --three")
    #expect(items.map(\.value) == ["--one", "--two"] && items.map(\.isExplained) == [false, true])
  }

  @Test("The Flatpak has the program's id, command and installation")
  func flatpakNames() throws {
    let lines = try Self.text(Self.flatpak).components(separatedBy: "\n")
    let desktop = try Self.text("data/io.github.photome.PhotoMe.desktop").components(separatedBy: "\n")
    #expect(lines.contains("app-id: io.github.photome.PhotoMe"))
    #expect(lines.contains("command: photome") && desktop.contains("Exec=photome %U"))
    #expect(lines.contains { $0.hasSuffix("- data/packaging/install .build/release / /app") })
    // Tabs, and lists out of step, are what YAML forbids.
    #expect(!lines.contains { $0.contains("\t") || $0.hasSuffix(" ") })
    #expect(lines.allSatisfy { $0.prefix { $0 == " " }.count % 2 == 0 })
  }

  @Test(
    "The Flatpak's manifest is YAML",
    .enabled(
      if: (try? Command.run("python3", ["-c", "import yaml"], at: ProjectTree.root).status) == 0, "needs PyYAML"))
  func flatpakIsYAML() throws {
    let check = """
      import sys, yaml
      manifest = yaml.safe_load(open(sys.argv[1]))
      print(manifest["app-id"], manifest["modules"][-1]["name"])
      """
    let result = try Command.run("python3", ["-c", check, Self.flatpak], at: ProjectTree.root)
    #expect(result.output == "io.github.photome.PhotoMe photome\n", "\(result.errors)")
  }
}
