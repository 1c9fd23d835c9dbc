// The files of the window: layouts, style sheets, icons, sounds, help pages.

import CameraCore
import Foundation

extension DataFolder {
  /// The folder that `find` finds.
  ///
  /// - Throws: `InstallationError.dataFolderMissing`.
  static func installed() throws(InstallationError) -> DataFolder {
    guard let found = find() else { throw .dataFolderMissing(searched: candidates) }
    return found
  }

  /// The path of a `.ui` file, by its name without the extension.
  func ui(_ name: String) -> String { "\(path)/ui/\(name).ui" }
  /// The path of a style sheet, by its name without the extension.
  func style(_ name: String) -> String { "\(path)/\(name).css" }
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
