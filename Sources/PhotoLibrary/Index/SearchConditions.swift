// The SQL conditions of a search.

import CameraCore
import Foundation
import GRDB

/// The conditions of a `SearchQuery` and their values. Everything that was typed is a value, never a part of a statement.
struct SearchConditions {
  private(set) var sql: [String] = []
  private(set) var values: [String: any DatabaseValueConvertible] = [:]
  private let prefix: String

  /// - Parameter prefix: Tells the names of the values from those of another search in the same statement.
  init(_ query: SearchQuery, prefix: String) {
    self.prefix = prefix
    for term in query.terms {
      let readings = term.readings.map { condition($0) }
      let any = "(" + readings.joined(separator: " OR ") + ")"
      sql.append(term.isExcluded ? "NOT \(any)" : any)
    }
  }

  private mutating func bind(_ value: any DatabaseValueConvertible) -> String {
    let name = "\(prefix)\(values.count)"
    values[name] = value
    return ":\(name)"
  }

  private mutating func condition(_ condition: SearchQuery.Condition) -> String {
    switch condition {
    case .text(let text):
      return "asset.number IN (\(numbers(ofText: text)) UNION ALL \(members(text)) UNION ALL \(places(text)))"
    // The text of an asset is its name, a line feed, and its camera.
    case .name(let text):
      return "asset.number IN (\(numbers(ofText: text, pattern: "%\(SearchText.escaped(text))%\n%")))"
    case .camera(let text):
      return "asset.number IN (\(numbers(ofText: text, pattern: "%\n%\(SearchText.escaped(text))%")))"
    case .album(let text): return "asset.number IN (\(members(text)))"
    case .place(let text): return "asset.number IN (\(places(text)))"
    case .kind(let kind): return self.condition(kind)
    case .days(let days): return self.condition(days)
    case .months(let months):
      let list = months.map { String(format: "'%02d'", $0) }.joined(separator: ", ")
      return "strftime('%m', \(Self.localSeconds), 'unixepoch') IN (\(list))"
    case .yearDay(let month, let day):
      return "strftime('%m-%d', \(Self.localSeconds), 'unixepoch') = \(bind(String(format: "%02d-%02d", month, day)))"
    case .weekday(let weekday):
      return "strftime('%w', \(Self.localSeconds), 'unixepoch') = \(bind(String(weekday - 1)))"
    case .fileSize(let range):
      let (low, high) = (bind(Int64(clamping: range.lowerBound)), bind(Int64(clamping: range.upperBound)))
      return "fileSize BETWEEN \(low) AND \(high)"
    case .pixels(let size):
      let (width, height) = (bind(size.width), bind(size.height))
      return "((width = \(width) AND height = \(height)) OR (width = \(height) AND height = \(width)))"
    case .all(let conditions):
      return "(" + conditions.map { self.condition($0) }.joined(separator: " AND ") + ")"
    case .nothing: return "0"
    }
  }

  // MARK: Text

  /// Selects the rows whose text has this anywhere.
  ///
  /// - Parameter pattern: Narrows them down to where it occurs.
  private mutating func numbers(ofText text: String, pattern: String? = nil) -> String {
    let like = "search LIKE \(bind(pattern ?? SearchText.pattern(text))) ESCAPE '\\'"
    guard let trigrams = SearchText.trigrams(text) else { return "SELECT number FROM asset WHERE \(like)" }
    let match = "SELECT rowid FROM assetText WHERE assetText MATCH \(bind(trigrams))"
    return pattern == nil ? match : "SELECT number FROM asset WHERE number IN (\(match)) AND \(like)"
  }

  private mutating func members(_ text: String) -> String {
    """
    SELECT a.number FROM collection AS c JOIN membership AS m ON m.collection = c.id JOIN asset AS a ON a.id = m.asset
    WHERE c.search LIKE \(bind(SearchText.pattern(text))) ESCAPE '\\'
    """
  }

  private mutating func places(_ text: String) -> String {
    Self.numbers(ofPlaces: "p.search LIKE \(bind(SearchText.pattern(text))) ESCAPE '\\'")
  }

  /// Selects the rows of pictures that were taken in some places.
  ///
  /// The plus takes the column's affinity away: SQLite uses an index of an expression, which has none, only then.
  ///
  /// - Parameter condition: Of the rows `p` of the table of places.
  static func numbers(ofPlaces condition: String) -> String {
    """
    SELECT a.number FROM place AS p CROSS JOIN asset AS a ON a.latitude IS NOT NULL
    AND \(IndexSchema.cell("a.latitude")) = +p.cellRow AND \(IndexSchema.cell("a.longitude")) = +p.cellColumn
    WHERE \(condition)
    """
  }

  // MARK: Times and kinds

  private static let localSeconds = "(created / 1000 + utcOffset)"

  private mutating func condition(_ days: Range<Int>) -> String {
    let (start, end) = (Int64(days.lowerBound) * 86_400_000, Int64(days.upperBound) * 86_400_000)
    return """
      (created + utcOffset * 1000 >= \(bind(start)) AND created + utcOffset * 1000 < \(bind(end))
      AND created BETWEEN \(bind(start - AssetQuery.widestOffset)) AND \(bind(end + AssetQuery.widestOffset)))
      """
  }

  /// The condition for a kind; also of the counts of all kinds.
  static func condition(_ kind: SearchKind) -> String {
    switch kind {
    case .photo: "isVideo = 0"
    case .livePhoto: "(\(AssetQuery.isLive))"
    case .video: "isVideo = 1"
    case .favorite: "isFavorite = 1"
    case .edited: "isEdited = 1"
    case .burst: "burst IS NOT NULL"
    case .selfie: "(isOwn = 1 AND isVideo = 0)"
    case .screenshot:
      "(isVideo = 0 AND cameraName IS NULL AND ("
        + screenshotNames.map { "search LIKE '%\($0)%'" }.joined(separator: " OR ") + "))"
    case .panorama: "(isVideo = 0 AND max(width, height) >= 2 * min(width, height) AND min(width, height) > 0)"
    case .animation: "(isVideo = 0 AND name LIKE '%.gif')"
    case .raw:
      // All of their extensions have three letters.
      "(isVideo = 0 AND (lower(substr(name, -4)) IN ("
        + PhotoFormat.raw.fileExtensions.map { "'.\($0)'" }.joined(separator: ", ")
        + ") OR asset.number IN (SELECT partOf FROM asset WHERE partOf IS NOT NULL AND role = "
        + "\(FilePairs.Role.raw.rawValue))))"
    case .large: "fileSize >= \(SearchKind.largeSize)"
    }
  }

  private func condition(_ kind: SearchKind) -> String { Self.condition(kind) }

  /// What programs call screenshots, in the languages of desktops and phones; folded.
  private static let screenshotNames = [
    "screenshot", "screen shot", "screencap", "bildschirmfoto", "captura", "capture d’ecran", "capture d''ecran",
    "schermata", "schermafbeelding", "skarmbild", "zrzut ekranu", "снимок экрана", "スクリーンショット", "屏幕截图", "截图",
  ]
}
