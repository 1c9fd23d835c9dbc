// The query plans of whole operations: nothing reads every row of a large library.

import CameraCore
import Foundation
import GRDB
import Synchronization
import Testing

@testable import PhotoLibrary

extension QueryPlanTests {
  /// A library whose index is in memory: one connection runs all statements.
  private func library(_ scratch: Scratch) async throws -> PhotoLibrary {
    let file = scratch.url.appendingPathComponent("file")
    try Data().write(to: file)
    return try await PhotoLibrary.open(
      at: scratch.pictures, index: file.appendingPathComponent("index.sqlite"), disk: Disk(), trash: scratch.trash)
  }

  /// The plans of the statements that run during `body` and scan a table that grows with the library.
  private func scans(_ library: PhotoLibrary, _ body: () async throws -> Void) async throws -> [String] {
    let box = Box()
    try library.index.writing { db in
      db.trace { event in box.value.withLock { _ = $0.insert(event.expandedDescription) } }
    }
    try await body()
    try library.index.writing { db in db.trace(options: []) }
    let statements = box.value.withLock { $0 }
    #expect(statements.contains { $0.contains("FROM asset") })
    // The tables that grow with the library.
    let tables = ["asset", "unusable", "binding", "membership", "change", "digest"]
    return try library.index.readingNow { db in
      try statements.sorted().flatMap { statement -> [String] in
        // Whether there is any row is answered by the first one.
        guard ["SELECT", "UPDATE", "DELETE", "INSERT", "WITH"].contains(where: statement.hasPrefix),
          !statement.hasPrefix("SELECT EXISTS (SELECT 1 FROM")
        else { return [] }
        return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(statement)").map { $0["detail"] as String }
          .filter { step in tables.contains { step == "SCAN \($0)" || step.hasPrefix("SCAN \($0) USING") } }
          .map { "\($0): \(statement)" }
      }
    }
  }

  private final class Box: Sendable {
    let value = Mutex<Set<String>>([])
  }

  private func shot(_ library: PhotoLibrary, second: Double) async throws -> Asset {
    try await library.createAsset(
      AssetCreationRequest(photo: Samples.jpeg(), metadata: Samples.metadata(date: Samples.date + second)))
  }

  @Test func importsChangesAndScansReadNoWholeTable() async throws {
    let scratch = try Scratch()
    let library = try await library(scratch)
    let first = try await shot(library, second: 0)
    let card = scratch.url.appendingPathComponent("card")
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
    for number in 0..<4 {
      try Samples.jpeg(shade: UInt8(40 * number)).write(to: card.appendingPathComponent("\(number).jpg"))
    }
    try FileManager.default.copyItem(at: first.url, to: card.appendingPathComponent("again.jpg"))
    let found = try await scans(library) {
      let report = try await library.importAssets(from: [card])
      #expect(report.imported.count == 4 && report.duplicates.count == 1)
      try await library.performChanges { $0.change(AssetChangeRequest(for: first.id, isFavorite: true)) }
      let second = try await shot(library, second: 9)
      try FileManager.default.moveItem(at: second.url, to: scratch.pictures.appendingPathComponent("moved.jpg"))
      try await library.refresh()
      try await library.trash([second.id])
      try await library.performChanges { $0.deletePermanently([report.imported[0].asset.id]) }
    }
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
  }
}
