// Filters, sort order and limit of a fetch.

import Foundation

/// Filters, sort order and limit of a fetch. The default is everything that isn't hidden, newest first.
public struct FetchOptions: Sendable, Hashable {
  /// A property by which a list can be sorted.
  public enum SortKey: String, Sendable, Hashable, CaseIterable {
    /// The time at which it was taken.
    case created
    /// The file's modification time.
    case modified
    /// The file's name.
    case name
    case fileSize
    /// The time at which it was added to the album; outside of albums, to the library.
    case added
  }

  /// A sort key and its direction. Assets with equal keys are ordered by their paths, in the same direction.
  public struct Sort: Sendable, Hashable {
    public var key: SortKey
    public var isAscending: Bool

    public init(_ key: SortKey, isAscending: Bool) {
      self.key = key
      self.isAscending = isAscending
    }

    /// `Asset.isNewer`.
    public static let newestFirst = Sort(.created, isAscending: false)
  }

  /// `nil` for photos and videos; likewise for the next three.
  public var mediaType: AssetMediaType?
  public var isLive: Bool?
  public var isFavorite: Bool?
  public var isEdited: Bool?
  /// Only the pictures of this burst; `nil` for all.
  public var burstID: String?
  /// Whether of each burst only one picture is listed, which stands for all its pictures that match: the key photo, or the
  /// first where that doesn't match. `Asset.groupCount` tells their number. A day lists the bursts whose key photo was
  /// taken on it.
  public var groupsBursts = false
  /// Whether hidden assets are among the results.
  public var includesHidden = false
  /// A search as a person types it: words, all of which must occur in the file's name, the camera's name, the titles of its
  /// albums or the name of its place, ignoring case and accents; dates, kinds and sizes: see `SearchQuery`. Empty matches
  /// everything.
  public var text = ""
  /// The time at which it was taken.
  public var created: Range<Date>?
  public var sort = Sort.newestFirst
  /// The maximum number of assets; `nil` for all.
  public var limit: Int?

  public init() {}

  /// The newest assets.
  public init(limit: Int) { self.limit = limit }
}
