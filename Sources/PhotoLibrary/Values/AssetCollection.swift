// Collections of assets: albums, smart albums, moments, places, selections and searches; and folders of albums.

import CameraCore
import Foundation
import Localization

/// A set of assets that can be fetched, whatever defines it.
public struct AssetCollection: Sendable, Hashable, Identifiable {
  public typealias ID = String

  /// The definition of a collection's members.
  public enum Kind: Sendable, Hashable {
    /// The user created it and added assets to it.
    case album
    /// The user saved a search: it has what matches these words at any time.
    case saved(search: String)
    /// It is defined by properties of the assets.
    case smart(SmartAlbum)
    /// The assets of one day and one place.
    case moment(Moment)
    /// The assets of one month.
    case month(Month)
    /// The assets that were taken in one place.
    case place(PhotoPlace.Area)
    /// Exactly these assets: a selection. It exists as long as the value does.
    case transient([Asset.ID])
    /// The assets that match these words: a search. It exists as long as the value does.
    case search(String)
    /// The pictures of this library in the desktop's trash. They aren't in the index, so that a fetch finds none:
    /// `PhotoLibrary.trashedPictures` lists them.
    case recentlyDeleted
  }

  /// 32 hexadecimal digits for an album; derived from the kind for others.
  public let id: ID
  public let kind: Kind
  /// For display; an album's as the user entered it, without marks that change the writing around it.
  public var title: String
  /// The folder that an album is in; `nil` at the top.
  public var listID: CollectionList.ID?
  /// The time at which an album was created.
  public var created: Date?
  /// Whether an album is in an order of its own: lists of it are in that order, unless they ask for another one.
  public internal(set) var isOrdered = false
  /// The picture that stands for an album; `nil` where none was chosen.
  public internal(set) var coverID: Asset.ID?
  /// The position of an album among those beside it: see `CollectionOrder`.
  var position: Int64?

  /// The pictures in the desktop's trash; see `Kind.recentlyDeleted`.
  public static var recentlyDeleted: AssetCollection {
    AssetCollection(id: "trash", kind: .recentlyDeleted, title: localized("Recently Deleted"))
  }

  private init(id: ID, kind: Kind, title: String) { (self.id, self.kind, self.title) = (id, kind, title) }

  /// Whether the user created it, and can rename, move and delete it.
  public var isOwn: Bool {
    switch kind {
    case .album, .saved: true
    default: false
    }
  }

  init(album id: ID, title: String, listID: CollectionList.ID?, created: Date, search: String? = nil) {
    self.id = id
    kind = search.map { .saved(search: $0) } ?? .album
    self.title = title.displayed
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

  public init(_ month: Month) {
    id = "month:\(month.year)-\(month.month)"
    kind = .month(month)
    title = month.title
  }

  public init(_ place: PhotoPlace) {
    id = place.id
    kind = .place(place.area)
    title = place.title
  }

  /// A collection of these assets, usable wherever a stored one is.
  public init(transient assets: [Asset.ID], title: String) {
    id = "transient:\(UUID().uuidString)"
    kind = .transient(assets)
    self.title = title
  }

  /// A collection of the assets that match `text`: see `FetchOptions.text`.
  public init(search text: String) {
    id = "search:\(text)"
    kind = .search(text)
    title = text
  }
}

/// Collections that are defined by properties of the assets.
public enum SmartAlbum: String, Sendable, Hashable, CaseIterable {
  case all
  case favorites
  /// The assets that were added last.
  case recentlyAdded
  case livePhotos
  case videos
  /// Photos that were taken in bursts.
  case bursts
  /// Photos taken with PhotoMe.
  case selfies
  case screenshots
  case panoramas
  /// Cameras' raw files, and pictures that have one.
  case raw
  /// Assets with an edit.
  case edited
  /// Hidden assets; they appear in no other collection but their albums.
  case hidden

