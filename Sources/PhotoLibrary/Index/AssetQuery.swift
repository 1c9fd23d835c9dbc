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
  /// The expression of the sort key and its direction; then comes the path, in the same direction.
  let key: String
  let direction: String

  /// - Parameter now: The time that determines the current day and month.
  init(_ options: FetchOptions, in collection: AssetCollection?, now: Date = Date()) {
    self.options = options
    self.collection = collection
    direction = options.sort.isAscending ? "ASC" : "DESC"
    switch options.sort.key {
    case .created: key = "created"
    case .modified: key = "modified"
    case .name: key = "name"
    case .fileSize: key = "fileSize"
    case .added: key = collection?.kind == .album ? "membership.added" : "number"
    }
    var conditions: [String] = []
    var values: [String: any DatabaseValueConvertible] = [:]
    var mayShowHidden = options.includesHidden
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
      conditions += Self.conditions(of: smart, now: now, &values)
    case .moment(let moment):
      conditions.append("created + utcOffset * 1000 >= :dayStart AND created + utcOffset * 1000 < :dayEnd")
      // Without the offset, which a database index can't use, the day is at most 26 hours longer.
      let start = Int64(moment.day) * 86_400_000
      conditions.append("created BETWEEN :earliest AND :latest")
      values["dayStart"] = start
      values["dayEnd"] = start + 86_400_000
      values["earliest"] = start - 26 * 3_600_000
      values["latest"] = start + 50 * 3_600_000
      if let place = moment.place {
        conditions.append(
          "latitude >= :south AND latitude < :north AND longitude >= :west AND longitude < :east")
        values["south"] = Double(place.row) / Moment.Place.cellsPerDegree
        values["north"] = Double(place.row + 1) / Moment.Place.cellsPerDegree
        values["west"] = Double(place.column) / Moment.Place.cellsPerDegree
        values["east"] = Double(place.column + 1) / Moment.Place.cellsPerDegree
      } else {
        conditions.append("latitude IS NULL")
      }
    case .transient(let ids):
      mayShowHidden = true
      conditions.append("asset.id IN (SELECT value FROM json_each(:ids))")
      values["ids"] = String(decoding: JSONValue.array(ids.map { .text($0) }).data, as: UTF8.self)
    case .search(let text):
      conditions += Self.conditions(ofSearch: text, "collection", &values)
    case .recentlyDeleted:
      conditions.append("0")
    }
    if !mayShowHidden { conditions.append("isHidden = 0") }
    if let mediaType = options.mediaType { conditions.append("isVideo = \(mediaType == .video ? 1 : 0)") }
    if let isLive = options.isLive {
      conditions.append(isLive ? "isVideo = 0 AND movieStart IS NOT NULL" : "(isVideo = 1 OR movieStart IS NULL)")
    }
    if let isFavorite = options.isFavorite { conditions.append("isFavorite = \(isFavorite ? 1 : 0)") }
    if let isEdited = options.isEdited { conditions.append("isEdited = \(isEdited ? 1 : 0)") }
    if let created = options.created {
      conditions.append("created >= :from AND created < :until")
      values["from"] = created.lowerBound.millisecondsSince1970
      values["until"] = created.upperBound.millisecondsSince1970
    }
    conditions += Self.conditions(ofSearch: options.text, "text", &values)
    restriction = join + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
    arguments = StatementArguments(values)
  }

  /// A few rows of many are found by their ids and then sorted: the plus keeps SQLite from scanning the index that is
  /// already sorted.
  var order: String { "\(isPickedByID ? "+" : "")\(key) \(direction), path \(direction)" }

  private var isPickedByID: Bool {
    switch collection?.kind {
    case .album, .transient: true
    case .smart, .moment, .search, .recentlyDeleted, nil: false
    }
  }

  /// Selects the row numbers, in order.
  var numbersStatement: String {
    "SELECT number FROM asset\(restriction) ORDER BY \(order)" + (options.limit.map { " LIMIT \(max(0, $0))" } ?? "")
  }

  private static func conditions(
    of smart: SmartAlbum, now: Date, _ values: inout [String: any DatabaseValueConvertible]
  ) -> [String] {
    func since(_ component: Calendar.Component) -> [String] {
      guard let span = Calendar.current.dateInterval(of: component, for: now) else { return ["0"] }
      values["spanStart"] = span.start.millisecondsSince1970
      // Assets that were taken before the clock was set back may lie in the future.
      values["spanEnd"] = span.end.millisecondsSince1970
      return ["isOwn = 1", "isVideo = 0", "created >= :spanStart", "created < :spanEnd"]
    }
    switch smart {
    case .all, .hidden: return []
    case .favorites: return ["isFavorite = 1"]
    case .livePhotos: return ["isVideo = 0", "movieStart IS NOT NULL"]
    case .videos: return ["isVideo = 1"]
    case .selfiesToday: return since(.day)
    case .selfiesThisMonth: return since(.month)
    }
  }

  private static func conditions(
    ofSearch text: String, _ name: String, _ values: inout [String: any DatabaseValueConvertible]
  ) -> [String] {
    SearchText.patterns(text).enumerated().map { index, pattern in
      values["\(name)\(index)"] = pattern
      return """
        (asset.search LIKE :\(name)\(index) ESCAPE '\\' OR asset.id IN (
          SELECT m.asset FROM membership AS m JOIN collection AS c ON c.id = m.collection
          WHERE c.search LIKE :\(name)\(index) ESCAPE '\\'))
        """
    }
  }
}
