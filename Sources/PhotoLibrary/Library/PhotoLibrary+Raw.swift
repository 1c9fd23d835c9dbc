// The raw pictures beside assets.

import CameraCore
import Foundation

extension PhotoLibrary {
  /// The DNG of an asset's raw picture; `nil` where it has none, or it can't be read.
  public func rawFile(of asset: Asset) async -> URL? {
    let (layout, disk, index) = (layout, disk, index)
    return await Blocking.run {
      guard let path = layout.relative(asset.url.path) else { return nil }
      let found = try? index.raw(of: asset.id, at: path, in: layout, disk: disk)
      return found.map { URL(fileURLWithPath: $0, isDirectory: false) }
    }
  }
}
