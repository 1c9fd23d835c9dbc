// Where the files lie that are installed or used but not compiled: the repository's `data`.

import Foundation

/// Finds `data`: in the source tree for a program that was just built, in `share/photome` for one that was installed.
struct DataFolder {
  let path: String

  /// Looks, in this order: `PHOTOME_DATADIR`; `data` beside or above the program, as in the source tree;
  /// `../share/photome` beside the program; the system's data folders; the source tree that the program was built from.
  static func find() throws(InstallationError) -> DataFolder {
    let candidates = Self.candidates
    for candidate in candidates where FileManager.default.isReadableFile(atPath: candidate + "/ui/window.ui") {
      return DataFolder(path: candidate)
    }
    throw .dataFolderMissing(searched: candidates)
  }

  private static var candidates: [String] {
    let environment = ProcessInfo.processInfo.environment
    // A folder that was named is the only one: a mistyped name must not fall back in silence.
    if let named = environment["PHOTOME_DATADIR"] { return [named] }
    var candidates: [String] = []
    if let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
      let programFolder = URL(fileURLWithPath: program).deletingLastPathComponent()
      candidates.append(programFolder.appendingPathComponent("../share/photome").standardized.path)
      var folder = programFolder
      while folder.path != "/" {
        if FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
          candidates.append(folder.appendingPathComponent("data").path)
          break
        }
        folder.deleteLastPathComponent()
      }
    }
    let shared = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
    candidates += shared.split(separator: ":").map { "\($0)/photome" }
    // For a build folder outside the source tree.
    candidates.append(
      URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../data").standardized.path)
    return candidates
  }

  /// A layout, by its name without `.ui`.
  func ui(_ name: String) -> String { "\(path)/ui/\(name).ui" }
  var styleSheet: String { "\(path)/style.css" }
  /// A folder of icon themes.
  var icons: String { "\(path)/icons" }
  var shutterSound: String { "\(path)/sounds/shutter.wav" }
}
