// The choice of the library's folder at the start of a program.

import CameraCore
import Foundation
import PhotoLibrary

/// A folder that was chosen for the library, and isn't there.
public struct MissingLibraryFolder: LocalizedError, CustomStringConvertible, Equatable {
  public var path: String

  public var description: String {
    "The folder that you chose for your pictures isn’t there: “\(path.displayed)”. Connect its disk or make the folder "
      + "again, and start PhotoMe once more; or use the usual folder until then."
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

  /// - Parameters:
  ///   - named: The folder that the command line names.
  ///   - remembered: The path of the one that was chosen in the preferences.
  public init(named: URL?, remembered: String?) {
    if let named {
      (folder, origin) = (named, .commandLine)
    } else if let remembered {
      (folder, origin) = (URL(fileURLWithPath: remembered, isDirectory: true), .preferences)
    } else {
      (folder, origin) = (PhotoLibrary.defaultFolder, .usual)
    }
  }

  /// - Parameter store: Read where no folder is named. What can't be read of it is said by `SettingsModel`.
  public init(named: URL?, store: any SettingsStore) {
    self.init(named: named, remembered: named == nil ? (try? store.load())?.libraryFolder : nil)
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
