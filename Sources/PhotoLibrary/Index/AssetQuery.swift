// The SQL of a fetch.

import Foundation
import GRDB

/// The conditions and the order of a fetch as parts of SQL statements.
struct AssetQuery: Sendable {
  let options: FetchOptions
  let collection: AssetCollection?

  /// After `SELECT … FROM asset`, without the order.
  private(set) var restriction = ""
  /// The part of it that joins other tables.
  private(set) var join = ""
  private(set) var joinArguments: [String: DatabaseValue] = [:]
  private(set) var arguments: StatementArguments = [:]
  /// Counts the pictures of the burst `:group` that one of them stands for, hidden or not by `:groupIsHidden`; `nil` where
  /// each is listed.
  private(set) var groupCountStatement: String?
  /// The expression of the sort key and its direction; then comes the path, in the same direction.
  let key: String
  let direction: String
  /// Whether the order is ascending, which an album's own is, whatever the options say.
  let isAscending: Bool

  /// - Parameters:
  ///   - ignoringTime: Whether pictures of other days and places match as well.
  ///   - context: The meaning of words like “yesterday”.
  init(
    _ options: FetchOptions, in collection: AssetCollection?, ignoringTime: Bool = false,
    context: SearchContext? = nil
  ) {
    self.options = options
    self.collection = collection
    // The usual order of an album may be its own.
    let isOrdered = collection?.kind == .album && collection?.isOrdered == true && options.sort == .newestFirst
    let sort = isOrdered ? FetchOptions.Sort(.added, isAscending: true) : options.sort
    isAscending = sort.isAscending
    direction = sort.isAscending ? "ASC" : "DESC"
    switch sort.key {
    case .created: key = "created"
    case .modified: key = "modified"
    case .name: key = "name"
    case .fileSize: key = "fileSize"
    case .added: key = collection?.kind == .album ? "membership.added" : "number"
    }
    var conditions: [String] = []
    // The time at which a picture was taken doesn't tell which pictures of its burst one of them stands for.
    var times: [String] = []
    var values: [String: any DatabaseValueConvertible] = [:]
    var mayShowHidden = options.includesHidden
    func add(_ search: SearchConditions) {
      conditions += search.sql
      values.merge(search.values) { first, _ in first }
    }
    switch collection?.kind {
    case nil: break
    case .album:
      join = " JOIN membership ON membership.asset = asset.id AND membership.collection = :album"
      values["album"] = collection?.id
      joinArguments["album"] = collection?.id.databaseValue
    case .smart(.hidden):
      mayShowHidden = true
      conditions.append("isHidden = 1")
    case .smart(let smart):
      conditions += Self.conditions(of: smart)
    case .month(let month): times += Self.conditions(ofDays: month.days, &values)
    case .moment(let moment):
      times += Self.conditions(ofDays: moment.day..<moment.day + 1, &values)
      if let place = moment.place {
        times.append(
          "latitude >= :south AND latitude < :north AND longitude >= :west AND longitude < :east")
        values["south"] = Double(place.row) / Moment.Place.cellsPerDegree
        values["north"] = Double(place.row + 1) / Moment.Place.cellsPerDegree
        values["west"] = Double(place.column) / Moment.Place.cellsPerDegree
        values["east"] = Double(place.column + 1) / Moment.Place.cellsPerDegree
      } else {
        times.append("latitude IS NULL")
      }
    case .transient(let ids):
      mayShowHidden = true
      conditions.append("asset.id IN (SELECT value FROM json_each(:ids))")
      values["ids"] = String(decoding: JSONValue.array(ids.map { .text($0) }).data, as: UTF8.self)
    case .search(let text), .saved(search: let text):
      add(SearchConditions(SearchQuery(text, context ?? .current), prefix: "collection"))
    case .place(let area): conditions.append(Self.condition(of: area, &values))
    case .recentlyDeleted:
      conditions.append("0")
    }
    // Whoever asks for a part by its id gets it.
    if case .transient? = collection?.kind {} else { conditions.append(Self.isWhole) }
    if let mediaType = options.mediaType { conditions.append("isVideo = \(mediaType == .video ? 1 : 0)") }
    if let isLive = options.isLive {
      conditions.append(isLive ? Self.isLive : "NOT (\(Self.isLive))")
    }
    if let isFavorite = options.isFavorite { conditions.append("isFavorite = \(isFavorite ? 1 : 0)") }
    if let isEdited = options.isEdited { conditions.append("isEdited = \(isEdited ? 1 : 0)") }
    if let burstID = options.burstID {
      conditions.append("burst = :burst")
      values["burst"] = burstID
    }
    if let created = options.created {
      times.append("created >= :from AND created < :until")
      values["from"] = created.lowerBound.millisecondsSince1970
      values["until"] = created.upperBound.millisecondsSince1970
    }
    if !options.text.isEmpty {
      add(SearchConditions(SearchQuery(options.text, context ?? .current), prefix: "text"))
    }
    if ignoringTime { times = [] }
    if groupsBursts { times += groupConditions(of: conditions, mayShowHidden: mayShowHidden) }
    // A few rows are found by their ids: the plus keeps SQLite from an index of all.
    if !mayShowHidden { times.append(isPickedByID ? "+isHidden = 0" : "isHidden = 0") }
    conditions += times
    restriction = join + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
    arguments = StatementArguments(values)
  }

