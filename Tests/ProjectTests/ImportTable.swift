// The plan of the house as a table: what each target may import, of the project and of others.

/// What one target may import.
struct ImportRule: Sendable {
  /// Targets of this package.
  var targets: Set<String> = []
  /// Products of other packages.
  var products: Set<String> = []
  /// Modules that come with the toolchain.
  var toolchain: Set<String> = []

  var all: Set<String> { targets.union(products).union(toolchain) }
}

/// Who may import what. Arrows point down only: SwiftPM itself does not stop an import through a floor in between.
enum ImportTable {
  /// What any Swift target may import of the toolchain.
  private static let everywhere: Set<String> = ["Foundation", "Dispatch", "Glibc", "Musl", "Synchronization"]

  /// The Swift targets.
  static let swift: [String: ImportRule] = [
    "CameraCore": ImportRule(products: ["DequeModule"], toolchain: everywhere),
    "MediaFormats": ImportRule(targets: ["CameraCore"], toolchain: everywhere),
    "PhotoEffects": ImportRule(targets: ["CameraCore"], toolchain: everywhere),
    "EngineInterface": ImportRule(targets: ["CameraCore", "PhotoEffects"], toolchain: everywhere),
    "PhotoLibrary": ImportRule(
      targets: [
        "CameraCore", "MediaFormats", "PhotoEffects", "EngineInterface", "CExiv2", "CTurboJPEG", "CSPNG", "CWebP",
        "CGIF", "CImageQuant", "LinuxShim",
      ],
      products: ["GRDB", "Logging"],
      toolchain: everywhere),
    "MediaEngine": ImportRule(
      targets: [
        "CameraCore", "MediaFormats", "PhotoEffects", "EngineInterface", "CGStreamer", "CTurboJPEG", "LinuxShim",
      ],
      products: ["Logging"],
      toolchain: everywhere),
    "CameraModels": ImportRule(
      targets: ["CameraCore", "PhotoEffects", "EngineInterface", "PhotoLibrary"], products: ["Logging"],
      toolchain: everywhere.union(["Observation"])),
    "PhotoMe": ImportRule(
      targets: [
        "CameraCore", "PhotoEffects", "EngineInterface", "PhotoLibrary", "MediaEngine", "CameraModels", "CGtk",
        "GtkShim",
      ],
      products: ["Logging"], toolchain: everywhere.union(["Observation"])),
    "photomectl": ImportRule(
      targets: ["CameraCore", "PhotoEffects", "EngineInterface", "PhotoLibrary", "MediaEngine", "CameraModels"],
      products: ["ArgumentParser", "Logging"], toolchain: everywhere.union(["Observation"])),
    "photome-bench": ImportRule(
      targets: [
        "CameraCore", "MediaFormats", "PhotoEffects", "EngineInterface", "PhotoLibrary", "MediaEngine",
        "CameraModels", "CXTest", "PipeWireShim",
      ],
      products: ["ArgumentParser", "GRDBSQLite", "Logging"], toolchain: everywhere.union(["Observation"])),
  ]

  /// The C targets: the targets that they are built on, and how the headers that they may include begin.
  static let c: [String: (targets: Set<String>, headers: [String])] = [
    "CGtk": ([], ["gtk/", "adwaita.h"]),
    "CGStreamer": ([], ["gst/"]),
    "CExiv2": ([], ["gexiv2/"]),
    "CTurboJPEG": ([], ["turbojpeg.h"]),
    "CSPNG": ([], ["spng.h"]),
    "CWebP": ([], ["webp/"]),
    "CGIF": ([], ["cgif.h"]),
    "CImageQuant": ([], ["libimagequant.h"]),
    "CXTest": ([], ["X11/"]),
    "LinuxShim": ([], ["linux/"]),
    "GtkShim": (
      ["CGtk"], ["gtk/", "gdk/", "gsk/", "adwaita.h", "glib", "gio/", "cairo", "pango/", "graphene", "X11/"]
    ),
    "PipeWireShim": ([], ["pipewire/", "spa/"]),
  ]

  /// Headers of the C library, which any C target may include.
  static let standardHeaders: Set<String> = [
    "assert.h", "errno.h", "fcntl.h", "limits.h", "malloc.h", "math.h", "poll.h", "pthread.h", "spawn.h", "stdarg.h",
    "stdatomic.h",
    "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "sys/eventfd.h", "sys/ioctl.h",
    "sys/stat.h",
    "sys/types.h", "time.h", "unistd.h",
  ]

  /// What is wrong with the imports of a Swift file of `target`; empty when nothing is.
  static func faults(inSwift text: String, of target: String) -> [String] {
    guard let rule = swift[target] else { return ["there is no target “\(target)” in the table"] }
    return ImportScanner.modules(inSwift: text).filter { !rule.all.contains($0.name) }
      .map { "line \($0.line): \(target) may not import \($0.name)" }
  }

  /// What is wrong with the includes of a C file of `target`, whose own headers are `own`; empty when nothing is.
  static func faults(inC text: String, of target: String, own: Set<String>) -> [String] {
    guard let rule = c[target] else { return ["there is no C target “\(target)” in the table"] }
    return ImportScanner.headers(inC: text)
      .filter { header in
        !standardHeaders.contains(header.name) && !own.contains(header.name)
          && !rule.headers.contains { header.name.hasPrefix($0) }
      }
      .map { "line \($0.line): \(target) may not include \($0.name)" }
  }
}
