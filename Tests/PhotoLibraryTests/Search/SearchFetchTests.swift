// Searches in a library: what they find, and that nothing typed is an error.

import CameraCore
import Foundation
import GRDB
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct SearchFetchTests {
  private let gazetteer = Gazetteer(
    Data(
      """
      <country><iso-code>DE</iso-code><city><_name>Munich</_name><coordinates>48.15 11.58</coordinates></city></country>
      <country><iso-code>CH</iso-code><city><_name>Zürich</_name><coordinates>47.38 8.54</coordinates></city></country>
      """.utf8))

  /// An index of rows without files.
  private func index(_ rows: [Row]) throws -> LibraryIndex {
    let index = try LibraryIndex(url: nil, folder: URL(fileURLWithPath: "/nowhere"), disk: Disk())
    try index.writing { db in
      for (number, row) in rows.enumerated() {
        try db.execute(
          sql: """
            INSERT INTO asset (id, path, folder, name, search, contentID, isVideo, isOwn, created, utcOffset, width, height,
              movieStart, movieEnd, cameraName, latitude, longitude, fileSize, modified, changed, isFavorite, isHidden, isEdited)
            VALUES (:id, :name, '', :name, :search, :id, :isVideo, 0, :created, 3600, :width, 3000, :movie, :movie, :camera,
              :latitude, :longitude, :size, 0, 0, :isFavorite, 0, 0)
            """,
          arguments: [
            "id": String(format: "%032d", number), "name": row.name,
            "search": SearchText.folded("\(row.name)\n\(row.camera ?? "")"), "isVideo": row.isVideo,
            "created": row.created, "width": row.width, "movie": row.isLive ? 1 : nil, "camera": row.camera,
            "latitude": row.place?.0, "longitude": row.place?.1, "size": row.size, "isFavorite": row.isFavorite,
          ])
      }
      try db.execute(
        sql: """
          INSERT INTO collection (id, isFolder, title, search, created, fileSize, modified, changed)
          VALUES ('album', 0, 'Été à October', 'ete a october', 0, 0, 0, 0)
          """)
      try db.execute(
        sql: "INSERT INTO membership (collection, asset, added) VALUES ('album', ?, 0)",
        arguments: [String(format: "%032d", 1)])
    }
    try index.namePlaces(from: gazetteer)
    return index
  }

  private struct Row {
    var name: String
    var camera: String?
    /// 2025-10-05 12:00 UTC.
    var created: Int64 = 1_759_665_600_000
    var isVideo = false
    var isLive = false
    var isFavorite = false
    var width = 4000
    var size = 1_000_000
    var place: (Double, Double)?
  }

  private let rows = [
    Row(name: "IMG_20251005_1.jpg", camera: "Canon EOS R6", isFavorite: true, place: (48.14, 11.57)),
    // 2024-05-12 22:30 UTC, which is the 12th in UTC and half past eleven there.
    Row(name: "IMG_20240512_2.jpg", camera: "Canon EOS R6", created: 1_715_553_000_000, isLive: true, size: 12_000_000),
    Row(name: "VID_20240512_3.mp4", created: 1_715_553_000_000, isVideo: true, place: (47.37, 8.55)),
    Row(name: "Screenshot from here.png", created: 0, width: 9000, place: (0, -150)),
    Row(name: "canon.jpg", camera: "Pixel \"9\"", created: 0, place: (48.2, 11.5)),
  ]

  /// The places of the rows that a search finds.
  private func found(_ text: String, in index: LibraryIndex) throws -> [Int] {
    var options = FetchOptions()
    options.text = text
    options.sort = .init(.added, isAscending: true)
    return try index.fetch(AssetQuery(options, in: nil)).numbers.map { Int($0) - 1 }
  }

  @Test func whatIsSearchedForIsFound() throws {
    let index = try index(rows)
    let expected: [(String, [Int])] = [
      ("", [0, 1, 2, 3, 4]), ("MG_2025", [0]), ("2024", [1, 2]), ("g_2", [0, 1]), ("_2", [0, 1, 2]),
      ("canon", [0, 1, 4]),
      ("camera:canon", [0, 1]), ("name:canon", [4]), ("-canon", [2, 3]), ("october", [0, 1]), ("date:october", [0]),
      ("album:october", [1]), ("été", [1]), ("12 May 2024", [1, 2]), ("13 May 2024", []), ("sunday", [0, 1, 2]),
      ("movie", [2]), ("photo -live", [0, 3, 4]), ("favorite", [0]), ("screenshot", [3]), ("kind:panorama", [3]),
      (">5 MB", [1]), ("large", [1]), ("4000x3000", [0, 1, 2, 4]), ("3000x9000", [3]), ("munich", [0, 4]),
      ("place:zurich", [2]), ("germany canon", [0, 4]), ("in:switzerland movie", [2]), ("\"eos r6\"", [0, 1]),
      ("\"r6 eos\"", []), ("pixel \"9", [4]), ("kind:nonsense", []), ("-kind:nonsense", [0, 1, 2, 3, 4]), ("xyzzy", []),
    ]
    for (text, numbers) in expected { #expect(try found(text, in: index) == numbers, "\(text)") }
  }

  @Test(arguments: [
    "\"", "\"\"", "'", "';--", "*", "a*", "\"a\" OR \"b\"", "NEAR(a b, 2)", "^abc", "abc:def", "{name}: x", "AND",
    "NOT NOT",
    "a\u{0}b", "%%%", "___", "\\\\\\", "👩‍👩‍👧‍👦", "שלום עולם", "\u{202E}abc", "İstanbul ISPARTA ıı", "-", "--", "-\"",
    "date:", ":", "::",
    ">999999999999999 MB", "99999999999999999999", "2025-99-99", "..", "2025..", "1x0", "e\u{301}", "last 0 days",
  ])
  func nothingThatIsTypedIsAnError(text: String) throws {
    let index = try index(rows)
    _ = try found(text, in: index)
    _ = try found("-" + text, in: index)
    _ = try found(String(repeating: text + " ", count: 10_000 / (text.utf8.count + 1)), in: index)
    _ = try found(String(repeating: text, count: 10_000 / text.utf8.count), in: index)
    _ = try found("camera:\(text) album:\"\(text)\" kind:\(text)", in: index)
  }

  @Test func turkishLettersAreFoundByEither() throws {
    let index = try index([Row(name: "İstanbul.jpg"), Row(name: "ISPARTA ılıca.jpg")])
    #expect(try found("istanbul", in: index) == [0])
    #expect(try found("ISTANBUL", in: index) == [0])
    #expect(try found("ısparta", in: index) == [1])
    #expect(try found("ilica", in: index) == [1])
  }

  @Test func theTextIndexFollowsEveryChange() throws {
    let index = try index(rows)
    try index.writing { db in
      try db.execute(sql: "UPDATE asset SET search = 'renamed' WHERE number = 1")
      try db.execute(sql: "DELETE FROM asset WHERE number = 2")
    }
    #expect(try found("renamed", in: index) == [0])
    #expect(try found("img_2025", in: index) == [])
    #expect(try found("eos", in: index) == [])
    try index.writing { db in
      try db.execute(sql: "INSERT INTO assetText (assetText, rank) VALUES ('integrity-check', 1)")
    }
  }

  @Test func placesAreCountedByCountryAndCity() throws {
    let index = try index(rows)
    let places = try index.places(groupsBursts: true)
    #expect(places.map(\.title) == ["Germany", "Switzerland", Moment.Place(row: 0, column: -3000).title])
    #expect(places.map(\.count) == [2, 1, 1])
    #expect(places[0].cities.map(\.title) == ["Munich"])
    for (place, numbers) in zip(places + places[1].cities, [[0, 4], [2], [3], [2]]) {
      var options = FetchOptions()
      options.sort = .init(.added, isAscending: true)
      let fetched = try index.fetch(AssetQuery(options, in: AssetCollection(place)))
      #expect(fetched.numbers.map { Int($0) - 1 } == numbers, "\(place.title)")
    }
    // With another gazetteer, the names are those that it knows.
    try index.namePlaces(from: Gazetteer(Data()))
    #expect(try index.places(groupsBursts: false).allSatisfy { $0.country == nil })
    #expect(try found("munich", in: index) == [])
  }

  @Test func completionsAreWhatTheLibraryHas() throws {
    let index = try index(rows)
    var facets = try index.facets()
    facets.places = try index.places(groupsBursts: false)
    let english = SearchVocabulary(locales: [])
    func completions(_ text: String) -> [String] {
      facets.completions(of: text, vocabulary: english).map { "\($0.text)|\($0.count)" }
    }
    #expect(completions("can") == ["camera:\"Canon EOS R6\" |2"])
    #expect(completions("sea -mun") == ["sea -place:Munich |2"])
    #expect(completions("oct") == ["date:2025-10 |1", "album:\"Été à October\" |1"])
    #expect(completions("october 2025").first == "date:2025-10 |1")
    #expect(completions("2024") == ["date:2024 |2", "date:2024-05 |2"])
    #expect(completions("fav") == ["kind:favorite |1"])
    #expect(completions("album:o") == ["album:\"Été à October\" |1"])
    #expect(completions("9") == ["camera:Pixel |1"], "a quotation mark isn't written in a phrase")
    #expect(completions("can ").isEmpty && completions("").isEmpty && completions("xyzzy").isEmpty)
    // What is taken finds as many as were promised.
    for text in ["can", "mun", "oct", "fav", "2024", "vid", "scr", "pan", "ger"] {
      for completion in facets.completions(of: text, vocabulary: english) {
        #expect(try found(completion.text, in: index).count == completion.count, "\(completion.text)")
      }
    }
  }
}
