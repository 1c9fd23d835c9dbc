// The smart albums that have what a search for a kind finds.

extension SmartAlbum {
  /// The kind of pictures that a search finds as well; `nil` for others.
  public var searchKind: SearchKind? {
    switch self {
    case .all, .recentlyAdded, .hidden: nil
    case .favorites: .favorite
    case .livePhotos: .livePhoto
    case .videos: .video
    case .bursts: .burst
    case .selfies: .selfie
    case .screenshots: .screenshot
    case .panoramas: .panorama
    case .raw: .raw
    case .edited: .edited
    }
  }
}
