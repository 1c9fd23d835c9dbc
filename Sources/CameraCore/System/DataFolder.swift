// The folder of files that are installed or used but not compiled: `data` in the repository.

import Foundation

/// The program's own files: `data` in the source tree for a fresh build, `share/photome` for an installed program.
public struct DataFolder: Sendable {
  public let path: String

  /// Searches, in this order: `PHOTOME_DATADIR`; `data` beside or above the program, as in the source tree;
  /// `../share/photome` beside the program; the system's data folders; the source tree that the program was built from.
  ///
  /// - Returns: `nil` where it is in none of the `candidates`.
  public static func find() -> DataFolder? {
    candidates.first { FileManager.default.isReadableFile(atPath: $0 + "/ui/window.ui") }.map(DataFolder.init(path:))
  }

  /// The folders that are searched, in their order.
  public static var candidates: [String] {
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

  /// The folder of translated messages: the system's, beside `share/photome`, or in a source tree that of the build, which
  /// `data/dev/run` fills. `PHOTOME_LOCALEDIR` names another.
  public var translations: String {
    if let named = ProcessInfo.processInfo.environment["PHOTOME_LOCALEDIR"] { return named }
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent()
    let isSourceTree = FileManager.default.fileExists(atPath: parent.appendingPathComponent("Package.swift").path)
    return parent.appendingPathComponent(isSourceTree ? ".build/locale" : "locale").path
  }
}
