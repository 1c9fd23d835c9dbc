// The default folder of the library: `PhotoMe` in the user's Pictures folder.

import CameraCore
import Foundation

extension PhotoLibrary {
  /// `PhotoMe` in the Pictures folder.
  public static var defaultFolder: URL { picturesFolder.appendingPathComponent("PhotoMe", isDirectory: true) }

  /// The Pictures folder that `user-dirs.dirs` (xdg-user-dirs) names, or else `~/Pictures`.
  public static var picturesFolder: URL {
    let folders = UserFolders()
    let userDirectories = folders.configuration.appendingPathComponent("user-dirs.dirs")
    // Most systems have this file, but none has to: without it the standard's default applies.
    let text = (try? String(contentsOf: userDirectories, encoding: .utf8)) ?? ""
    return picturesFolder(userDirectories: text, home: folders.home)
      ?? folders.home.appendingPathComponent("Pictures", isDirectory: true)
  }

  /// Parses `XDG_PICTURES_DIR="$HOME/…"` or an absolute path; `nil` when it isn't set, or is set to the home folder
  /// itself, which means that there is none.
  static func picturesFolder(userDirectories text: String, home: URL) -> URL? {
    for line in text.split(separator: "\n") {
      let line = line.trimmingCharacters(in: .whitespaces)
      guard line.hasPrefix("XDG_PICTURES_DIR=") else { continue }
      let value = line.dropFirst("XDG_PICTURES_DIR=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
      let path = value.hasPrefix("$HOME") ? home.path + value.dropFirst("$HOME".count) : value
      guard path.hasPrefix("/") else { return nil }
      let folder = URL(fileURLWithPath: path, isDirectory: true)
      return folder.standardizedFileURL.path == home.standardizedFileURL.path ? nil : folder
    }
    return nil
  }
}