  public var title: String {
    switch self {
    case .all: localized("All Items")
    case .favorites: localized("Favorites")
    case .recentlyAdded: localized("Recently Added")
    case .livePhotos: localized("Live Photos")
    case .videos: localized("Videos")
    case .bursts: localized("Bursts")
    case .selfies: localized("Selfies")
    case .screenshots: localized("Screenshots", context: "search")
    case .panoramas: localized("Panoramas", context: "search")
    case .raw: "RAW"
    case .edited: localized("Edited", context: "search", comment: "Pictures that were edited")
    case .hidden: localized("Hidden", context: "album")
    }
  }
}

/// The assets of one day and one place.
public struct Moment: Sendable, Hashable {
  /// Days since 1970-01-01, in the local time of the pictures.
  public var day: Int
  /// The approximate place; `nil` for pictures without a location.
  public var place: Place?
  /// The number of assets.
  public var count: Int

  /// A square of a twentieth of a degree, some 5 km: about what people mean by one place.
  public struct Place: Sendable, Hashable, CustomStringConvertible {
    static let cellsPerDegree = 20.0

    /// In twentieths of a degree, rounded down.
    public var row: Int
    public var column: Int

    /// The middle of the square, as coordinates, the same in every language: part of the ids of collections.
    public var description: String {
      "\(Self.degrees(row))° \(row < 0 ? "S" : "N") \(Self.degrees(column))° \(column < 0 ? "W" : "E")"
    }

    /// The same for display.
    public var title: String {
      func degrees(_ cell: Int) -> String { (Double(Self.degrees(cell)) ?? 0).localized(decimals: 2...2) }
      let (latitude, longitude) = (degrees(row), degrees(column))
      return switch (row < 0, column < 0) {
      case (false, false): localized("\(latitude)° N \(longitude)° E")
      case (false, true): localized("\(latitude)° N \(longitude)° W")
      case (true, false): localized("\(latitude)° S \(longitude)° E")
      case (true, true): localized("\(latitude)° S \(longitude)° W")
      }
    }

    private static func degrees(_ cell: Int) -> String {
      String(format: "%.2f", abs((Double(cell) + 0.5) / cellsPerDegree))
    }
  }

  /// The beginning of the day in UTC, for formatters whose time zone is UTC.
  public var date: Date { Date(timeIntervalSince1970: Double(day) * 86_400) }

  public var title: String {
    let style = Date.FormatStyle(date: .complete, time: .omitted, timeZone: .gmt)
    let day = date.localized(style)
    return place.map { localized("\(day), \($0.title)", context: "moment", comment: "A day and a place") } ?? day
  }
}

/// A month in the local time of the pictures.
public struct Month: Sendable, Hashable {
  public let year: Int
  /// 1…12.
  public let month: Int

  /// The month of a day, counted from 1970-01-01.
  public init(day: Int) {
    let date = LocalTime.civil(days: day)
    (year, month) = (date.year, date.month)
  }

  /// Its days, counted from 1970-01-01.
  public var days: Range<Int> {
    LocalTime.days(
      year: year, month: month, day: 1)..<LocalTime.days(
        year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
  }

  /// The month and the year, as the language writes them.
  public var title: String {
    let date = Date(timeIntervalSince1970: Double(days.lowerBound) * 86_400)
    return date.localized(Date.FormatStyle(timeZone: .gmt).month(.wide).year())
  }
}

/// A folder of albums and of other folders.
public struct CollectionList: Sendable, Hashable, Identifiable {
  public typealias ID = String

  /// 32 hexadecimal digits.
  public let id: ID
  public var title: String
  /// The enclosing folder; `nil` at the top.
  public var listID: ID?
  public var created: Date
  /// The position among those beside it: see `CollectionOrder`.
  var position: Int64?
}

/// The place of an album or a folder of albums in the tree of folders.
public enum CollectionPlace: Sendable, Hashable {
  case top
  case list(CollectionList.ID)

  var parent: CollectionList.ID? { if case .list(let id) = self { id } else { nil } }
}
