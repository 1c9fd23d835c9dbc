// Fetching lists of assets from the index, and following their changes.

import CameraCore
import Foundation
import GRDB

extension LibraryIndex: AssetRows {
  func fetch(_ query: AssetQuery) throws(PhotoLibraryError) -> FetchResult {
    try readingNow { db in try self.fetch(query, db) }
  }

  private func fetch(_ query: AssetQuery, _ db: Database) throws -> FetchResult {
    let rows = try Row.fetchCursor(
      db.cachedStatement(sql: query.numbersStatement), arguments: query.arguments, adapter: nil)
    var numbers: [Int64] = []
    while let row = try rows.next() { numbers.append(row[0]) }
    // Without the spare capacity that growing left: up to as much again, for a list that is kept.
    numbers = numbers.withUnsafeBufferPointer { Array($0) }
    return FetchResult(rows: self, query: query, numbers: numbers, sequence: try Self.lastSequence(db))
  }

  func assets(numbers: ArraySlice<Int64>, of query: AssetQuery) throws(PhotoLibraryError) -> [Asset?] {
    let folder = folder
    return try readingNow { db in
      let statement = try db.cachedStatement(sql: "SELECT * FROM asset WHERE number = ?")
      return try numbers.map { number in
        var asset = try IndexedFile.fetchOne(statement, arguments: [number])?.asset(in: folder)
        if let found = asset, let count = try Self.groupCount(found, query, db) { asset?.groupCount = count }
        return asset
      }
    }
  }

