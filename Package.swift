// swift-tools-version: 6.1
// PhotoMe, a camera for the Linux desktop. The targets are floors of a house: a target imports nothing
// but what stands below it. `ImportTableTests` holds every `import` line against this list.

import Foundation
import PackageDescription

// Where the headers of the C libraries lie. SwiftPM's own `pkgConfig:` asks pkg-config too, but prints a warning at every
// build for each flag that it does not know (`-pthread`, `-mfpmath=sse`, …); so the manifest asks for the folders alone.
// What to link stands in the module maps. A module that imports a C module can be read only together with that C module,
// so a target names the libraries of the floors below it as well.
let gtk = headers(of: "libadwaita-1 >= 1.2", in: "libadwaita-1-dev")
let gstreamer = headers(of: "gstreamer-video-1.0 >= 1.22", in: "libgstreamer-plugins-base1.0-dev")
let exiv2 = headers(of: "gexiv2 >= 0.14", in: "libgexiv2-dev")
let turboJPEG = headers(of: "libturbojpeg >= 2.1", in: "libturbojpeg0-dev")
let spng = headers(of: "spng >= 0.7", in: "libspng-dev")
let webp = headers(of: "libwebpmux >= 1.2", in: "libwebp-dev")
let cgif = headers(of: "cgif >= 0.3", in: "libcgif-dev")
let imagequant = headers(of: "imagequant >= 2.17", in: "libimagequant-dev")
// GRDB's; asked for here so that its absence is said in words.
let sqlite = headers(of: "sqlite3", in: "libsqlite3-dev")
let xtest = headers(of: "xtst", in: "libxtst-dev")
let pipewire = headers(of: "libpipewire-0.3", in: "libpipewire-0.3-dev")
stopIfSomethingIsMissing()

