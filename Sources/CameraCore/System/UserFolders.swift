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

  /// The thumbnails that all programs of the desktop share: `thumbnails` in the cache.
  public var thumbnails: URL { cache.appendingPathComponent("thumbnails", isDirectory: true) }

  public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
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
  }
}
