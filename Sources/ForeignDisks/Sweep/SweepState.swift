// The state of a library as its user sees it, in a form that compares.

import Foundation
import PhotoLibrary

/// Everything that a change may change, and nothing that differs from run to run.
package struct SweepState: Equatable, Sendable, CustomStringConvertible {
  /// One line per asset, in the order of their ids.
  var assets: [String] = []
  /// The titles of the albums.
  var albums: [String] = []
  /// The pictures in the trash, and the files of all that is there.
  var trash: [String] = []
  /// The files under final names in the library, by name.
  var files: [String] = []
  /// The exported files.
  var exports: [String] = []
  /// The files that are still on the card.
  var card: [String] = []

  /// - Throws: The error of the library: nothing is known then.
  init(of library: PhotoLibrary, at site: SweepSite) async throws {
    var options = FetchOptions()
    options.includesHidden = true
    for asset in try await library.fetch(options).allAssets() {
      let titles = try await library.fetchAlbums(of: asset.id).map(\.title).sorted().joined(separator: ",")
      let edit = try await library.adjustmentData(for: asset.id).map { String(decoding: $0.data, as: UTF8.self) }
      var flags = asset.isFavorite ? " favorite" : ""
      if asset.isHidden { flags += " hidden" }
      if asset.isLive { flags += " live" }
      let original = asset.isEdited ? SweepSite.digest(try await library.originalURL(of: asset).path) : "itself"
      assets.append(
        "\(asset.id.prefix(4)) \(SweepSite.digest(asset.url.path))\(flags) edit:\(edit ?? "none") original:\(original)"
          + " in:\(titles)")
    }
    assets.sort()
    albums = try await library.fetchAlbums().map(\.title).sorted()
    for asset in try await library.trashedAssets() {
      trash.append("\(asset.id.prefix(4)) \(SweepSite.digest(asset.trashedURL.path))")
    }
    // Their names there are given as it comes. An empty file is a name that was reserved.
    trash += site.trashed.map(SweepSite.digest).filter { $0 != "empty" }
    trash.sort()
    files = Self.digests(site.pictures)
    exports = Self.digests(site.exports)
    card = SweepSite.files(below: site.card)
  }

  private static func digests(_ folder: String) -> [String] {
    // By bytes: a name may begin with a combining accent, which makes one character with the dot before it.
    SweepSite.files(below: folder).filter { path in
      !path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.first == UInt8(ascii: ".") }
    }
    .map { "\($0) \(SweepSite.digest("\(folder)/\($0)"))" }
  }

  package var description: String {
    "assets \(assets), albums \(albums), trash \(trash), files \(files), exports \(exports), card \(card)"
  }

  /// The lines that are only in one of two states.
  func difference(from other: SweepState) -> String {
    let parts = [
      ("assets", assets, other.assets), ("albums", albums, other.albums), ("trash", trash, other.trash),
      ("files", files, other.files), ("exports", exports, other.exports), ("card", card, other.card),
    ]
    return parts.filter { $0.1 != $0.2 }.map { name, mine, others in
      "\(name) has \(mine.filter { !others.contains($0) }) for \(others.filter { !mine.contains($0) })"
    }.joined(separator: "; ")
  }
}
