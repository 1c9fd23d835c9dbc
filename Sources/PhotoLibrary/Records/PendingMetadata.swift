// The list of pictures whose files don't have the ratings and keywords of their records yet.

import Foundation
import Localization

/// A file `.photome/pending/<token>.<number>.json`: it comes with a change of more records than pictures can be written
/// anew at once, and goes when the last of them is done. A process that finds one of a dead process does the rest.
struct PendingMetadata: Sendable, Hashable {
  var assets: [Asset.ID]

  static let version: Int64 = 1
  /// In bytes; a longer file isn't one of ours.
  static let largestFile = 1 << 26

  init(assets: [Asset.ID]) { self.assets = assets }

  /// Parses the file, which is untrusted: what isn't an id is left out.
  ///
  /// - Throws: `unusableFile` when it isn't such a list, or of a newer version.
  init(json: Data, path: String) throws(PhotoLibraryError) {
    guard let values = JSONValue(parsing: json)?.object, values["version"]?.integer == Self.version else {
      throw .unusableFile(path: path, reason: localized("this version of PhotoMe can’t read it"))
    }
    assets = (values["assets"]?.array ?? []).compactMap(\.text).filter { AssetIdentity.isID($0) }
  }

  var json: Data {
    JSONValue.object(["version": .integer(Self.version), "assets": .array(assets.map { .text($0) })]).data
  }
}
