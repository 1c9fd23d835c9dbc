// The file of the settings.

import CameraCore
import Foundation
import Localization
import PhotoLibrary

/// Storage for settings.
public protocol SettingsStore: Sendable {
  /// The settings that were saved last, or the defaults.
  ///
  /// - Throws: When they exist and can't be read at all.
  func load() throws -> AppSettings

  /// Saves what has changed. All else stays as it is saved by now: another program may have changed it, and what could not be read
  /// is kept until it is changed.
  ///
  /// - Parameters:
  ///   - settings: The present settings.
  ///   - before: Those that the caller loaded or saved last.
  /// - Throws: When they can't be written; what was saved before is unchanged.
  func save(_ settings: AppSettings, since before: AppSettings) throws
}

/// Settings as a JSON file, replaced in one step.
///
/// A newer PhotoMe, or a person, may have written what this version doesn't understand, and the window and `photomectl` may both
/// be running: only what was changed is replaced, and all else stays as it is in the file. A file that is no JSON at all is set
/// aside before the first change.
public struct FileSettingsStore: SettingsStore {
  /// A settings file that can't be read.
  struct Damage: LocalizedError {
    enum Reason {
      /// - message: The system's sentence.
      case unreadable(message: String)
      case noObject
    }

    var file: String
    var reason: Reason
    /// The name that it is going to have.
    var newName: String

    var errorDescription: String? {
      switch reason {
      case .unreadable(let message):
        localized(
          "“\(file)” can’t be read: \(message.asClause). It will be kept as “\(newName)” when you change a setting.")
      case .noObject:
        localized("“\(file)” isn’t a JSON object. It will be kept as “\(newName)” when you change a setting.")
      }
    }
  }

  public let url: URL

  public init(url: URL) { self.url = url }

  /// `photome/settings.json` in the XDG configuration folder.
  public static var standard: FileSettingsStore {
    FileSettingsStore(url: UserFolders().configuration.appendingPathComponent("photome/settings.json"))
  }

  /// - Throws: When the file is there and can't be read, or isn't a JSON object.
  public func load() throws -> AppSettings { try read().map(decode) ?? AppSettings() }

  /// - Throws: A `CocoaError` when the file can't be written, or one that can't be read can't be set aside.
  public func save(_ settings: AppSettings, since before: AppSettings) throws {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let turn = waitForTurn()
    defer { if let turn { close(turn) } }
    var json = try Self.encode(settings)
    do {
      if let data = try read(), let file = JSONValue(parsing: data) {
        // What is no settings at all is set aside, as when it is loaded.
        _ = try decode(data)
        json = try file.applying(json, since: Self.encode(before))
      }
    } catch is Damage {
      try FileManager.default.moveItem(at: url, to: url.spareForUnreadable)
    }
    try json.data.write(to: url, options: .atomic)
  }

  /// How often, every 10 ms, the lock is tried. Whoever has it needs a few milliseconds, unless it was stopped or its disk hangs.
  private static let patience = 200

  /// Waits until no other program is between reading and writing the file.
  ///
  /// The lock is on the folder: the file itself is replaced.
  ///
  /// - Returns: The descriptor that has the lock until it is closed; `nil` where there are no locks, or another has it too long.
  private func waitForTurn() -> Int32? {
    let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    for _ in 0..<Self.patience {
      if flock(folder, LOCK_EX | LOCK_NB) == 0 { return folder }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(10_000)
    }
    close(folder)
    return nil
  }

  /// The file's bytes, which are a JSON object; `nil` where there is no file.
  private func read() throws -> Data? {
    do {
      let data = try Data(contentsOf: url)
      guard JSONValue(parsing: data)?.object != nil else { throw damage(.noObject) }
      return data
    } catch let error as CocoaError {
      // A link to a disk that isn't mounted is no missing file: its settings, and its lock, are somewhere.
      var status = stat()
      if error.code == .fileReadNoSuchFile, lstat(url.path, &status) != 0 { return nil }
      throw damage(.unreadable(message: error.localizedDescription))
    }
  }

  private func damage(_ reason: Damage.Reason) -> Damage {
    Damage(file: url.path, reason: reason, newName: url.spareForUnreadable.lastPathComponent)
  }

  private func decode(_ data: Data) throws -> AppSettings {
    let (decoder, unreadable) = (JSONDecoder(), UnreadableSettings())
    if let key = UnreadableSettings.key { decoder.userInfo[key] = unreadable }
    do {
      var settings = try decoder.decode(AppSettings.self, from: data)
      settings.unreadable = unreadable.paths
      return settings
    } catch { throw damage(.unreadable(message: error.localizedDescription)) }
  }

  fileprivate static func encode(_ settings: some Encodable) throws -> JSONValue {
    guard let json = JSONValue(parsing: try JSONEncoder().encode(settings)) else {
      preconditionFailure("settings that aren’t JSON")
    }
    return json
  }
}

extension JSONValue {
  /// The JSON of a settings file after settings have changed.
  ///
  /// - Parameters:
  ///   - new: The present settings.
  ///   - old: The settings before the change, which the file may no longer agree with.
  ///   - path: The keys to this value.
  fileprivate func applying(_ new: JSONValue, since old: JSONValue, at path: [String] = []) throws -> JSONValue {
    guard Self.holdsSettings(path), var values = object, let new = new.object, let old = old.object else { return new }
    for key in Set(new.keys).union(old.keys) {
      if new[key] == old[key] { continue }
      if let present = values[key], let changed = new[key] {
        // Another program may have set the first values of a camera meanwhile.
        let before = try old[key] ?? (path == ["cameras"] ? FileSettingsStore.encode(AppSettings.PerCamera()) : .null)
        values[key] = try present.applying(changed, since: before, at: path + [key])
      } else {
        values[key] = new[key]
      }
    }
    return .object(values)
  }

  /// Whether the keys of an object are settings of their own. Other objects, for example a size, are one value.
  private static func holdsSettings(_ path: [String]) -> Bool {
    switch path.first {
    case nil: true
    case "capture", "exportPresets": path.count == 1
    case "cameras": path.count < 3 || path.count == 3 && path[2] == "controls"
    default: false
    }
  }
}

/// Settings in memory only, for scripts and tests, which must not change the user's choices.
public final class TransientSettingsStore: SettingsStore, @unchecked Sendable {
  // Sendable: the lock guards the only stored value.
  private let lock = NSLock()
  private var settings: AppSettings

  public init(_ settings: AppSettings = AppSettings()) { self.settings = settings }

  public func load() -> AppSettings { lock.withLock { settings } }
  public func save(_ settings: AppSettings, since before: AppSettings) { lock.withLock { self.settings = settings } }
}
