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
    try find(word, in: try await library.fetchAlbums()) { ($0.id, $0.title) }
  }

  /// An album or a folder of albums by its title, its id, or a prefix of that.
  func member(_ word: String, of order: CollectionOrder) throws -> CollectionOrder.Member {
    try find(word, in: order.all) { ($0.id, $0.title) }
  }

  private func find<Found>(
    _ word: String, in all: [Found], _ names: (Found) -> (id: String, title: String)
  ) throws -> Found {
    let ways: [(String, String) -> Bool] = [
      { id, _ in id == word }, { _, title in title == word },
      { _, title in title.compare(word, options: [.caseInsensitive, .diacriticInsensitive]) == .orderedSame },
      { id, _ in word.utf8.count >= Self.shortestPrefix && id.hasPrefix(word.lowercased()) },
    ]
    for way in ways {
      let found = all.filter { way(names($0).id, names($0).title) }
      if found.count == 1 { return found[0] }
      if found.count > 1 {
        let ids = found.map { names($0).id }.joined(separator: ", ")
        throw CommandError(localized("Several albums are called “\(word)”. Give the id of one of them: \(ids)."))
      }
    }
    throw CommandError(localized("There is no album “\(word)” in “\(library.folder.path)”."))
  }
}
