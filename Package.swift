// swift-tools-version: 6.1
// PhotoMe, a camera for the Linux desktop. The targets are listed lowest first: a target depends only on targets above it
// here. `ImportTests` checks every `import` against the dependencies declared here.

import Foundation
import PackageDescription

// Header folders of the C libraries. SwiftPM's own `pkgConfig:` asks pkg-config too, but prints a warning at every build
// for each flag that it doesn't know (`-pthread`, `-mfpmath=sse`, …), so the manifest asks for the folders alone. The
// module maps say what to link. A module that imports a C module can be read only together with that C module, so a
// target names the libraries of the targets below it as well.
let gtk = headers(of: "libadwaita-1 >= 1.2", in: "libadwaita-1-dev")
let gstreamer = headers(of: "gstreamer-video-1.0 >= 1.22", in: "libgstreamer-plugins-base1.0-dev")
let exiv2 = headers(of: "gexiv2 >= 0.14", in: "libgexiv2-dev")
let turboJPEG = headers(of: "libturbojpeg >= 2.1", in: "libturbojpeg0-dev")
let zbar = headers(of: "zbar >= 0.23", in: "libzbar-dev")
let spng = headers(of: "spng >= 0.7", in: "libspng-dev")
let heif = headers(of: "libheif >= 1.15", in: "libheif-dev")
let webp = headers(of: "libwebpmux >= 1.2", in: "libwebp-dev") + headers(of: "libwebpdemux >= 1.2", in: "libwebp-dev")
let tiff = headers(of: "libtiff-4 >= 4.5", in: "libtiff-dev")
let giflib = headers(of: "libgif >= 5.2", in: "libgif-dev")
let jxl = headers(of: "libjxl >= 0.7", in: "libjxl-dev") + headers(of: "libjxl_threads >= 0.7", in: "libjxl-dev")
let avif = headers(of: "libavif >= 0.11", in: "libavif-dev")
let libraw = headers(of: "libraw_r >= 0.20", in: "libraw-dev")
let lcms = headers(of: "lcms2 >= 2.14", in: "liblcms2-dev")
let xnnpack = header("xnnpack.h", of: ["libxnnpack-dev", "libpthreadpool-dev"])
let nettle = headers(of: "nettle >= 3.5", in: "nettle-dev")
let seccomp = headers(of: "libseccomp >= 2.5", in: "libseccomp-dev")
// Of the codecs of stills.
let stills = spng + heif + webp + tiff + giflib + jxl + avif + libraw + lcms + seccomp
let cgif = headers(of: "cgif >= 0.3", in: "libcgif-dev")
let pango = headers(of: "pangocairo >= 1.50", in: "libpango1.0-dev")
let imagequant = headers(of: "imagequant >= 2.17", in: "libimagequant-dev")
// GRDB's; checked here so that a missing package is reported in words.
let sqlite = headers(of: "sqlite3", in: "libsqlite3-dev")
let xtest = headers(of: "xtst", in: "libxtst-dev")
let pipewire = headers(of: "libpipewire-0.3", in: "libpipewire-0.3-dev")
stopIfSomethingIsMissing()

