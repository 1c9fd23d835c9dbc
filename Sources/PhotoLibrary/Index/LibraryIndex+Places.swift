// The names of the places where pictures were taken, and what there is to search for.

import Foundation
import GRDB
import Localization

extension LibraryIndex {
  /// Names the squares that have none yet. A gazetteer or a language that the names aren't from names all of them again.
  ///
  /// Takes some milliseconds for 100,000 pictures where nothing is new.
  func namePlaces(from gazetteer: @autoclosure () -> Gazetteer) throws(PhotoLibraryError) {
    let unnamed = try readingNow { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT DISTINCT \(IndexSchema.cell("latitude")) AS cellRow, \(IndexSchema.cell("longitude")) AS cellColumn
          FROM asset WHERE latitude IS NOT NULL AND longitude IS NOT NULL
          """
      ).compactMap { row in (row["cellRow"] as Int?).flatMap { a in (row["cellColumn"] as Int?).map { (a, $0) } } }
    }
    guard !unnamed.isEmpty else { return }
    let gazetteer = gazetteer()
    let source = "\(gazetteer.version) \(Locale.forText.identifier)"
    let known = try readingNow { db -> Set<[Int]>? in
      let now = try String.fetchOne(db, sql: "SELECT value FROM property WHERE name = 'places'")
      guard now == source else { return nil }
      return Set(try Row.fetchAll(db, sql: "SELECT cellRow, cellColumn FROM place").map { [$0[0], $0[1]] })
    }
    let missing = unnamed.filter { known?.contains([$0.0, $0.1]) != true }
    guard !missing.isEmpty else { return }
    let rows = missing.map { row, column in
      let middle = GeoLocation(
        latitude: (Double(row) + 0.5) / Moment.Place.cellsPerDegree,
        longitude: (Double(column) + 0.5) / Moment.Place.cellsPerDegree)
      return (row, column, middle.flatMap { gazetteer.nearest(to: $0) })
    }
    try writing { db in
      if known == nil { try db.execute(sql: "DELETE FROM place") }
      try db.execute(sql: "INSERT OR REPLACE INTO property (name, value) VALUES ('places', ?)", arguments: [source])
      let insert = try db.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO place (cellRow, cellColumn, country, city, title, search) VALUES (?, ?, ?, ?, ?, ?)
          """)
      for (row, column, city) in rows {
        let title = city?.title
        let english = Locale(identifier: "en_US")
        let names = city.map {
          [
            $0.name, title ?? "", Gazetteer.title(ofCountry: $0.country),
            english.localizedString(forRegionCode: $0.country) ?? "",
          ]
        }
        try insert.execute(
          arguments: [
            row, column, city?.country, city?.name, title,
            SearchText.folded((names ?? []).joined(separator: "\n")),
          ])
      }
    }
  }

  /// The places of visible pictures, the countries by title and then the spots without a name, the fullest first.
  ///
  /// - Parameter groupsBursts: Whether the pictures of a burst count as one.
  func places(groupsBursts: Bool) throws(PhotoLibraryError) -> [PhotoPlace] {
    let count = groupsBursts ? "count(DISTINCT coalesce('b' || burst, a.number))" : "count(*)"
    let rows = try readingNow { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT country, city, title, cellRow, cellColumn, \(count) AS count
          FROM place AS p CROSS JOIN asset AS a ON a.latitude IS NOT NULL
            AND \(IndexSchema.cell("a.latitude")) = +p.cellRow AND \(IndexSchema.cell("a.longitude")) = +p.cellColumn
          WHERE a.isHidden = 0 AND a.\(AssetQuery.isWhole)
          GROUP BY country, coalesce(city, cellRow || ':' || cellColumn)
          """)
    }
    var cities: [String: [PhotoPlace]] = [:]
    var spots: [PhotoPlace] = []
    for row in rows {
      let count: Int = row["count"]
      if let country = row["country"] as String?, let city = row["city"] as String? {
        cities[country, default: []].append(
          PhotoPlace(.city(city, country: country), title: row["title"] ?? city, count: count))
      } else {
        let spot = Moment.Place(row: row["cellRow"], column: row["cellColumn"])
        spots.append(PhotoPlace(.spot(spot), title: spot.title, count: count))
      }
    }
    func isBefore(_ left: PhotoPlace, _ right: PhotoPlace) -> Bool {
      switch left.title.compare(right.title, options: [.caseInsensitive, .diacriticInsensitive], locale: .forText) {
      case .orderedAscending: true
      case .orderedDescending: false
      case .orderedSame: left.id < right.id
      }
    }
    let countries = cities.map { code, cities in
      PhotoPlace(
        .country(code), title: Gazetteer.title(ofCountry: code), count: cities.reduce(0) { $0 + $1.count },
        cities: cities.sorted(by: isBefore))
    }
    return countries.sorted(by: isBefore)
      + spots.sorted { $0.count != $1.count ? $0.count > $1.count : isBefore($0, $1) }
  }

  /// What there is to search for, but for places.
  func facets() throws(PhotoLibraryError) -> SearchFacets {
    var query = FetchOptions()
    query.groupsBursts = false
    let days = try moments(AssetQuery(query, in: nil))
    var months: [SearchFacets.Entry<Month>] = []
    for day in days {
      let month = Month(day: day.day)
      if months.last?.value == month {
        months[months.count - 1].count += day.count
      } else {
        months.append(SearchFacets.Entry(month, count: day.count))
      }
    }
    return try readingNow { db in
      var facets = SearchFacets()
      facets.months = months
      facets.cameras = try Row.fetchAll(
        db,
        sql: """
          SELECT cameraName, count(*) FROM asset WHERE isHidden = 0 AND \(AssetQuery.isWhole) AND cameraName IS NOT NULL
          GROUP BY cameraName ORDER BY 2 DESC, 1
          """
      ).map { SearchFacets.Entry($0[0], count: $0[1]) }
      facets.albums = try Row.fetchAll(
        db,
        sql: """
          SELECT c.title, count(DISTINCT a.number) FROM collection AS c JOIN membership AS m ON m.collection = c.id
          JOIN asset AS a ON a.id = m.asset
          WHERE c.isFolder = 0 AND a.isHidden = 0 AND a.\(AssetQuery.isWhole) GROUP BY c.title ORDER BY 2 DESC, 1
          """
      ).map { SearchFacets.Entry(($0[0] as String).displayed, count: $0[1]) }
      facets.kinds = try Self.kinds(db)
      return facets
    }
  }

  /// Those of some kinds of which there are visible assets.
  func kinds(among kinds: [SearchKind]) throws(PhotoLibraryError) -> Set<SearchKind> {
    try readingNow { db in
      try Set(
        kinds.filter { kind in
          try Bool.fetchOne(
            db.cachedStatement(
              sql: """
                SELECT EXISTS (
                  SELECT 1 FROM asset
                  WHERE isHidden = 0 AND \(AssetQuery.isWhole) AND \(SearchConditions.condition(kind)))
                """)) == true
        })
    }
  }

  private static func kinds(_ db: Database) throws -> [SearchFacets.Entry<SearchKind>] {
    let sums = SearchKind.allCases.map { "coalesce(sum(\(SearchConditions.condition($0))), 0)" }
    let counts = try Row.fetchOne(
      db, sql: "SELECT \(sums.joined(separator: ", ")) FROM asset WHERE isHidden = 0 AND \(AssetQuery.isWhole)")
    return SearchKind.allCases.enumerated().compactMap { index, kind in
      let count: Int = counts?[index] ?? 0
      return count > 0 ? SearchFacets.Entry(kind, count: count) : nil
    }
  }
}
