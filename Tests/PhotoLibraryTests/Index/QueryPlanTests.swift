// SQLite's query plans: a short list must not need a scan of a large library.

import Foundation
import GRDB
import Testing

@testable import PhotoLibrary

@Suite(.timeLimit(.minutes(30))) struct QueryPlanTests {
  private func plan(_ options: FetchOptions, in collection: AssetCollection? = nil) async throws -> [String] {
    let scratch = try Scratch()
    let library = try await scratch.library()
    defer { withExtendedLifetime(scratch) {} }
    let query = AssetQuery(options, in: collection)
    return try library.index.readingNow { db in
      try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(query.numbersStatement)", arguments: query.arguments)
        .map { $0["detail"] }
    }
  }

  @Test func theNewestComeFromAnIndexAlone() async throws {
    #expect(try await plan(FetchOptions()) == ["SEARCH asset USING COVERING INDEX assetNewest (isHidden=?)"])
  }

  @Test func favoritesComeFromAnIndexOfTheirOwn() async throws {
    let plan = try await plan(FetchOptions(), in: AssetCollection(.favorites))
    #expect(plan == ["SEARCH asset USING INDEX assetFavorite (isHidden=?)"])
  }

  @Test(arguments: [
    AssetCollection(album: String(repeating: "a", count: 32), title: "", listID: nil, created: Date()),
    AssetCollection(transient: [String(repeating: "a", count: 32)], title: ""),
  ])
  func whatIsPickedIsFoundByItsIDs(collection: AssetCollection) async throws {
    let plan = try await plan(FetchOptions(), in: collection)
    #expect(plan.contains { $0.hasPrefix("SEARCH asset USING INDEX") && $0.hasSuffix("(id=?)") }, "\(plan)")
  }
}
