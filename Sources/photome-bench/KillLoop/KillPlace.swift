// The folders of a kill loop, and the disk that its library is on.

import ArgumentParser
import ForeignDisks
import Foundation
import PhotoLibrary

/// The folders of a kill loop.
struct KillPlace: ParsableArguments {
  @Option var folder: String
  @Option(
    help: ArgumentHelp(
      "A folder on another disk, or a simulated file system (vfat, exfat, smb, nfs, union).",
      valueName: "folder-or-kind"
    ))
  var fileSystem: String?
  /// Simulated disks are mounted again after each death, and number their files anew.
  @Option var mount: UInt64 = 1

  /// The disk that the library is on.
  enum Ground {
    /// The one of all else.
    case own
    /// Another one, at this folder.
    case other(String)
    case simulated(FileSystemKind)
  }

  func validate() throws {
    guard let fileSystem, !fileSystem.contains("/"), !FileSystemKind.all.contains(where: { $0.name == fileSystem })
    else { return }
    let known = FileSystemKind.all.map(\.name).joined(separator: ", ")
    throw ValidationError("There is no simulated file system “\(fileSystem)”; there are \(known).")
  }

  var ground: Ground {
    guard let fileSystem else { return .own }
    return FileSystemKind.all.first { $0.name == fileSystem }.map { .simulated($0) } ?? .other(fileSystem)
  }

  /// Whether other programs see the library as the workers do.
  var isSimulated: Bool { if case .simulated = ground { true } else { false } }

  var url: URL { URL(fileURLWithPath: folder, isDirectory: true) }

  /// Contains the library, and nothing else.
  var disk: URL {
    switch ground {
    case .own, .simulated: url.appendingPathComponent("disk", isDirectory: true)
    case .other(let path):
      URL(fileURLWithPath: path, isDirectory: true).appendingPathComponent(url.lastPathComponent, isDirectory: true)
    }
  }

  var library: URL { disk.appendingPathComponent("Pictures", isDirectory: true) }
  /// That of photomectl as well, which is asked about the library after each death: another index would call pictures gone that
  /// were deleted.
  var index: URL {
    isSimulated ? url.appendingPathComponent("index.sqlite") : PhotoLibrary.defaultIndex(of: library, in: data)
  }
  /// The processes' data home; it contains the desktop's Trash.
  var data: URL { url.appendingPathComponent("data", isDirectory: true) }
  /// A photo and a live photo as the library saves them, and a movie.
  var sample: URL { url.appendingPathComponent("sample.jpg") }
  var liveSample: URL { url.appendingPathComponent("sample.MP.jpg") }
  var movie: URL { url.appendingPathComponent("movie.mp4") }
  /// Folders that are being imported. One whose import ended is removed.
  var cards: URL { url.appendingPathComponent("cards", isDirectory: true) }

  /// The Trash folders in which the library's files may lie.
  var trashes: [URL] {
    var top = disk
    while top.path != "/", Self.device(top.deletingLastPathComponent()) == Self.device(disk) {
      top.deleteLastPathComponent()
    }
    if isSimulated { top = disk }
    return [data.appendingPathComponent("Trash"), top.appendingPathComponent(".Trash-\(geteuid())")]
  }

  private static func device(_ url: URL) -> UInt {
    var status = stat()
    return stat(url.path, &status) == 0 ? UInt(status.st_dev) : 0
  }

  /// Opens the library on its disk.
  func open() async throws -> PhotoLibrary {
    guard case .simulated(let kind) = ground else { return try await PhotoLibrary.open(at: library, index: index) }
    let system = SimulatedFileSystem(kind, at: disk.path, mount: mount)
    return try await PhotoLibrary.open(
      at: library, index: index, on: system, trash: data.appendingPathComponent("Trash").path)
  }

  /// The arguments with which another process finds the same place.
  var arguments: [String] {
    ["--folder", folder, "--mount", "\(mount)"] + (fileSystem.map { ["--file-system", $0] } ?? [])
  }
}
