// Names for files that can't be read, so that they are kept when new ones take their place.

import Foundation

extension URL {
  /// A free name beside this one: `settings.unreadable.json` for `settings.json`, and then `settings.unreadable-2.json`.
  var spareForUnreadable: URL {
    let (stem, suffix) = (deletingPathExtension(), pathExtension)
    var (candidate, number) = (stem.appendingPathExtension("unreadable.\(suffix)"), 1)
    while FileManager.default.fileExists(atPath: candidate.path) {
      number += 1
      candidate = stem.appendingPathExtension("unreadable-\(number).\(suffix)")
    }
    return candidate
  }
}