  /// A few rows of many are found by their ids and then sorted: the plus keeps SQLite from scanning the index that is
  /// already sorted.
  var order: String { "\(isPickedByID ? "+" : "")\(key) \(direction), path \(direction)" }

  private var isPickedByID: Bool {
    switch collection?.kind {
    case .album, .transient: true
    case .smart, .moment, .month, .place, .search, .saved, .recentlyDeleted, nil: false
    }
  }

  /// Whether its results depend on the names of places.
  var asksForPlaces: Bool { restriction.contains(" FROM place AS p ") }

  /// Selects the row numbers, in order.
  var numbersStatement: String {
    "SELECT number FROM asset\(restriction) ORDER BY \(order)" + (options.limit.map { " LIMIT \(max(0, $0))" } ?? "")
  }

  /// The condition for live photos: with a movie behind the picture, or in a file of its own.
  static let isLive = "isVideo = 0 AND (movieStart IS NOT NULL OR videoPath IS NOT NULL)"
  /// The condition for files that are assets of their own.
  static let isWhole = "partOf IS NULL"

  /// The order of the pictures of a burst: the first stands for all.
  static let keyOrder = "isKeyPhoto DESC, isBurstPrimary DESC, created, path"

  /// Whether of each burst one picture is listed. Movies are in none.
  private var groupsBursts: Bool { options.groupsBursts && collection?.kind != .smart(.videos) }

  /// The conditions by which of each burst one picture is listed.
  ///
  /// With bursts of 20 pictures as a fifth of a library of 100,000, they take as long as the list without them, some 50 ms
  /// each; without bursts nothing.
  ///
  /// - Parameter scope: The conditions for the pictures that one of them stands for.
  private mutating func groupConditions(of scope: [String], mayShowHidden: Bool) -> [String] {
    let members = "FROM asset\(join) WHERE " + (["burst IS NOT NULL"] + scope).joined(separator: " AND ")
    groupCountStatement = "SELECT count(*) \(members) AND burst = :group AND isHidden = :groupIsHidden"
    // The plus keeps SQLite from choosing an index by it: there is one in the order of the groups.
    let visible = members + (mayShowHidden ? "" : " AND +isHidden = 0")
    // A set of few numbers leaves the index of the list as it is: most pictures are in no burst.
    var conditions = [
      """
      asset.number NOT IN (SELECT member FROM (
        SELECT asset.number AS member,
          row_number() OVER (PARTITION BY burst, isHidden ORDER BY \(Self.keyOrder)) AS place \(visible)
      ) WHERE place > 1)
      """
    ]
    if collection?.kind == .smart(.bursts) {
      // What is left of a burst alone is a picture like any other.
      conditions.append("burst IN (SELECT burst \(visible) GROUP BY burst, isHidden HAVING count(*) > 1)")
    }
    return conditions
  }

  /// In milliseconds.
  static let widestOffset: Int64 = 26 * 3_600_000

  /// The conditions for pictures of these days, in the local time of each.
  private static func conditions(
    ofDays days: Range<Int>, _ values: inout [String: any DatabaseValueConvertible]
  ) -> [String] {
    let (start, end) = (Int64(days.lowerBound) * 86_400_000, Int64(days.upperBound) * 86_400_000)
    values["daysStart"] = start
    values["daysEnd"] = end
    // Without the offset, which a database index can't use, the days are at most 26 hours longer either way.
    values["earliest"] = start - widestOffset
    values["latest"] = end + widestOffset
    return [
      "created + utcOffset * 1000 >= :daysStart AND created + utcOffset * 1000 < :daysEnd",
      "created BETWEEN :earliest AND :latest",
    ]
  }

  /// The number of assets in `SmartAlbum.recentlyAdded`.
  private static let recentCount = 200

  private static func conditions(of smart: SmartAlbum) -> [String] {
    switch smart {
    case .all, .hidden: []
    case .recentlyAdded:
      // Row numbers are given in the order in which assets come, and are kept.
      [
        """
        asset.number IN (
          SELECT number FROM asset WHERE \(isWhole) AND isHidden = 0 ORDER BY number DESC LIMIT \(recentCount))
        """
      ]
    case .favorites, .livePhotos, .videos, .bursts, .selfies, .screenshots, .panoramas, .raw, .edited:
      smart.searchKind.map { [SearchConditions.condition($0)] } ?? []
    }
  }

  /// Whether an asset may leave the list, or come into it, without having changed itself.
  var dependsOnOthers: Bool { collection?.kind == .smart(.recentlyAdded) }

  /// The condition for pictures that were taken in a place.
  private static func condition(
    of area: PhotoPlace.Area, _ values: inout [String: any DatabaseValueConvertible]
  ) -> String {
    let condition: String
    switch area {
    case .country(let code):
      condition = "p.country = :country"
      values["country"] = code
    case .city(let name, country: let code):
      condition = "p.country = :country AND p.city = :city"
      values["country"] = code
      values["city"] = name
    case .spot(let place):
      condition = "p.cellRow = :cellRow AND p.cellColumn = :cellColumn"
      values["cellRow"] = place.row
      values["cellColumn"] = place.column
    }
    return "asset.number IN (\(SearchConditions.numbers(ofPlaces: condition)))"
  }
}
