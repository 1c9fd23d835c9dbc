// Kinds of pictures that a search can ask for by a word.

import Localization

/// A property of pictures that is asked for by one word: “selfie”, “favorite”, “large”.
public enum SearchKind: String, Sendable, Hashable, CaseIterable {
  case photo
  case livePhoto
  case video
  case favorite
  case edited
  case burst
  /// A photo taken with PhotoMe, as in the album of that name.
  case selfie
  /// A picture without a camera whose file name has a word for it: screenshots have no mark of their own.
  case screenshot
  /// A photo with a long side of at least twice its short side.
  case panorama
  /// A GIF, as the index knows pictures that move only by their file's name.
  case animation
  /// A raw file, or a picture that has one.
  case raw
  /// A file of at least `largeSize`.
  case large

  /// 10 MB, in bytes.
  public static let largeSize: UInt64 = 10_000_000

  /// In the person's language, in the plural.
  public var title: String {
    switch self {
    case .photo: localized("Photos", context: "search")
    case .livePhoto: localized("Live Photos")
    case .video: localized("Videos")
    case .favorite: localized("Favorites")
    case .edited: localized("Edited", context: "search", comment: "Pictures that were edited")
    case .burst: localized("Bursts")
    case .selfie: localized("Selfies")
    case .screenshot: localized("Screenshots", context: "search")
    case .panorama: localized("Panoramas", context: "search")
    case .animation: localized("Animations", context: "search")
    case .raw: "RAW"
    case .large: localized("Large Files", context: "search")
    }
  }

  /// The English words, the first of which the program itself writes into a search.
  var englishWords: [String] {
    switch self {
    case .photo: ["photo", "photos", "picture", "pictures"]
    case .livePhoto: ["live", "live photo", "live photos"]
    case .video: ["video", "videos", "movie", "movies", "film", "clip"]
    case .favorite: ["favorite", "favorites", "favourite", "favourites", "starred"]
    case .edited: ["edited"]
    case .burst: ["burst", "bursts"]
    case .selfie: ["selfie", "selfies"]
    case .screenshot: ["screenshot", "screenshots", "screen shot"]
    case .panorama: ["panorama", "panoramas", "pano"]
    case .animation: ["animation", "animations", "animated"]
    case .raw: ["raw"]
    case .large: ["large", "big"]
    }
  }

  /// The words in the person's language, separated by commas.
  var localizedWords: String {
    switch self {
    case .photo:
      localized(
        "photo, photos, picture, pictures", context: "search words",
        comment: "Words for a search, with commas between them")
    case .livePhoto:
      localized(
        "live, live photo, live photos", context: "search words",
        comment: "Words for a search, with commas between them")
    case .video:
      localized(
        "video, videos, movie, movies", context: "search words", comment: "Words for a search, with commas between them"
      )
    case .favorite:
      localized(
        "favorite, favorites, starred", context: "search words", comment: "Words for a search, with commas between them"
      )
    case .edited: localized("edited", context: "search words", comment: "Words for a search, with commas between them")
    case .burst:
      localized("burst, bursts", context: "search words", comment: "Words for a search, with commas between them")
    case .selfie:
      localized("selfie, selfies", context: "search words", comment: "Words for a search, with commas between them")
    case .screenshot:
      localized(
        "screenshot, screenshots", context: "search words", comment: "Words for a search, with commas between them")
    case .panorama:
      localized("panorama, panoramas", context: "search words", comment: "Words for a search, with commas between them")
    case .animation:
      localized(
        "animation, animations, animated", context: "search words",
        comment: "Words for a search, with commas between them")
    case .raw: "raw"
    case .large:
      localized("large, big", context: "search words", comment: "Words for a search, with commas between them")
    }
  }
}