let package = Package(
  name: "PhotoMe",
  products: [
    // The program's name is in small letters, as commands are.
    .executable(name: "photome", targets: ["PhotoMe"])
  ],
  dependencies: [
    // The index of the library: a thin, well-tested layer over SQLite.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    // The command lines of photomectl and photome-bench.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    // Log lines with levels, for what goes wrong where nobody looks.
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    // Deque: the live photo ring's storage.
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
  ],
  targets: [
    // GTK 4 and libadwaita.
    .systemLibrary(name: "CGtk"),
    // GStreamer with its app, audio and video libraries.
    .systemLibrary(name: "CGStreamer"),
    // EXIF and XMP.
    .systemLibrary(name: "CExiv2"),
    // JPEG decoding at a scale, and encoding.
    .systemLibrary(name: "CTurboJPEG"),
    // PNG: the thumbnails that the desktop's programs share.
    .systemLibrary(name: "CSPNG"),
    // Animated WebP.
    .systemLibrary(name: "CWebP"),
    // Animated GIF.
    .systemLibrary(name: "CGIF"),
    // The palettes of GIFs.
    .systemLibrary(name: "CImageQuant"),
    // The X client library and XTest, with which photome-bench presses the shutter and looks at the screen.
    .systemLibrary(name: "CXTest"),

    // What Swift cannot say to GTK: GObject subclasses, macros, variadic calls.
    .target(
      name: "GtkShim", dependencies: ["CGtk"], cSettings: c(reads: gtk),
      linkerSettings: [.linkedLibrary("X11"), .linkedLibrary("Xdamage"), .linkedLibrary("pango-1.0")]),
    // What Swift cannot say to PipeWire: the camera that photome-bench offers to PhotoMe and its peers alike.
    .target(
      name: "PipeWireShim", cSettings: c(reads: pipewire), linkerSettings: [.linkedLibrary("pipewire-0.3")]),
    // What Swift's Glibc module does not show of Linux: renaming without replacing, V4L2's requests.
    .target(name: "LinuxShim"),

    // The vocabulary: devices, formats, events, errors, the live photo ring, the state machines, the protocols.
    .target(name: "CameraCore", dependencies: [.product(name: "DequeModule", package: "swift-collections")]),
    // File formats as formats: JPEG segments, MP4 boxes and sample tables, XMP, Motion Photo and Apple pair.
    .target(name: "MediaFormats", dependencies: ["CameraCore"], swiftSettings: optimised),
    // Pixel work: effects, adjustments, recipes.
    .target(name: "PhotoEffects", dependencies: ["CameraCore"], swiftSettings: optimised),
    // The seam to the engine: the protocols that models and library are written against.
    .target(name: "EngineInterface", dependencies: ["CameraCore", "PhotoEffects"]),
    // Pictures on disk and their index.
    .target(
      name: "PhotoLibrary",
      dependencies: [
        "CameraCore", "MediaFormats", "PhotoEffects", "EngineInterface", "CExiv2", "CTurboJPEG", "CSPNG", "CWebP",
        "CGIF", "CImageQuant", "LinuxShim",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: swift(reads: exiv2, turboJPEG, spng, webp, cgif, imagequant)),
    // Everything that touches GStreamer: devices, the camera pipeline, movie writing, playback.
    .target(
      name: "MediaEngine",
      dependencies: [
        "CameraCore", "MediaFormats", "PhotoEffects", "EngineInterface", "CGStreamer", "CTurboJPEG", "LinuxShim",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: swift(reads: gstreamer, turboJPEG) + optimised),
    // The model controllers: all behaviour of the app; no widget, no pipeline, no SQL.
    .target(
      name: "CameraModels",
      dependencies: [
        "CameraCore", "PhotoEffects", "EngineInterface", "PhotoLibrary",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swift(reads: exiv2, turboJPEG, spng, webp, cgif, imagequant)),

    // The thin GTK shell: `photome`.
    .executableTarget(
      name: "PhotoMe",
      dependencies: [
        "CameraCore", "PhotoEffects", "EngineInterface", "PhotoLibrary", "MediaEngine", "CameraModels", "CGtk",
        "GtkShim",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: swift(reads: gtk, gstreamer, exiv2, turboJPEG, spng, webp, cgif, imagequant)),
    // The same models and services without a display, for scripts and for tests.
    .executableTarget(
      name: "photomectl",
      dependencies: [
        "CameraCore", "PhotoEffects", "EngineInterface", "PhotoLibrary", "MediaEngine", "CameraModels",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: swift(reads: gstreamer, exiv2, turboJPEG, spng, webp, cgif, imagequant)),
    // The benchmarks.
    .executableTarget(
      name: "photome-bench",
      dependencies: [
        "CameraCore", "MediaFormats", "PhotoEffects", "EngineInterface", "PhotoLibrary", "MediaEngine",
        "CameraModels", "CXTest", "PipeWireShim",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        // SQLite itself, the floor of the library's figures.
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ], swiftSettings: swift(reads: gstreamer, exiv2, turboJPEG, spng, webp, cgif, imagequant, xtest)),

    // Pure logic, by properties and tables.
    .testTarget(name: "CameraCoreTests", dependencies: ["CameraCore", "TestSupport"]),
    // The parsers on hand-made, damaged and lying files.
    .testTarget(name: "MediaFormatsTests", dependencies: ["CameraCore", "MediaFormats", "TestSupport"]),
    // Effects against plain references and golden pictures.
    .testTarget(
      name: "PhotoEffectsTests", dependencies: ["CameraCore", "PhotoEffects", "TestSupport"], exclude: ["Golden"]),
    // The engine with synthetic sources.
    .testTarget(
      name: "MediaEngineTests",
      dependencies: ["CameraCore", "MediaFormats", "PhotoEffects", "EngineInterface", "MediaEngine", "TestSupport"],
      swiftSettings: swift(reads: gstreamer, turboJPEG)),
    // The library on real files.
    .testTarget(
      name: "PhotoLibraryTests",
      dependencies: [
        "CameraCore", "MediaFormats", "EngineInterface", "PhotoLibrary", "CTurboJPEG", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      exclude: ["Frozen"],
      swiftSettings: swift(reads: exiv2, turboJPEG, spng, webp, cgif, imagequant)),
    // The models over a scripted camera and a real library.
    .testTarget(
      name: "CameraModelsTests",
      dependencies: ["CameraCore", "PhotoEffects", "EngineInterface", "CameraModels", "PhotoLibrary"],
      swiftSettings: swift(reads: exiv2, turboJPEG, spng, webp, cgif, imagequant)),
    // The window's logic and the preview's paintable in the test's process; the program in one of its own, on an X
    // server and a bus of its own.
    .testTarget(
      name: "PhotoMeTests", dependencies: ["PhotoMe", "CameraCore", "CGtk", "GtkShim", "TestSupport"],
      swiftSettings: swift(reads: gtk, gstreamer, exiv2, turboJPEG, spng, webp, cgif, imagequant)),
    // The house rules: imports, file names, formatting, the files in data/.
    .testTarget(name: "ProjectTests", dependencies: ["TestSupport"]),
    // The command line, run as a child.
    .testTarget(name: "PhotomeCtlTests", dependencies: ["TestSupport", "photomectl"]),
    // What the benchmarks print.
    .testTarget(
      name: "PhotomeBenchTests", dependencies: ["photome-bench", "TestSupport"],
      swiftSettings: swift(reads: gstreamer, exiv2, turboJPEG, spng, webp, cgif, imagequant, xtest)),
    // What several tests need: running programs, hand-made pictures and movies.
    .target(name: "TestSupport", dependencies: ["MediaFormats"], path: "Tests/TestSupport"),
  ],
  swiftLanguageModes: [.v6]
)

// The fuzzer is there when data/dev/fuzz asks for it by naming libFuzzer's library: it is built with other options than
// all else, in a folder of its own.
if let runtime = Context.environment["PHOTOME_FUZZER_RUNTIME"] {
  // What the fuzzer is to look into: which branches are taken, and every access of memory. Traps stay in.
  for target in package.targets where ["CameraCore", "MediaFormats", "PhotoLibrary"].contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-sanitize=fuzzer,address", "-O"])]
  }
  package.targets += [
    // libFuzzer's own interface.
    .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
    // The parsers of files that others wrote, fed by libFuzzer.
    .executableTarget(
      name: "photome-fuzz", dependencies: ["CameraCore", "MediaFormats", "PhotoLibrary", "CTurboJPEG", "CFuzzer"],
      path: "Tests/photome-fuzz", swiftSettings: swift(reads: exiv2, turboJPEG),
      // What is exported lets a C library that was built with -fsanitize=fuzzer-no-link be looked into as well.
      linkerSettings: [
        .unsafeFlags(["-sanitize=address", runtime, "-Xlinker", "--export-dynamic"]), .linkedLibrary("stdc++"),
      ]),
  ]
}

/// For targets that touch pixels: they are optimised in debug builds as well, because their inner loops are some fifty
/// times slower without, and the tests run a real camera.
var optimised: [SwiftSetting] { [.unsafeFlags(["-O"], .when(configuration: .debug))] }

/// Lets a Swift target read the headers of these C libraries.
func swift(reads libraries: [String]...) -> [SwiftSetting] {
  var flags: [String] = []
  for folder in libraries.joined() where !flags.contains(folder) { flags += ["-Xcc", folder] }
  return flags.isEmpty ? [] : [.unsafeFlags(flags)]
}

/// Lets a C target read the headers of these C libraries.
func c(reads libraries: [String]...) -> [CSetting] { [.unsafeFlags(libraries.flatMap { $0 })] }

/// What is not installed, in words; filled by `headers(of:in:)`.
enum Missing {
  nonisolated(unsafe) static var lines: [String] = []  // a manifest has one thread
}

/// The `-I` flags of a C library, from pkg-config; `library` may carry a version floor, `package` is what to install on
/// Debian when it is not there.
func headers(of library: String, in package: String) -> [String] {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["pkg-config", "--cflags-only-I", library]
  process.standardOutput = output
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return [] }
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  switch process.terminationStatus {
  case 0: return text.split(whereSeparator: \.isWhitespace).map(String.init)
  case 127: Missing.lines = ["pkg-config is not installed: sudo apt install pkg-config"]
  default: Missing.lines.append("\(library) is not installed: sudo apt install \(package)")
  }
  return []
}

/// Ends the reading of this file with what is missing.
func stopIfSomethingIsMissing() {
  guard !Missing.lines.isEmpty else { return }
  let text =
    "PhotoMe can't be built yet.\n" + Missing.lines.map { "  \($0)\n" }.joined()
    + "Or run data/dev/run, which installs it.\n"
  FileHandle.standardError.write(Data(text.utf8))
  exit(1)
}
