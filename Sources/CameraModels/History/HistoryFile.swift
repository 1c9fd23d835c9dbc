// The file of the history, from which a later start can undo what was done before.

import CameraCore
import Foundation

/// One JSON file for each library, in the user's state folder.
///
/// It isn't in the library's own folder: it holds paths in this machine's trash, and two machines with the same library
/// have each a history of their own. It is a convenience, so it is small, it isn't synced to disk, and one that is
/// damaged counts as empty: deleted pictures are in the trash in any case, and edited ones keep their originals.
public struct HistoryFile: Sendable {
  /// The contents of a file.
  private struct Content: Codable {
    var version = 1
    /// The path of the library's folder.
    var library: String
    var entries: [Tolerant]
  }

  /// An entry that may be one of another version.
  private struct Tolerant: Codable {
    var entry: ChangeEntry?

    init(_ entry: ChangeEntry) { self.entry = entry }
    init(from decoder: any Decoder) throws { entry = try? ChangeEntry(from: decoder) }
    func encode(to encoder: any Encoder) throws { try entry?.encode(to: encoder) }
  }

  /// Entries that are older are forgotten, in days: the trash and the library keep what is deleted for about as long.
  public static let longestAge = 30
  /// In bytes; the oldest entries are left out of a file that would be longer.
  static let largestFile = 4 << 20
  /// In seconds: a clock that was set back makes no entry older.
  private static let ageLimit = Double(longestAge) * 86_400

  public let url: URL

  public init(url: URL) { self.url = url }

  /// `photome/history/<digest>.json` in the XDG base directory for state.
  ///
  /// - Parameter digest: `PhotoLibrary.folderDigest`.
  public static func standard(digest: String) -> HistoryFile {
    HistoryFile(url: UserFolders().state.appendingPathComponent("photome/history/\(digest).json"))
  }

  /// The entries of a library, oldest first. None where there is no file, or none that this version can read.
  func load(for library: String, now: Date) async -> [ChangeEntry] {
    guard let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int,
      size <= 2 * Self.largestFile, let data = try? Data(contentsOf: url),
      let content = try? JSONDecoder().decode(Content.self, from: data), content.version == 1,
      content.library == library
    else { return [] }
    return content.entries.compactMap(\.entry).filter { now.timeIntervalSince($0.date) < Self.ageLimit }
  }

  /// Replaces the file atomically; only the user can read it.
  ///
  /// - Throws: A `CocoaError` when it can't be written.
  func save(_ entries: [ChangeEntry], for library: String) async throws {
    guard !entries.isEmpty else {
      if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
      return
    }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    var kept = entries[...]
    var data = try encoder.encode(Content(library: library, entries: kept.map { Tolerant($0) }))
    while data.count > Self.largestFile, !kept.isEmpty {
      kept = kept.dropFirst(kept.count / 2 + 1)
      data = try encoder.encode(Content(library: library, entries: kept.map { Tolerant($0) }))
    }
    try data.write(to: url, options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
  }
}