  /// The number of pictures of a burst that one of them stands for; `nil` where each is listed.
  private static func groupCount(_ asset: Asset, _ query: AssetQuery, _ db: Database) throws -> Int? {
    guard let sql = query.groupCountStatement, let burstID = asset.burstID else { return nil }
    let arguments = query.arguments &+ ["group": burstID, "groupIsHidden": asset.isHidden]
    // The picture itself may have left the list since.
    return try max(1, Int.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) ?? 1)
  }

  func numbers(ofBurstOf number: Int64) throws(PhotoLibraryError) -> [Int64] {
    try readingNow { db in
      try Int64.fetchAll(
        db.cachedStatement(
          sql: "SELECT number FROM asset WHERE burst = (SELECT burst FROM asset WHERE number = ?)"),
        arguments: [number])
    }
  }

  func number(of id: Asset.ID) throws(PhotoLibraryError) -> Int64? {
    try readingNow { db in
      try Int64.fetchOne(db.cachedStatement(sql: "SELECT number FROM asset WHERE id = ?"), arguments: [id])
    }
  }

  func asset(id: Asset.ID) throws(PhotoLibraryError) -> Asset? {
    let folder = folder
    return try readingNow { db in
      try IndexedFile.fetchOne(
        db.cachedStatement(sql: "SELECT * FROM asset WHERE id = ?"), arguments: [id])?.asset(in: folder)
    }
  }

  /// - Parameter path: Relative to the library's folder.
  func asset(path: String) throws(PhotoLibraryError) -> Asset? {
    let folder = folder
    return try readingNow { db in
      try IndexedFile.fetchOne(
        db.cachedStatement(sql: "SELECT * FROM asset WHERE path = ?"), arguments: [path])?.asset(in: folder)
    }
  }

  func count() throws(PhotoLibraryError) -> Int {
    try readingNow { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM asset WHERE \(AssetQuery.isWhole)") ?? 0 }
  }

  /// Whether the index knows any asset.
  func hasAssets() throws(PhotoLibraryError) -> Bool {
    try readingNow { db in try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM asset)") ?? false }
  }

  /// The paths of files with this size: candidates for duplicates.
  func paths(ofSize size: UInt64) throws(PhotoLibraryError) -> [String] {
    try readingNow { db in
      try String.fetchAll(
        db, sql: "SELECT path FROM asset WHERE fileSize = ? ORDER BY path", arguments: [Int64(clamping: size)])
    }
  }

  // MARK: Collections

  /// The albums, or those of an asset, by title.
  func albums(of asset: Asset.ID? = nil) throws(PhotoLibraryError) -> [AssetCollection] {
    try collections(isFolder: false, of: asset) { row in
      var album = AssetCollection(
        album: row["id"], title: row["title"], listID: row["parent"],
        created: Date(millisecondsSince1970: row["created"]), search: row["rules"])
      (album.isOrdered, album.coverID, album.position) = (row["isOrdered"], row["cover"], row["position"])
      return album
    }
  }

  /// The folders of albums, by title.
  func lists() throws(PhotoLibraryError) -> [CollectionList] {
    try collections(isFolder: true) { row in
      CollectionList(
        id: row["id"], title: (row["title"] as String).displayed, listID: row["parent"],
        created: Date(millisecondsSince1970: row["created"]), position: row["position"])
    }
  }

  private func collections<R>(
    isFolder: Bool, of asset: Asset.ID? = nil, _ value: @escaping (Row) -> R
  ) throws(PhotoLibraryError) -> [R] {
    try readingNow { db in
      let restriction = asset == nil ? "" : "AND id IN (SELECT collection FROM membership WHERE asset = :asset)"
      let rows = try Row.fetchAll(
        db,
        sql: "SELECT * FROM collection WHERE isFolder = :isFolder \(restriction) ORDER BY search, id",
        arguments: asset.map { ["isFolder": isFolder, "asset": $0] } ?? ["isFolder": isFolder])
      return rows.map(value)
    }
  }

  /// The assets of an album, including those whose files don't exist now.
  func members(of album: AssetCollection.ID) throws(PhotoLibraryError) -> [Asset.ID] {
    try readingNow { db in
      try String.fetchAll(db, sql: "SELECT asset FROM membership WHERE collection = ?", arguments: [album])
    }
  }

  /// The same in the order in which the album shows them, those without a file at the end.
  ///
  /// - Parameter isOrdered: By the times of their memberships; otherwise the newest first.
  func members(of album: AssetCollection.ID, isOrdered: Bool) throws(PhotoLibraryError) -> [(Asset.ID, added: Int64)] {
    let order = isOrdered ? "added, path" : "created DESC, path DESC"
    return try readingNow { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT membership.asset, added FROM membership LEFT JOIN asset ON asset.id = membership.asset
          WHERE collection = ? ORDER BY asset.id IS NULL, \(order)
          """, arguments: [album]
      ).map { ($0[0], $0[1]) }
    }
  }

  /// The number of visible assets of each album that has any.
  ///
  /// - Parameter groupsBursts: Whether the pictures of a burst count as one.
  func albumCounts(groupsBursts: Bool) throws(PhotoLibraryError) -> [AssetCollection.ID: Int] {
    let count = groupsBursts ? "count(DISTINCT coalesce('b' || burst, asset.number))" : "count(*)"
    return try readingNow { db in
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT membership.collection, \(count) FROM membership JOIN asset ON asset.id = membership.asset
          WHERE asset.isHidden = 0 AND asset.\(AssetQuery.isWhole) GROUP BY membership.collection
          """)
      var counts: [AssetCollection.ID: Int] = [:]
      while let row = try rows.next() { counts[row[0]] = row[1] }
      return counts
    }
  }

  /// The time at which the last asset was added to an album, in milliseconds since 1970; `nil` for an empty one.
  func lastAdded(to album: AssetCollection.ID) throws(PhotoLibraryError) -> Int64? {
    try readingNow { db in
      try Int64.fetchOne(db, sql: "SELECT MAX(added) FROM membership WHERE collection = ?", arguments: [album])
    }
  }

  /// The albums and folders in a folder of albums.
  func children(of list: CollectionList.ID) throws(PhotoLibraryError) -> [String] {
    try readingNow { db in
      try String.fetchAll(db, sql: "SELECT id FROM collection WHERE parent = ?", arguments: [list])
    }
  }

  /// The moments of a fetch, the latest first.
  func moments(_ query: AssetQuery) throws(PhotoLibraryError) -> [Moment] {
    try readingNow { db in
      let day = "((created + utcOffset * 1000) / 86400000 - ((created + utcOffset * 1000) % 86400000 < 0))"
      let rows = try Row.fetchCursor(
        db,
        sql: """
          SELECT \(day) AS day, \(IndexSchema.cell("latitude")) AS placeRow,
            \(IndexSchema.cell("longitude")) AS placeColumn, count(*) AS count
          FROM asset\(query.restriction) GROUP BY 1, 2, 3 ORDER BY 1 DESC, max(created) DESC
          """, arguments: query.arguments)
      var moments: [Moment] = []
      while let row = try rows.next() {
        let (placeRow, placeColumn): (Int?, Int?) = (row["placeRow"], row["placeColumn"])
        let place = placeRow.flatMap { row in placeColumn.map { Moment.Place(row: row, column: $0) } }
        moments.append(Moment(day: row["day"], place: place, count: row["count"]))
      }
      return moments
    }
  }

  // MARK: Change details

  /// With more changes than this the whole list is fetched again: each change costs some 20 lookups otherwise.
  private static let fewChanges = 64

  /// The difference between a list and the result of the same fetch now.
  func changeDetails(for before: FetchResult) throws(PhotoLibraryError) -> FetchResultChangeDetails {
    try readingNow { db in
      let now = try Self.lastSequence(db)
      guard now != before.sequence else { return FetchResultChangeDetails(after: before) }
      let first = try Int64.fetchOne(db, sql: "SELECT min(sequence) FROM change") ?? 0
      // The index was replaced, or has discarded that part of the history.
      let isForgotten = now < before.sequence || first > before.sequence + 1
      var touched: Set<Int64> = []
      var bursts: Set<String> = []
      if !isForgotten {
        let rows = try Row.fetchCursor(
          db, sql: "SELECT number, burst FROM change WHERE sequence > ? AND kind <> ?",
          arguments: [before.sequence, ChangeKind.collection.rawValue])
        while let row = try rows.next() {
          touched.insert(row[0])
          if let burst = row[1] as String? { bursts.insert(burst) }
        }
      }
      let isMuch = touched.count > Self.fewChanges
      if before.options.groupsBursts {
        // Another picture may stand for the burst now, and for another number of them.
        let others = try db.cachedStatement(sql: "SELECT number FROM asset WHERE burst = ?")
        for burst in bursts { touched.formUnion(try Int64.fetchAll(others, arguments: [burst])) }
      }
      if isForgotten || isMuch || before.options.limit != nil || before.query.dependsOnOthers {
        let after = try self.fetch(before.query, db)
        let difference = ListDifference(from: before.numbers, to: after.numbers) {
          isForgotten || touched.contains($0)
        }
        return FetchResultChangeDetails(difference, after: after)
      }
      return try self.fewChanges(touched, in: before, now: now, db)
    }
  }

  /// Removes the touched assets from the list and inserts those that still match at their positions.
  private func fewChanges(
    _ touched: Set<Int64>, in before: FetchResult, now: Int64, _ db: Database
  ) throws -> FetchResultChangeDetails {
    let query = before.query
    let list = touched.map(String.init).joined(separator: ",")
    let connector = query.restriction.contains(" WHERE ") ? " AND " : " WHERE "
    let rows = try Row.fetchAll(
      db,
      sql: "SELECT number, \(query.key) AS key, path FROM asset\(query.restriction)\(connector)number IN (\(list)) "
        + "ORDER BY \(query.order)", arguments: query.arguments)
    let arriving = rows.map { SortPosition($0, isAscending: query.isAscending) }

    // An insertion into a full array would double its capacity.
    var numbers: [Int64] = []
    numbers.reserveCapacity(before.numbers.count + touched.count)
    numbers += before.numbers
    var indexes: [Int64: Int] = [:]
    let isTouched = NumberFilter(touched)
    for (index, number) in before.numbers.enumerated() where isTouched(number) { indexes[number] = index }
    for index in indexes.values.sorted(by: >) { numbers.remove(at: index) }
    let position = try db.cachedStatement(
      sql: "SELECT number, \(query.key) AS key, path FROM asset\(query.join) WHERE number = :number")
    var arguments = query.joinArguments
    var from = 0
    for one in arriving {
      var (low, high) = (from, numbers.count)
      while low < high {
        let middle = (low + high) / 2
        arguments["number"] = numbers[middle].databaseValue
        let other = try Row.fetchOne(position, arguments: StatementArguments(arguments))
          .map { SortPosition($0, isAscending: query.isAscending) }
        if let other, other.isBefore(one) { low = middle + 1 } else { high = middle }
      }
      numbers.insert(one.number, at: low)
      from = low + 1
    }
    let after = FetchResult(rows: self, query: query, numbers: numbers, sequence: now)
    return FetchResultChangeDetails(
      ListDifference(from: before.numbers, to: numbers, touched: touched, indexesBefore: indexes), after: after)
  }
}

