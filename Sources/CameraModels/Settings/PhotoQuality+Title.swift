// The names of the photo qualities.

import CameraCore

extension PhotoQuality {
  /// The name in menus.
  public var title: String {
    switch self {
    case .speed: "Fastest"
    case .balanced: "Balanced"
    case .quality: "Best in Dim Light"
    }
  }

  /// The name where there is little room.
  public var shortTitle: String { self == .quality ? "Dim Light" : title }
}
