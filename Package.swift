// swift-tools-version: 6.1
// PhotoMe, a camera for the Linux desktop. The targets are floors of a house: a target imports nothing
// but what stands below it. `ImportTableTests` holds every `import` line against this list.

import PackageDescription

let package = Package(
  name: "PhotoMe",
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
    .systemLibrary(name: "CGtk", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev"])]),
    // GStreamer with its app, audio and video libraries.
    .systemLibrary(
      name: "CGStreamer", pkgConfig: "gstreamer-video-1.0", providers: [.apt(["libgstreamer-plugins-base1.0-dev"])]),
    // EXIF and XMP.
    .systemLibrary(name: "CExiv2", pkgConfig: "gexiv2", providers: [.apt(["libgexiv2-dev"])]),
    // JPEG decoding at a scale, and encoding.
    .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),

    // What Swift cannot say to GTK: GObject subclasses, macros, variadic calls.
    .target(name: "GtkShim", dependencies: ["CGtk"]),
    // What Swift cannot say to GStreamer.
    .target(name: "GStreamerShim", dependencies: ["CGStreamer"]),
    // What Swift's Glibc module does not show of Linux: renaming without replacing.
    .target(name: "LinuxShim"),

    // The vocabulary: devices, formats, events, errors, the live photo ring, the state machines, the protocols.
    .target(
      name: "CameraCore", dependencies: [.product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: swiftSettings),
    // Pictures on disk and their index.
    .target(
      name: "PhotoLibrary",
      dependencies: [
        "CameraCore", "CExiv2", "CTurboJPEG", "LinuxShim", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: swiftSettings),
    // Everything that touches GStreamer: devices, the camera pipeline, movie writing, playback.
    .target(
      name: "MediaEngine",
      dependencies: [
        "CameraCore", "CGStreamer", "GStreamerShim", "CTurboJPEG", .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: swiftSettings + pixelSettings),
    // The model controllers: all behaviour of the app; no widget, no pipeline, no SQL.
    .target(
      name: "CameraModels", dependencies: ["CameraCore", "PhotoLibrary", .product(name: "Logging", package: "swift-log")],
      swiftSettings: swiftSettings),

    // The thin GTK shell: `photome`.
    .executableTarget(
      name: "PhotoMe",
      dependencies: [
        "CameraCore", "PhotoLibrary", "MediaEngine", "CameraModels", "CGtk", "GtkShim",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: swiftSettings),
    // The same models and services without a display, for scripts and for tests.
    .executableTarget(
      name: "photomectl",
      dependencies: [
        "CameraCore", "PhotoLibrary", "MediaEngine", "CameraModels",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: swiftSettings),
    // The benchmarks.
    .executableTarget(
      name: "photome-bench",
      dependencies: [
        "CameraCore", "PhotoLibrary", "MediaEngine", "CameraModels",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: swiftSettings),

    .testTarget(name: "CameraCoreTests", dependencies: ["CameraCore"], swiftSettings: swiftSettings),
    .testTarget(
      name: "PhotoLibraryTests",
      dependencies: ["CameraCore", "PhotoLibrary", "CTurboJPEG", .product(name: "GRDB", package: "GRDB.swift")],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "MediaEngineTests", dependencies: ["CameraCore", "MediaEngine", "CTurboJPEG"], swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)

/// Every target: strict concurrency comes with Swift 6 language mode; warnings are kept at none by the tests.
var swiftSettings: [SwiftSetting] { [] }

/// Targets that touch pixels are optimised in debug builds as well: their inner loops are some fifty times slower
/// without, and the tests run a real camera.
var pixelSettings: [SwiftSetting] { [.unsafeFlags(["-O"], .when(configuration: .debug))] }
