// The names of the photo qualities.

import CameraCore
import Localization

extension PhotoQuality {
  /// The name in menus.
  public var title: String {
    switch self {
    case .speed: localized("Fastest", context: "photo quality")
    case .balanced: localized("Balanced", context: "photo quality")
    case .quality: localized("Best in Dim Light", context: "photo quality")
    }
  }

  /// The name where there is little room.
  public var shortTitle: String { self == .quality ? localized("Dim Light", context: "photo quality") : title }
}
