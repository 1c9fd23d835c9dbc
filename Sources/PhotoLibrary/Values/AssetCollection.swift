// Sets of assets: albums that people make, albums that fill themselves, days, and sets that exist only for a moment.

import Foundation

/// A set of assets that can be fetched, whatever it is made of.
public struct AssetCollection: Sendable, Hashable, Identifiable {
  public typealias ID = String

  public enum Kind: Sendable, Hashable {
    /// Someone made it and put assets into it.
    case album
    /// It fills itself.
    case smart(SmartAlbum)
    /// What was taken on one day, at one place.
    case moment(Moment)
    /// These assets, and no others: a selection. Lives as long as the value does.
    case transient([Asset.ID])
    /// What matches these words: a search. Lives as long as the value does.
    case search(String)
  }

  /// Of an album 32 hexadecimal digits; of others made of what they are.
  public let id: ID
  public let kind: Kind
  /// For people. Of an album as they called it.
  public var title: String
  /// The folder of an album; `nil` at the top.
  public var listID: CollectionList.ID?
  /// When an album was made.
  public var created: Date?

  init(album id: ID, title: String, listID: CollectionList.ID?, created: Date) {
    self.id = id
    kind = .album
    self.title = title
    self.listID = listID
    self.created = created
  }

  public init(_ smart: SmartAlbum) {
    id = "smart:\(smart.rawValue)"
    kind = .smart(smart)
    title = smart.title
  }

  public init(_ moment: Moment) {
    id = "moment:\(moment.day):\(moment.place?.description ?? "")"
    kind = .moment(moment)
    title = moment.title
  }

  /// A collection of these assets, which can be used wherever a stored one can.
  public init(transient assets: [Asset.ID], title: String) {
    id = "transient:\(UUID().uuidString)"
    kind = .transient(assets)
    self.title = title
  }

  /// A collection of what matches `text`: see `FetchOptions.text`.
  public init(search text: String) {
    id = "search:\(text)"
    kind = .search(text)
    title = text
  }
}

/// Albums that fill themselves.
public enum SmartAlbum: String, Sendable, Hashable, CaseIterable {
  case all
  case favorites
  case livePhotos
  case videos
  /// Taken with PhotoMe today: what one looks at right after taking them.
  case selfiesToday
  /// Taken with PhotoMe this month.
  case selfiesThisMonth
  /// What was hidden; in no other collection but its albums.
  case hidden

  public var title: String {
    switch self {
    case .all: "All"
    case .favorites: "Favorites"
    case .livePhotos: "Live Photos"
    case .videos: "Videos"
    case .selfiesToday: "Selfies Today"
    case .selfiesThisMonth: "Selfies This Month"
    case .hidden: "Hidden"
    }
  }
}

/// One day at one place.
public struct Moment: Sendable, Hashable {
  /// Days since 1970-01-01 where the pictures were taken.
  public var day: Int
  /// Roughly where; `nil` for pictures that don't say.
  public var place: Place?
  /// How many assets it has.
  public var count: Int

  /// A square of a twentieth of a degree, some 5 km: as wide as people mean by one place.
  public struct Place: Sendable, Hashable, CustomStringConvertible {
    static let cellsPerDegree = 20.0

    /// In twentieths of a degree, rounded down.
    public var row: Int
    public var column: Int

    /// The middle of the square, as coordinates.
    public var description: String {
      func text(_ cell: Int, _ letters: (String, String)) -> String {
        let degrees = (Double(cell) + 0.5) / Self.cellsPerDegree
        return String(format: "%.2f° %@", abs(degrees), degrees < 0 ? letters.1 : letters.0)
      }
      return "\(text(row, ("N", "S"))) \(text(column, ("E", "W")))"
    }
  }

  /// When the day begins, as UTC counts: for formatters whose time zone is UTC.
  public var date: Date { Date(timeIntervalSince1970: Double(day) * 86_400) }

  public var title: String {
    let style = Date.FormatStyle(date: .complete, time: .omitted, timeZone: .gmt)
    let day = date.formatted(style)
    return place.map { "\(day), \($0)" } ?? day
  }
}

/// A folder of albums and of other folders.
public struct CollectionList: Sendable, Hashable, Identifiable {
  public typealias ID = String

  /// 32 hexadecimal digits.
  public let id: ID
  public var title: String
  /// The folder above; `nil` at the top.
  public var listID: ID?
  public var created: Date
}

/// Where an album or a folder of albums is.
public enum CollectionPlace: Sendable, Hashable {
  case top
  case list(CollectionList.ID)

  var parent: CollectionList.ID? { if case .list(let id) = self { id } else { nil } }
}
