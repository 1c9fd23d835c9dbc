// What is fetched from the library, and in which order.

import Foundation

/// Filters, order and limit of a fetch. Without changes: all that is not hidden, newest first.
public struct FetchOptions: Sendable, Hashable {
  /// What a list can be sorted by.
  public enum SortKey: String, Sendable, Hashable, CaseIterable {
    /// When it was taken.
    case created
    /// When its file was last written.
    case modified
    /// The file's name.
    case name
    case fileSize
    /// When it was put into the album; the order in which it came into the library elsewhere.
    case added
  }

  public struct Sort: Sendable, Hashable {
    public var key: SortKey
    public var isAscending: Bool

    public init(_ key: SortKey, isAscending: Bool) {
      self.key = key
      self.isAscending = isAscending
    }

    /// `Asset.isNewer`.
    public static let newestFirst = Sort(.created, isAscending: false)
    public static let oldestFirst = Sort(.created, isAscending: true)
  }

  /// `nil` for both.
  public var mediaType: AssetMediaType?
  public var isLive: Bool?
  public var isFavorite: Bool?
  public var isEdited: Bool?
  /// Whether hidden assets are among the results.
  public var includesHidden = false
  /// Words, all of which must be found in the file's name, the camera's name or the titles of its albums, without regard
  /// to case and accents. Empty finds everything.
  public var text = ""
  /// When it was taken.
  public var created: Range<Date>?
  /// Equals are ordered by their files' names.
  public var sort = Sort.newestFirst
  /// At most so many; `nil` for all.
  public var limit: Int?

  public init() {}

  /// All, newest first, at most so many.
  public init(limit: Int) { self.limit = limit }
}
