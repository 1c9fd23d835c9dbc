// Rules about imports: Package.swift declares them, and a few modules are reserved.

/// The rules about imports, includes and declared dependencies. Each returns its faults.
enum ImportRules {
  /// Modules of the toolchain, which SwiftPM doesn't make a target declare.
  static let toolchain: Set<String> = ["Dispatch", "Foundation", "Glibc", "Musl", "Observation", "Synchronization"]

  /// Names that only some targets may import, include or depend on.
  struct Reservation: Sendable {
    /// Modules, or what the names of headers begin with.
    var names: [String]
    /// The targets that may use them.
    var targets: Set<String>
    var reason: String

    func covers(_ name: String) -> Bool {
      names.contains { $0 == name || $0.hasSuffix("/") && name.hasPrefix($0) }
    }
  }

  static let reservations = [
    Reservation(
      names: ["CGtk", "GtkShim", "adwaita.h", "gdk/", "gsk/", "gtk/"],
      targets: ["CGtk", "GtkShim", "PhotoMe"],
      reason: "all behavior is in models that run without a display"),
    Reservation(
      names: ["CPango", "cairo.h", "pango/"], targets: ["CPango", "PhotoLibrary", "CGtk", "GtkShim", "PhotoMe"],
      reason: "texts are drawn by the window, and on the library's contact sheets"),
    Reservation(
      names: ["CGStreamer", "gst/", "CZBar", "zbar.h"], targets: ["CGStreamer", "CZBar", "MediaEngine"],
      reason: "pipelines, their threads and their callbacks are kept in one place"),
    Reservation(
      names: ["MediaEngine"], targets: ["PhotoMe", "photomectl", "photome-bench"],
      reason: "models and library are written against EngineInterface, so that tests need no camera"),
    Reservation(
      names: ["GRDB"], targets: ["PhotoLibrary"], reason: "SQL and its schema are kept in one place"),
    Reservation(
      names: ["CExiv2", "gexiv2/", "CGIF", "cgif.h", "CImageQuant"],
      targets: ["CExiv2", "CGIF", "CImageQuant", "PhotoLibrary"],
      reason: "codecs and metadata libraries belong to the files of the library"),
    Reservation(
      names: ["CSPNG", "spng.h", "CHEIF", "libheif/", "CWebP", "webp/", "CAVIF", "avif/"],
      targets: ["CSPNG", "CHEIF", "CWebP", "CAVIF", "StillCodecs", "PhotoLibrary"],
      reason:
        "codecs of stills are kept in one place, PNG's texts with the thumbnails, and animated WebP and AVIF with GIF"),
    Reservation(
      names: [
        "CTIFF", "tiffio.h", "CGIFLib", "gif_lib.h", "CJXL", "jxl/", "CLibRaw", "libraw.h", "CLCMS", "lcms2.h",
        "CSeccomp", "seccomp.h",
      ],
      targets: ["CTIFF", "CGIFLib", "CJXL", "CLibRaw", "CLCMS", "CSeccomp", "StillCodecs"],
      reason: "untrusted pictures are decoded in one place"),
    Reservation(
      names: ["CTurboJPEG", "turbojpeg.h"], targets: ["CTurboJPEG", "PhotoLibrary", "MediaEngine"],
      reason: "formats and effects have no codec"),
    Reservation(
      names: ["Observation"], targets: ["CameraModels", "PhotoMe", "photomectl", "photome-bench"],
      reason: "observable state belongs to the main actor's models"),
    Reservation(
      names: ["CXTest", "GRDBSQLite", "PipeWireShim", "pipewire/", "spa/"],
      targets: ["CXTest", "PipeWireShim", "photome-bench"], reason: "only measurements need them"),
    Reservation(
      names: ["ArgumentParser"], targets: ["photomectl", "photome-bench"], reason: "they are the command lines"),
  ]

  /// Names among these that are reserved for other targets, each with the reason.
  static func reserved(_ names: [String], in target: String) -> [String] {
    names.flatMap { name in
      reservations.filter { $0.covers(name) && !$0.targets.contains(target) }
        .map { "\(target) may not use \(name): \($0.reason)" }
    }
  }

  /// Imports of a Swift file that are not declared, or reserved for other targets.
  ///
  /// - Parameter dependencies: The target's dependencies in Package.swift.
  static func faults(inSwift text: String, of target: String, dependencies: Set<String>) -> [String] {
    let imports = ImportScanner.modules(inSwift: text)
    let undeclared = imports.filter { !toolchain.contains($0.name) && !dependencies.contains($0.name) }
    return undeclared.map { "line \($0.line): \(target) doesn't depend on \($0.name)" }
      + reserved(imports.map(\.name), in: target)
  }

  /// Faults of declared dependencies: each must be listed above its users in Package.swift, and be imported by them.
  ///
  /// - Parameter imports: The modules that the files of each target import.
  static func faults(in targets: [PackageDescription.Target], imports: [String: Set<String>]) -> [String] {
    var below: Set<String> = []
    let own = Set(targets.map(\.name))
    return targets.flatMap { target in
      defer { below.insert(target.name) }
      let names = target.dependencyNames
      let upward = names.filter { own.contains($0) && !below.contains($0) }
        .map { "\(target.name) depends on \($0), which Package.swift lists below it" }
      let unused = names.filter { name in imports[target.name].map { !$0.contains(name) } ?? false }
        .map { "\(target.name) depends on \($0) and never imports it" }
      return upward + unused + reserved(names, in: target.name)
    }
  }
}
