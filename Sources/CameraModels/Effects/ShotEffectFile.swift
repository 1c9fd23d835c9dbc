// The file of pending effects, which survives a program that ends before they are applied.

import CameraCore
import Foundation
import PhotoLibrary

/// An effect that is still to be applied to a shot.
public struct PendingEffect: Codable, Hashable, Sendable {
  /// The asset that the shot is, or will be. That of a movie isn't known before the movie is finished: until then an id
  /// that no other asset has.
  public var asset: Asset.ID
  /// The path of the library's folder.
  public var library: String
  /// The effect's identifier.
  public var effect: String
  /// 0…1.
  public var intensity: Double
  /// The name of an `EffectScope`; `nil` for everywhere.
  public var scope: String?
  /// The name of a `Backdrop`; `nil` for none.
  public var backdrop: String?
  /// See `AdjustmentRecipe.hasPerson`; `nil` where nobody was seen, also because nothing was shown.
  public var hasPerson: Bool?
  /// The number of attempts, and of starts at which the asset wasn't found.
  public var attempts = 0
  /// The file of a movie whose asset isn't known.
  public var movie: UnfinishedMovie?

  public init(
    asset: Asset.ID, library: String, effect: String, intensity: Double, scope: String? = nil,
    backdrop: String? = nil, hasPerson: Bool = false, attempts: Int = 0, movie: UnfinishedMovie? = nil
  ) {
    self.hasPerson = hasPerson ? true : nil
    (self.asset, self.library, self.effect, self.scope) = (asset, library, effect, scope)
    (self.backdrop, self.intensity, self.attempts, self.movie) = (backdrop, intensity, attempts, movie)
  }
}

/// A JSON file with the pending effects of any number of libraries; it exists only while there are any.
public struct ShotEffectFile: Sendable {
  private struct Content: Codable {
    var version = 1
    var pending: [PendingEffect]

    enum CodingKeys: String, CodingKey {
      case version
      // The key in the files of all versions so far.
      case pending = "wishes"
    }
  }

  public let url: URL

  public init(url: URL) { self.url = url }

  /// `photome/effects-to-apply.json` in the XDG base directory for data.
  public static var standard: ShotEffectFile {
    ShotEffectFile(url: UserFolders().data.appendingPathComponent("photome/effects-to-apply.json"))
  }

  func load() async throws -> [PendingEffect] {
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    return try JSONDecoder().decode(Content.self, from: Data(contentsOf: url)).pending
  }

  /// Replaces the file atomically. It isn't synced to disk: it is for a program that ends early, and the pictures
  /// themselves don't depend on it.
  func save(_ pending: [PendingEffect]) async throws {
    guard !pending.isEmpty else {
      if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
      return
    }
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(Content(pending: pending)).write(to: url, options: .atomic)
  }
}
