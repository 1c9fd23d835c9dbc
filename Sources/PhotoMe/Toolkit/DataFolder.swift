// The folder of files that are installed or used but not compiled: `data` in the repository.

import Foundation

/// Finds `data`: in the source tree for a fresh build, in `share/photome` for an installed program.
struct DataFolder {
  let path: String

  /// Searches, in this order: `PHOTOME_DATADIR`; `data` beside or above the program, as in the source tree;
  /// `../share/photome` beside the program; the system's data folders; the source tree that the program was built from.
  ///
  /// - Throws: `InstallationError.dataFolderMissing`.
  static func find() throws(InstallationError) -> DataFolder {
    let candidates = Self.candidates
    for candidate in candidates where FileManager.default.isReadableFile(atPath: candidate + "/ui/window.ui") {
      return DataFolder(path: candidate)
    }
    throw .dataFolderMissing(searched: candidates)
  }

  private static var candidates: [String] {
    let environment = ProcessInfo.processInfo.environment
    // An explicit folder is the only candidate: a mistyped one must not be ignored.
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

  /// The path of a `.ui` file, by its name without the extension.
  func ui(_ name: String) -> String { "\(path)/ui/\(name).ui" }
  /// The path of a style sheet, by its name without the extension.
  func style(_ name: String) -> String { "\(path)/\(name).css" }
  /// The folder of translated messages: the system's, beside `share/photome`, or in a source tree that of the build, which
  /// `data/dev/run` fills. `PHOTOME_LOCALEDIR` names another.
  var translations: String {
    if let named = ProcessInfo.processInfo.environment["PHOTOME_LOCALEDIR"] { return named }
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent()
    let isSourceTree = FileManager.default.fileExists(atPath: parent.appendingPathComponent("Package.swift").path)
    return parent.appendingPathComponent(isSourceTree ? ".build/locale" : "locale").path
  }
  /// The folder of the help pages: in a source tree below `data`, else the system's, beside `share/photome`.
  var help: String {
    let own = "\(path)/help/C"
    if FileManager.default.fileExists(atPath: own) { return own }
    return URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("help/C/photome").path
  }
  /// A folder of icon themes.
  var icons: String { "\(path)/icons" }
  var shutterSound: String { "\(path)/sounds/shutter.wav" }
  var tickSound: String { "\(path)/sounds/tick.wav" }
}
