// The choice of the library's folder at the start of a program.

import CameraCore
import Foundation
import Localization
import PhotoLibrary

/// A folder that was chosen for the library, and isn't there.
public struct MissingLibraryFolder: LocalizedError, CustomStringConvertible, Equatable {
  public var path: String

  public var description: String {
    localized(
      """
      The folder that you chose for your library wasn’t found: “\(path.displayed)”. Connect its disk or create the \
      folder again, and restart PhotoMe. Until then, you can use the default folder.
      """)
  }
  public var errorDescription: String? { description }
}

/// The folder of the library: the one that the command line names, else the one that was chosen in the preferences, else the usual
/// one.
public struct LibraryFolderChoice: Sendable, Hashable {
  /// Where the choice comes from.
  public enum Origin: Sendable {
    case commandLine, preferences, usual
  }

  public let folder: URL
  public let origin: Origin
  /// Why the choice in the preferences isn't known; `nil` where it is, or isn't needed. The usual folder is taken then.
  public let obstacle: String?

  /// A message about the usual folder in place of one that may have been chosen; `nil` where that isn't so.
  public var warning: String? {
    guard obstacle != nil else { return nil }
    return localized(
      """
      PhotoMe uses the default folder, “\(folder.path.displayed)”, because your settings couldn’t be read. You may \
      have chosen another folder.
      """)
  }

  /// - Parameters:
  ///   - named: The folder that the command line names.
  ///   - remembered: The path of the one that was chosen in the preferences.
  ///   - obstacle: Why that isn't known.
  public init(named: URL?, remembered: String?, obstacle: String? = nil) {
    self.obstacle = named == nil ? obstacle : nil
    if let named {
      (folder, origin) = (named, .commandLine)
    } else if let remembered {
      (folder, origin) = (URL(fileURLWithPath: remembered, isDirectory: true), .preferences)
    } else {
      (folder, origin) = (PhotoLibrary.defaultFolder, .usual)
    }
  }

  /// - Parameter store: Read where no folder is named.
  public init(named: URL?, store: any SettingsStore) {
    var (remembered, obstacle): (String?, String?)
    if named == nil {
      do {
        let settings = try store.load()
        remembered = settings.libraryFolder
        if settings.unreadable.contains("libraryFolder") {
          obstacle = localized("The setting “libraryFolder” isn’t a path.")
        }
      } catch { obstacle = error.localizedDescription }
    }
    self.init(named: named, remembered: remembered, obstacle: obstacle)
  }

  /// Opens the library there. A folder that was chosen in the preferences is never made anew: its disk may be somewhere else.
  ///
  /// - Throws: `MissingLibraryFolder`, and `PhotoLibraryError`.
  public func open() async throws -> PhotoLibrary {
    if origin == .preferences {
      try await Blocking.run {
        guard FileManager.default.fileExists(atPath: folder.path) else { throw MissingLibraryFolder(path: folder.path) }
      }
    }
    return try await PhotoLibrary.open(at: folder)
  }
}
