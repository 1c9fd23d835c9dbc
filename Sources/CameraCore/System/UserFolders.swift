// The user's folders for files, settings and caches.

import Foundation

/// The home folder, and the folders of the XDG base directory specification (version 0.8) in it.
///
/// An environment variable with a relative path counts as unset, as the specification demands.
public struct UserFolders: Sendable, Equatable {
  /// `$HOME`; what the system's user list says where that is not set.
  public let home: URL
  /// `$XDG_CONFIG_HOME`, else `~/.config`.
  public let configuration: URL
  /// `$XDG_DATA_HOME`, else `~/.local/share`.
  public let data: URL
  /// `$XDG_CACHE_HOME`, else `~/.cache`.
  public let cache: URL
  /// `$XDG_STATE_HOME`, else `~/.local/state`.
  public let state: URL

  /// The data folder that all programs of the desktop share; in a sandbox without access to it, the program's own.
  private let sharedData: URL
  /// The same of the cache.
  private let sharedCache: URL

  /// The thumbnails that all programs of the desktop share: `thumbnails` in the cache.
  public var thumbnails: URL { sharedCache.appendingPathComponent("thumbnails", isDirectory: true) }
  /// The desktop's Trash for files on the home folder's disk: `Trash` in the data folder.
  public var trash: URL { sharedData.appendingPathComponent("Trash", isDirectory: true) }

  /// - Parameters:
  ///   - environment: The process's.
  ///   - sandbox: The sandbox around the process. Flatpak's variables name folders of the program's own, and say in others
  ///     which folders the desktop has, where those aren't the usual ones.
  ///   - isShared: Whether a folder of the desktop can be seen in the sandbox.
  public init(
    environment: [String: String] = ProcessInfo.processInfo.environment, sandbox: Sandbox? = .current,
    isShared: (URL) -> Bool = { FileManager.default.isWritableFile(atPath: $0.path) }
  ) {
    func folder(_ name: String) -> URL? {
      environment[name].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0, isDirectory: true) : nil }
    }
    let home = folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser
    func inHome(_ path: String) -> URL { home.appendingPathComponent(path, isDirectory: true) }
    self.home = home
    configuration = folder("XDG_CONFIG_HOME") ?? inHome(".config")
    data = folder("XDG_DATA_HOME") ?? inHome(".local/share")
    cache = folder("XDG_CACHE_HOME") ?? inHome(".cache")
    state = folder("XDG_STATE_HOME") ?? inHome(".local/state")
    func shared(_ variable: String, _ usual: String, own: URL) -> URL {
      guard sandbox == .flatpak else { return own }
      let folder = folder(variable) ?? inHome(usual)
      return isShared(folder) ? folder : own
    }
    sharedData = shared("HOST_XDG_DATA_HOME", ".local/share", own: data)
    sharedCache = shared("HOST_XDG_CACHE_HOME", ".cache", own: cache)
  }
}
