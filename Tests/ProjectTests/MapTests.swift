// README's map, the landing pages and “How to add”, checked against the project.

import Foundation
import Testing

@Suite("Maps and guides")
struct MapTests {
  @Test("README's map is that of Package.swift and the rooms")
  func readme() throws {
    let map = HouseMap(
      try PackageDescription.current.get(), manifest: try #require(ProjectTree.file("Package.swift")).text,
      rooms: RoomTests.list)
    let readme = try #require(ProjectTree.file("README.md")).text
    let right = try #require(map.writing(into: readme), "README.md has no marks for the map")
    if ProcessInfo.processInfo.environment["PHOTOME_WRITE_MAP"] == "1" {
      try Data(right.utf8).write(to: ProjectTree.root.appendingPathComponent("README.md"))
    } else if right != readme {
      Issue.record("README's map is out of date. PHOTOME_WRITE_MAP=1 writes this:\n\n\(map.markdown)")
    }
  }

  @Test("A map shows rooms, and no dependency that another one brings along")
  func map() {
    func target(_ name: String, _ type: String, _ dependencies: [String]) -> PackageDescription.Target {
      PackageDescription.Target(
        name: name, type: type, dependencies: dependencies.map(PackageDescription.Dependency.init))
    }
    let package = PackageDescription(targets: [
      target("CLib", "system", []), target("Low", "regular", ["CLib"]), target("Middle", "regular", ["Low"]),
      target("top-most", "executable", ["Low", "Middle", "CLib"]), target("Tests", "test", ["Low"]),
    ])
    let manifest = """
        // The library.
        .systemLibrary(name: "CLib"),
        // Low things: `a`, b. And more.
        .target(
          name: "Low", dependencies: []),
        // Between.
        .target(name: "Middle"),
        // The "top".
        .executableTarget(name: "top-most"),
      """
    let map = HouseMap(package, manifest: manifest, rooms: RoomList("Low\n  Cellar  dark\n  Attic  light\n"))
    let expected = """
      ```mermaid
      flowchart TD
        top_most["<b>top-most</b><br/>The #quot;top#quot;"]
        Middle["<b>Middle</b><br/>Between"]
        Low["<b>Low</b><br/>Low things: a, b<br/><b>Cellar</b>: dark<br/><b>Attic</b>: light"]
        top_most --> Middle
        Middle --> Low
      ```

      C libraries, each a module map and an umbrella header:

      - `CLib`: The library
      """
    #expect(map.markdown == expected)
    let readme = "Before\n\(HouseMap.begin)\nold\n\(HouseMap.end)\nAfter\n"
    #expect(map.writing(into: readme) == "Before\n\(HouseMap.begin)\n\n\(expected)\n\n\(HouseMap.end)\nAfter\n")
    #expect(map.writing(into: "no marks") == nil)
  }

  @Test("A target's landing page lists its rooms", arguments: RoomTests.list.targets)
  func landingPage(_ target: RoomList.Target) throws {
    let path = "Sources/\(target.name)/\(target.name).docc/\(target.name).md"
    let page = try #require(ProjectTree.file(path), "\(path) is missing")
    #expect(Guides.faults(inLandingPage: page.text, of: target) == [])
  }

  @Test("Files that “How to add” names exist")
  func howToAdd() throws {
    let path = "Sources/PhotoMe/PhotoMe.docc/HowToAdd.md"
    let page = try #require(ProjectTree.file(path), "\(path) is missing")
    let paths = ProjectTree.files(under: "Sources", "Tests", "data", "Package.swift", "README.md").map(\.path)
    #expect(Guides.files(in: page.text).count > 20)
    #expect(Guides.missingFiles(in: page.text, paths: paths) == [])
    let readme = try #require(ProjectTree.file("README.md"))
    #expect(readme.text.contains("(\(path))"), "README.md doesn't link to \(path)")
  }

  @Test("Faults of a guide are named")
  func guidesFail() {
    let target = RoomList("House\n  Cellar  dark\n  Attic  light\n").targets[0]
    let right = "# ``House``\n\nA house.\n\n## Topics\n\n### Cellar\n\nDark.\n\n### Attic\n\n- ``Roof``\n"
    #expect(Guides.faults(inLandingPage: right, of: target) == [])
    #expect(Guides.faults(inLandingPage: right, of: RoomList.Target(name: "House")) == [])
    #expect(Guides.faults(inLandingPage: right.replacing("``House``", with: "House"), of: target).count == 1)
    #expect(Guides.faults(inLandingPage: right.replacing("### Attic", with: "### Garret"), of: target).count == 1)
    #expect(Guides.faults(inLandingPage: right.replacing("Dark.\n", with: ""), of: target).count == 1)
    #expect(Guides.faults(inLandingPage: right.replacing("A house.", with: ""), of: target).count == 1)

    let guide = "1. `A.swift`, `b/C.ui` and `swift build`\n"
    #expect(Guides.missingFiles(in: guide, paths: ["Sources/A.swift", "data/xb/C.ui"]) == ["b/C.ui"])
  }
}

/// Rules of the pages for readers of the code.
enum Guides {
  /// The faults of a target's landing page, which is named after the target, opens with a paragraph, and has the target's
  /// rooms as its topics, each with a line at least.
  static func faults(inLandingPage text: String, of target: RoomList.Target) -> [String] {
    let lines = text.split(separator: "\n")
    var faults: [String] = []
    if lines.first != "# ``\(target.name)``" { faults.append("it doesn't begin with # ``\(target.name)``") }
    if lines.count < 2 || lines[1].hasPrefix("#") { faults.append("it has no paragraph under its title") }
    guard !target.rooms.isEmpty else { return faults }
    let topics = lines.drop { $0 != "## Topics" }.dropFirst()
    let headings = topics.filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) }
    if headings != target.rooms.map(\.name) {
      faults.append("its topics are \(headings), its rooms \(target.rooms.map(\.name))")
    }
    for (line, next) in zip(topics, topics.dropFirst() + ["#"]) where line.hasPrefix("###") && next.hasPrefix("#") {
      faults.append("nothing is under “\(line)”")
    }
    return faults
  }

  /// The names of files in backticks.
  static func files(in text: String) -> [String] {
    text.matches(of: #/`([\w+\-\/.]+\.(?:swift|ui|txt|md|css|h|c|1))`/#).map { String($0.1) }
  }

  /// The files that a text names and the project doesn't have. A name may leave out the beginning of the path.
  static func missingFiles(in text: String, paths: [String]) -> [String] {
    files(in: text).filter { name in !paths.contains { $0 == name || $0.hasSuffix("/" + name) } }
  }
}
