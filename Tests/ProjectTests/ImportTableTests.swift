// Holds every import line, every include and every declared dependency against the plan's table.

import Foundation
import Testing

@Suite("The import table")
struct ImportTableTests {
  @Test("A Swift file imports only what its target may", arguments: ProjectTree.swiftSources)
  func swiftFile(_ file: ProjectFile) {
    #expect(ImportTable.faults(inSwift: file.text, of: file.target) == [])
  }

  @Test("A C file includes only what its target may", arguments: ProjectTree.cSources)
  func cFile(_ file: ProjectFile) {
    let own = Set(ProjectTree.cSources.filter { $0.target == file.target && $0.suffix == "h" }.map(\.name))
    #expect(ImportTable.faults(inC: file.text, of: file.target, own: own) == [])
  }

  @Test("A target depends only on what its row names, and imports only what it depends on")
  func declaredDependencies() throws {
    let manifest = try PackageDescription.read()
    for target in manifest.targets where !target.isForTests {
      let allowed =
        ImportTable.swift[target.name].map { $0.targets.union($0.products) } ?? ImportTable.c[target.name]?.targets
      guard let allowed else {
        Issue.record("The target \(target.name) is not in the table.")
        continue
      }
      let declared = Set(target.dependencyNames)
      #expect(declared.subtracting(allowed) == [], "Package.swift lets \(target.name) depend on too much")
      let imported = ProjectTree.swiftSources.filter { $0.target == target.name }
        .flatMap { ImportScanner.modules(inSwift: $0.text).map(\.name) }
      let toolchain = ImportTable.swift[target.name]?.toolchain ?? []
      #expect(
        Set(imported).subtracting(toolchain).subtracting(declared) == [],
        "\(target.name) imports what Package.swift does not name among its dependencies")
    }
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

  @Test("The table refuses what points up, sideways or out of the house")
  func tableRefuses() {
    #expect(ImportTable.faults(inSwift: "import GRDB", of: "CameraModels").count == 1)
    #expect(ImportTable.faults(inSwift: "import Foundation\n@testable import CGtk", of: "CameraCore").count == 1)
    #expect(ImportTable.faults(inSwift: "import CGtk", of: "photomectl").count == 1)
    #expect(ImportTable.faults(inSwift: "import MediaEngine", of: "PhotoLibrary").count == 1)
    #expect(ImportTable.faults(inSwift: "import CameraCore", of: "NewTarget").count == 1)
    #expect(ImportTable.faults(inSwift: "import CameraCore\nimport GRDB", of: "PhotoLibrary") == [])
    #expect(ImportTable.faults(inC: "#include <gtk/gtk.h>", of: "LinuxShim", own: []).count == 1)
    #expect(ImportTable.faults(inC: "#include \"GtkShim.h\"", of: "GtkShim", own: ["GtkShim.h"]) == [])
  }
}