let package = Package(
  name: "PhotoMe",
  products: [
    // Lowercase, as commands are.
    .executable(name: "photome", targets: ["PhotoMe"])
  ],
  dependencies: [
    // The library's index: a thin, well-tested layer over SQLite.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    // The command lines of photomectl and photome-bench.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    // Logging with levels.
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    // Deque: the live photo ring's storage.
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
  ],
  targets: [
    // GTK 4 and libadwaita.
    .systemLibrary(name: "CGtk"),
    // GStreamer with its app, audio and video libraries.
    .systemLibrary(name: "CGStreamer"),
    // EXIF and XMP metadata.
    .systemLibrary(name: "CExiv2"),
    // Scaled JPEG decoding, and encoding.
    .systemLibrary(name: "CTurboJPEG"),
    // PNG: photos, and the desktop's shared thumbnails.
    .systemLibrary(name: "CSPNG"),
    // HEIC and AVIF.
    .systemLibrary(name: "CHEIF"),
    // WebP, also animated.
    .systemLibrary(name: "CWebP"),
    // Animated GIF: writing.
    .systemLibrary(name: "CGIF"),
    // Animated AVIF.
    .systemLibrary(name: "CAVIF"),
    // GIF: reading.
    .systemLibrary(name: "CGIFLib"),
    // TIFF.
    .systemLibrary(name: "CTIFF"),
    // JPEG XL.
    .systemLibrary(name: "CJXL"),
    // Raw files of cameras.
    .systemLibrary(name: "CLibRaw"),
    // Color management.
    .systemLibrary(name: "CLCMS"),
    // What the decoder process may ask the system for.
    .systemLibrary(name: "CSeccomp"),
    // Neural networks on the processor.
    .systemLibrary(name: "CXNNPACK"),
    // SHA-256.
    .systemLibrary(name: "CNettle"),
    // Color palettes for GIF.
    .systemLibrary(name: "CImageQuant"),
    // Text on contact sheets.
    .systemLibrary(name: "CPango"),
    // QR codes.
    .systemLibrary(name: "CZBar"),
    // gettext: translated messages.
    .systemLibrary(name: "CGettext"),
    // The X client library and XTest: photome-bench presses the shutter and reads the screen.
    .systemLibrary(name: "CXTest"),

    // GTK from Swift where the importer can't: GObject subclasses, macros, variadic calls.
    .target(
      name: "GtkShim", dependencies: ["CGtk"], cSettings: c(reads: gtk),
      linkerSettings: [
        .linkedLibrary("X11"), .linkedLibrary("Xdamage"), .linkedLibrary("wayland-client"),
        .linkedLibrary("pango-1.0"),
      ]),
    // PipeWire from Swift: the virtual camera that photome-bench offers to PhotoMe and its peers.
    .target(
      name: "PipeWireShim", cSettings: c(reads: pipewire), linkerSettings: [.linkedLibrary("pipewire-0.3")]),
    // Linux calls missing from Swift's Glibc module: renaming without replacing, V4L2's requests.
    .target(name: "LinuxShim"),

    // Texts, numbers and dates in the person's language.
    .target(name: "Localization", dependencies: ["CGettext"]),
    // The camera's vocabulary: devices, formats, frames, events, errors, the live photo ring, the state machines.
    .target(
      name: "CameraCore", dependencies: ["Localization", .product(name: "DequeModule", package: "swift-collections")]),
    // File formats: JPEG segments, HEIF items, PNG chunks, MP4 boxes and sample tables, XMP, Motion Photo and Apple Live
    // Photo.
    .target(name: "MediaFormats", dependencies: ["Localization", "CameraCore"], swiftSettings: optimized),
    // Pixel processing: effects, adjustments, recipes.
    .target(name: "PhotoEffects", dependencies: ["Localization", "CameraCore"], swiftSettings: optimized),
    // Where people are in pictures: the segmentation networks and the face detector.
    .target(
      name: "PersonMatte", dependencies: ["Localization", "CameraCore", "CXNNPACK", "CNettle"],
      swiftSettings: swift(reads: xnnpack, nettle) + optimized),
    // Still pictures of every format but JPEG, and the process in which untrusted ones are decoded.
    .target(
      name: "StillCodecs",
      dependencies: [
        "Localization", "CameraCore", "MediaFormats", "PhotoEffects", "LinuxShim", "CHEIF", "CSPNG", "CWebP", "CTIFF",
        "CGIFLib", "CAVIF", "CJXL", "CLibRaw", "CLCMS", "CSeccomp",
      ], swiftSettings: swift(reads: stills) + optimized),
    // The interface to the engine: the protocols that models and library are written against.
    .target(name: "EngineInterface", dependencies: ["Localization", "CameraCore", "PhotoEffects"]),
    // The photo library: pictures on disk and their index.
    .target(
      name: "PhotoLibrary",
      dependencies: [
        "Localization",
        "CameraCore", "MediaFormats", "StillCodecs", "PhotoEffects", "EngineInterface", "CExiv2", "CTurboJPEG", "CSPNG",
        "CWebP", "CGIF", "CAVIF", "CImageQuant", "CPango", "LinuxShim",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: swift(reads: exiv2, turboJPEG, stills, cgif, imagequant, pango) + optimized),
    // Everything that uses GStreamer: devices, the camera pipeline, movie writing and reading, playback.
    .target(
      name: "MediaEngine",
      dependencies: [
        "Localization",
        "CameraCore", "MediaFormats", "StillCodecs", "PhotoEffects", "EngineInterface", "CGStreamer", "CTurboJPEG",
        "CZBar", "LinuxShim",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: swift(reads: gstreamer, zbar, turboJPEG, stills) + optimized),
    // Simulated file systems, and libraries swept over them: every call of every change fails once.
    .target(
      name: "ForeignDisks", dependencies: ["CameraCore", "PhotoLibrary"],
      swiftSettings: swift(reads: exiv2, turboJPEG, stills, cgif, imagequant, pango) + optimized),
    // A picture of a person without a license, for tests and benchmarks.
    .target(name: "DrawnPeople", dependencies: ["CameraCore"], swiftSettings: optimized),
    // The model controllers: all behavior of the app, without widgets, pipelines or SQL.
    .target(
      name: "CameraModels",
      dependencies: [
        "Localization",
        "CameraCore", "PhotoEffects", "EngineInterface", "PhotoLibrary",
      ],
      swiftSettings: swift(reads: exiv2, turboJPEG, stills, cgif, imagequant, pango)),

    // The GTK shell: the program `photome`.
    .executableTarget(
      name: "PhotoMe",
      dependencies: [
        "Localization",
        "CameraCore", "PhotoEffects", "PersonMatte", "EngineInterface", "PhotoLibrary", "MediaEngine", "CameraModels",
        "CGtk", "GtkShim",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swift(
        reads: gtk, gstreamer, zbar, exiv2, turboJPEG, stills, cgif, imagequant, pango, xnnpack, nettle)),
    // The program in which untrusted pictures are decoded.
    .executableTarget(
      name: "photome-decoder", dependencies: ["Localization", "CameraCore", "StillCodecs"],
      swiftSettings: swift(reads: stills)),
    // The same models and services without a display, for scripts and tests.
    .executableTarget(
      name: "photomectl",
      dependencies: [
        "Localization",
        "CameraCore", "PhotoEffects", "PersonMatte", "PhotoLibrary", "MediaEngine", "CameraModels",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swift(reads: gstreamer, zbar, exiv2, turboJPEG, stills, cgif, imagequant, pango, xnnpack, nettle)),
    // The benchmarks.
    .executableTarget(
      name: "photome-bench",
      dependencies: [
        "CameraCore", "MediaFormats", "PhotoEffects", "PersonMatte", "EngineInterface", "PhotoLibrary", "ForeignDisks",
        "DrawnPeople", "MediaEngine", "CameraModels", "CXTest", "PipeWireShim",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        // SQLite itself, the baseline of the library's figures.
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: swift(
        reads: gstreamer, zbar, exiv2, turboJPEG, stills, cgif, imagequant, pango, xtest, xnnpack, nettle)),

    // Translated texts, placeholders, plural forms, the template.
    .testTarget(name: "LocalizationTests", dependencies: ["Localization", "TestSupport"]),
    // Pure logic, by properties and tables.
    .testTarget(name: "CameraCoreTests", dependencies: ["CameraCore", "TestSupport"]),
    // The parsers on hand-made, damaged and untruthful files.
    .testTarget(name: "MediaFormatsTests", dependencies: ["CameraCore", "MediaFormats", "TestSupport"]),
    // Every format there and back, hostile files, and decoders that die.
    .testTarget(
      name: "StillCodecsTests",
      dependencies: [
        "CameraCore", "MediaFormats", "PhotoEffects", "StillCodecs", "photome-decoder", "TestSupport", "CHEIF", "CJXL",
        "CSeccomp",
      ],
      swiftSettings: swift(reads: stills)),
    // Effects against plain reference implementations and golden pictures.
    .testTarget(
      name: "PhotoEffectsTests", dependencies: ["CameraCore", "PhotoEffects", "TestSupport"], exclude: ["Golden"]),
    // Networks against reference values, tiny ones made by the tests, damaged models.
    .testTarget(
      name: "PersonMatteTests", dependencies: ["CameraCore", "DrawnPeople", "PersonMatte", "TestSupport"],
      swiftSettings: swift(reads: xnnpack, nettle)),
    // The engine with synthetic sources.
    .testTarget(
      name: "MediaEngineTests",
      dependencies: [
        "CameraCore", "MediaFormats", "StillCodecs", "PhotoEffects", "EngineInterface", "MediaEngine", "TestSupport",
      ],
      swiftSettings: swift(reads: gstreamer, zbar, turboJPEG, stills)),
    // The library on real files.
    .testTarget(
      name: "PhotoLibraryTests",
      dependencies: [
        "CameraCore", "MediaFormats", "StillCodecs", "PhotoEffects", "EngineInterface", "PhotoLibrary", "ForeignDisks",
        "CTurboJPEG", "LinuxShim", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      exclude: ["Frozen"],
      swiftSettings: swift(reads: exiv2, turboJPEG, stills, cgif, imagequant, pango)),
    // The models with a scripted camera and a real library.
    .testTarget(
      name: "CameraModelsTests",
      dependencies: ["CameraCore", "PhotoEffects", "EngineInterface", "CameraModels", "PhotoLibrary", "TestSupport"],
      swiftSettings: swift(reads: exiv2, turboJPEG, stills, cgif, imagequant, pango)),
    // The window's logic and the preview's paintable in the test process; the program as a child process with its own X
    // server or Wayland compositor, and session bus.
    .testTarget(
      name: "PhotoMeTests",
      dependencies: ["PhotoMe", "CameraCore", "MediaEngine", "CameraModels", "CGtk", "GtkShim", "TestSupport"],
      swiftSettings: swift(
        reads: gtk, gstreamer, zbar, exiv2, turboJPEG, stills, cgif, imagequant, pango, xnnpack, nettle)),
    // The house rules: rooms, imports, file names, formatting, documentation, the files in data/.
    .testTarget(name: "ProjectTests", dependencies: ["TestSupport"], swiftSettings: optimized),
    // The command line as a child process.
    .testTarget(
      name: "PhotomeCtlTests", dependencies: ["CameraCore", "PersonMatte", "TestSupport", "photomectl"],
      swiftSettings: swift(reads: gstreamer, zbar, exiv2, turboJPEG, stills, cgif, imagequant, pango, xnnpack, nettle)),
    // The benchmarks' output.
    .testTarget(
      name: "PhotomeBenchTests", dependencies: ["photome-bench", "TestSupport"],
      swiftSettings: swift(
        reads: gstreamer, zbar, exiv2, turboJPEG, stills, cgif, imagequant, pango, xtest, xnnpack, nettle)),
    // Helpers of several test targets: child processes, random numbers, sample pictures and movies.
    .target(name: "TestSupport", dependencies: ["CameraCore", "MediaFormats"], path: "Tests/TestSupport"),
  ],
  swiftLanguageModes: [.v6]
)

// The fuzzer, when data/dev/fuzz names libFuzzer's library: it is built with options of its own, in a folder of its own.
if let runtime = Context.environment["PHOTOME_FUZZER_RUNTIME"] {
  // Instrumented for coverage and memory errors. Traps stay in.
  for target in package.targets
  where ["CameraCore", "MediaFormats", "StillCodecs", "PersonMatte", "PhotoLibrary", "MediaEngine"].contains(
    target.name)
  {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-sanitize=fuzzer,address", "-O"])]
  }
  package.targets += [
    // libFuzzer's own interface.
    .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
    // The parsers of untrusted files, fed by libFuzzer.
    .executableTarget(
      name: "photome-fuzz",
      dependencies: [
        "CameraCore", "MediaFormats", "StillCodecs", "PhotoEffects", "PersonMatte", "PhotoLibrary", "MediaEngine",
        "CTurboJPEG", "CFuzzer", "TestSupport",
      ],
      path: "Tests/photome-fuzz",
      swiftSettings: swift(
        reads: gstreamer, zbar, exiv2, turboJPEG, stills, cgif, imagequant, pango, xnnpack, nettle),
      // Exported symbols let a C library built with -fsanitize=fuzzer-no-link be instrumented as well.
      linkerSettings: [
        .unsafeFlags(["-sanitize=address", runtime, "-Xlinker", "--export-dynamic"]), .linkedLibrary("stdc++"),
      ]),
  ]
}

/// Optimization in debug builds too, for targets that touch pixels (their inner loops are some fifty times slower without,
/// and the tests run a real camera) and for the tests that parse the whole project.
var optimized: [SwiftSetting] { [.unsafeFlags(["-O"], .when(configuration: .debug))] }

/// Lets a Swift target read the headers of these C libraries.
func swift(reads libraries: [String]...) -> [SwiftSetting] {
  var flags: [String] = []
  for folder in libraries.joined() where !flags.contains(folder) { flags += ["-Xcc", folder] }
  return flags.isEmpty ? [] : [.unsafeFlags(flags)]
}

/// Lets a C target read the headers of these C libraries.
func c(reads libraries: [String]...) -> [CSetting] { [.unsafeFlags(libraries.flatMap { $0 })] }

/// The missing packages, in words; filled by `headers(of:in:)`.
enum Missing {
  nonisolated(unsafe) static var lines: [String] = []  // a manifest has one thread
}

/// The `-I` flags of a C library, from pkg-config.
///
/// - Parameters:
///   - library: Its pkg-config name, with a minimum version where needed.
///   - package: The Debian package that installs it.
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

/// The `-I` flag of a C library that pkg-config doesn't know.
///
/// - Parameter packages: The Debian packages that install it, and what it includes.
func header(_ name: String, of packages: [String]) -> [String] {
  let folders = ["/usr/include", "/usr/local/include", "/app/include"]
  guard let folder = folders.first(where: { FileManager.default.fileExists(atPath: "\($0)/\(name)") }) else {
    Missing.lines.append("\(name) is not installed: sudo apt install \(packages.joined(separator: " "))")
    return []
  }
  // The compiler looks in the system's folder by itself.
  return folder == folders[0] ? [] : ["-I\(folder)"]
}

/// Stops with the list of missing packages.
func stopIfSomethingIsMissing() {
  guard !Missing.lines.isEmpty else { return }
  let text =
    "PhotoMe can't be built yet.\n" + Missing.lines.map { "  \($0)\n" }.joined()
    + "Or run data/dev/run, which installs it.\n"
  FileHandle.standardError.write(Data(text.utf8))
  exit(1)
}
