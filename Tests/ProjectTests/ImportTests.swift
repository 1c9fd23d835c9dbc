// Checks imports and includes against Package.swift and the reserved modules.

import Testing

@Suite("Imports")
struct ImportTests {
  @Test("A Swift file imports only what its target depends on", arguments: ProjectTree.swiftSources)
  func swiftFile(_ file: ProjectFile) throws {
    let target = try #require(try PackageDescription.current.get().target(file.target))
    #expect(
      ImportRules.faults(inSwift: file.text, of: file.target, dependencies: Set(target.dependencyNames)) == [])
  }

  @Test("A C file includes no reserved header", arguments: ProjectTree.cSources)
  func cFile(_ file: ProjectFile) {
    #expect(ImportRules.reserved(ImportScanner.headers(inC: file.text).map(\.name), in: file.target) == [])
  }

  @Test("Dependencies point down in Package.swift's order, and each is used")
  func dependencies() throws {
    let targets = try PackageDescription.current.get().targets.filter { !$0.isForTests }
    let imports = Dictionary(grouping: ProjectTree.swiftSources, by: \.target).mapValues { files in
      Set(files.flatMap { ImportScanner.modules(inSwift: $0.text).map(\.name) })
    }
    #expect(ImportRules.faults(in: targets, imports: imports) == [])
  }

  @Test("Every form of an import is seen")
  func scannerSeesImports() {
    let text = """
      // import Comment
      /* import /* import Nested */ Block */
      import Foundation
      @testable import Tested
      internal import struct Kind.Type
      @preconcurrency @_spi(Some) public import SPI
      @_exported
      import Exported; import Second
      #if canImport(Glibc) && !canImport(Asked)
        private import func Glibc.write
      #endif
      let text = "import Literal \\(call("import Inner"))", raw = #"" import Raw "#
      let lines = \"\"\"
        import Lines
        \"\"\"
      func important() { important(import: 1) }
      """
    let expected = [
      "Foundation", "Tested", "Kind", "SPI", "Exported", "Second", "Glibc", "Asked", "Glibc",
    ]
    #expect(ImportScanner.modules(inSwift: text).map(\.name) == expected)
    #expect(ImportScanner.modules(inSwift: text).first == FoundImport(name: "Foundation", line: 3))
    #expect(
      ImportScanner.headers(inC: "#include <gst/gst.h>\n  # import \"own.h\"\n// #include <no.h>").map(\.name) == [
        "gst/gst.h", "own.h",
      ])
  }

  @Test("An import without a dependency is refused")
  func undeclaredImport() {
    let text = "import Foundation\n@testable import CameraCore\nimport Logging"
    #expect(ImportRules.faults(inSwift: text, of: "PhotoEffects", dependencies: ["CameraCore", "Logging"]) == [])
    #expect(
      ImportRules.faults(inSwift: text, of: "PhotoEffects", dependencies: ["Logging"]) == [
        "line 2: PhotoEffects doesn't depend on CameraCore"
      ])
  }

  @Test("Each reserved name is refused elsewhere, even as a declared dependency")
  func reservedNames() {
    for reservation in ImportRules.reservations {
      for name in reservation.names {
        let used = name.hasSuffix("/") ? name + "some.h" : name
        #expect(ImportRules.reserved([used], in: "CameraCore").count == 1, "\(name)")
        for target in reservation.targets { #expect(ImportRules.reserved([used], in: target) == [], "\(name)") }
      }
    }
    #expect(ImportRules.faults(inSwift: "import GRDB", of: "CameraModels", dependencies: ["GRDB"]).count == 1)
    #expect(ImportRules.reserved(["gstring.h", "stdio.h", "own/gtk/a.h"], in: "LinuxShim") == [])
  }

  @Test("A dependency that points up or isn't used is refused")
  func dependencyOrder() {
    func target(_ name: String, _ dependencies: [String]) -> PackageDescription.Target {
      PackageDescription.Target(
        name: name, type: "regular", dependencies: dependencies.map(PackageDescription.Dependency.init))
    }
    let targets = [target("Low", []), target("Middle", ["Low", "High"]), target("High", ["Low", "External"])]
    #expect(
      ImportRules.faults(in: targets, imports: ["Middle": ["Low", "High"], "High": ["External"]]) == [
        "Middle depends on High, which Package.swift lists below it", "High depends on Low and never imports it",
      ])
  }
}
