// Pictures and albums by their names on the command line: id, path or title.

import Foundation
import Localization
import PhotoLibrary

struct AssetFinder {
  let library: PhotoLibrary

  /// Fewer digits of an id are more likely a typo.
  static let shortestPrefix = 4

  /// A picture by its id, a prefix of it, or its path.
  func asset(_ word: String) async throws -> Asset {
    if word.utf8.count >= Self.shortestPrefix {
      let found = try await library.assets(idPrefix: word)
      if found.count == 1 { return found[0] }
      if found.count > 1 {
        throw Self.ambiguous(word, found[0].id, found[1].id)
      }
    }
    if !word.isEmpty, let asset = try await library.asset(at: URL(fileURLWithPath: word, isDirectory: false)) {
      return asset
    }
    throw CommandError(localized("There is no item “\(word)” in “\(library.folder.path)”."))
  }

  /// What is wrong with a word with which several ids begin.
  ///
  /// - Parameters:
  ///   - first: One of the ids.
  ///   - second: Another one.
  static func ambiguous(_ word: String, _ first: Asset.ID, _ second: Asset.ID) -> CommandError {
    CommandError(localized("“\(word)” is the beginning of several ids, as \(first) and \(second). Give more of it."))
  }

  /// Each once, in the given order.
  ///
  /// - Parameter wholeBursts: Whether a picture of a burst stands for all of its pictures.
  func assets(_ words: [String], wholeBursts: Bool = false) async throws -> [Asset] {
    var assets: [Asset] = []
    for word in words {
      let asset = try await asset(word)
      let all = wholeBursts && asset.burstID != nil ? try await library.burst(of: asset) : [asset]
      for asset in all where !assets.contains(where: { $0.id == asset.id }) { assets.append(asset) }
    }
    return assets
  }

  /// An album by its title, its id, or a prefix of that.
  func album(_ word: String) async throws -> AssetCollection {
    let albums = try await library.fetchAlbums()
    let ways: [(AssetCollection) -> Bool] = [
      { $0.id == word }, { $0.title == word },
      { $0.title.compare(word, options: [.caseInsensitive, .diacriticInsensitive]) == .orderedSame },
      { word.utf8.count >= Self.shortestPrefix && $0.id.hasPrefix(word.lowercased()) },
    ]
    for way in ways {
      let found = albums.filter(way)
      if found.count == 1 { return found[0] }
      if found.count > 1 {
        let ids = found.map(\.id).joined(separator: ", ")
        throw CommandError(localized("Several albums are called “\(word)”. Give the id of one of them: \(ids)."))
      }
    }
    throw CommandError(localized("There is no album “\(word)” in “\(library.folder.path)”."))
  }
}