/// The position of an asset in the order of a fetch.
private struct SortPosition {
  let number: Int64
  let key: DatabaseValue
  let path: String
  let isAscending: Bool

  init(_ row: Row, isAscending: Bool) {
    number = row["number"]
    key = row["key"]
    path = row["path"]
    self.isAscending = isAscending
  }

  func isBefore(_ other: SortPosition) -> Bool {
    let order = compare(key, other.key)
    if order != 0 { return isAscending ? order < 0 : order > 0 }
    let isFirst = path.utf8.lexicographicallyPrecedes(other.path.utf8)
    return path == other.path ? number < other.number : isAscending ? isFirst : !isFirst
  }

  /// Compares numbers and strings as SQLite does.
  private func compare(_ left: DatabaseValue, _ right: DatabaseValue) -> Int {
    switch (left.storage, right.storage) {
    case (.int64(let left), .int64(let right)): return left < right ? -1 : left > right ? 1 : 0
    case (.string(let left), .string(let right)):
      if left == right { return 0 }
      return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    default: return 0
    }
  }
}

extension FetchResultChangeDetails {
  init(_ difference: ListDifference, after: FetchResult) {
    self.after = after
    removed = difference.removed
    inserted = difference.inserted
    changed = difference.changed
    moves = difference.moves
  }
}
