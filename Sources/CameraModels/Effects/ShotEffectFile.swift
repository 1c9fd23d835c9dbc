// The file that remembers which shots are still to get their effect, for the case that the program ends before.

import CameraCore
import Foundation
import PhotoLibrary

/// A shot that is to get an effect.
public struct PendingEffect: Codable, Hashable, Sendable {
  /// The asset that the shot is or becomes.
  public var asset: Asset.ID
  /// The path of the library's folder.
  public var library: String
  /// The effect's identifier.
  public var effect: String
  /// 0…1.
  public var intensity: Double
  /// How many times it was begun, or looked for in vain at a start.
  public var attempts = 0

  public init(asset: Asset.ID, library: String, effect: String, intensity: Double, attempts: Int = 0) {
    (self.asset, self.library, self.effect) = (asset, library, effect)
    (self.intensity, self.attempts) = (intensity, attempts)
  }
}

/// A JSON file with the pending effects of any number of libraries; it exists only while there are any.
public struct ShotEffectFile: Sendable {
  private struct Content: Codable {
    var version = 1
    var pending: [PendingEffect]

    enum CodingKeys: String, CodingKey {
      case version
      // The name in files of all versions so far.
      case pending = "wishes"
    }
  }

  public let url: URL

  public init(url: URL) { self.url = url }

  /// `photome/effects-to-apply.json` in the folder that the XDG base directory specification names for data.
  public static var standard: ShotEffectFile {
    ShotEffectFile(url: UserFolders().data.appendingPathComponent("photome/effects-to-apply.json"))
  }

  func load() async throws -> [PendingEffect] {
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    return try JSONDecoder().decode(Content.self, from: Data(contentsOf: url)).pending
  }

  /// Replaced in one step. It is not forced onto the disk: it is for a program that ends early, and the pictures
  /// themselves do not need it.
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
