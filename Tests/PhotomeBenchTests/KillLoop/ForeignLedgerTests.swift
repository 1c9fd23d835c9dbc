// The ledger of what another program cares for.

import Foundation
import Testing

@testable import photome_bench

@Suite struct ForeignLedgerTests {
  private func note(_ number: Int, isDone: Bool, _ key: String, _ facts: SurvivalNote.Facts) -> SurvivalNote {
    SurvivalNote(isDone: isDone, number: number, work: "foreign", facts: [key: facts])
  }

  @Test func whatItWroteLastIsMissedOnce() {
    var ledger = ForeignLedger()
    ledger.take([
      note(1, isDone: true, "a", [.picture: "1"]), note(2, isDone: true, "a", [.picture: "2"]),
      note(3, isDone: true, "b", [.picture: "3"]),
    ])
    #expect(ledger.compare(with: ["2", "3"]) == [])
    #expect(ledger.compare(with: ["1", "3"]).count == 1)
    #expect(ledger.compare(with: ["3"]) == [])
  }

  @Test func whatItDestroyedItselfIsNotMissed() {
    var ledger = ForeignLedger()
    ledger.take([note(1, isDone: true, "a", [.picture: "1"]), note(2, isDone: true, "a", [.there: "no"])])
    #expect(ledger.compare(with: []) == [])
    // Killed while it destroyed another.
    ledger.take([note(1, isDone: true, "b", [.picture: "1"]), note(2, isDone: false, "b", [.there: "no"])])
    #expect(ledger.compare(with: []) == [])
  }

  @Test func killedWhileItReplacesEitherMustBeThere() {
    for found in ["1", "2"] {
      var ledger = ForeignLedger()
      ledger.take([note(1, isDone: true, "a", [.picture: "1"]), note(2, isDone: false, "a", [.picture: "2"])])
      #expect(ledger.compare(with: [found]) == [])
      #expect(ledger.compare(with: []).count == 1)
    }
    var ledger = ForeignLedger()
    ledger.take([note(1, isDone: true, "a", [.picture: "1"]), note(2, isDone: false, "a", [.picture: "2"])])
    #expect(ledger.compare(with: ["3"]).count == 1)
  }

  @Test(arguments: [
    ("/a/2025-01/editor-1.jpg", true), ("/a/EDITOR-1 COPY.JPG", true), ("/editor-1/IMG.jpg", false),
  ])
  func itsFilesAreKnownByTheirNames(path: String, isOwn: Bool) {
    #expect(ForeignEditor.isOwn(path) == isOwn)
  }

  @Test(arguments: [
    (#"{"file": {"content": "1", "path": "2025-02/EDITOR-1 copy.jpg"}, "version": 1}"#, true),
    (#"{"file": {"content": "1", "path": "2025-02/IMG_1.jpg"}, "version": 1}"#, false),
    (#"{"favorite": true, "version": 1}"#, false), ("", false),
  ])
  func itsAssetsAreKnownByTheirRecords(record: String, isOwn: Bool) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let records = folder.appendingPathComponent(".photome/assets")
    try FileManager.default.createDirectory(at: records, withIntermediateDirectories: true)
    try Data(record.utf8).write(to: records.appendingPathComponent("1.json"))
    #expect(ForeignEditor.isOwn(asset: "1", in: folder) == isOwn)
    #expect(!ForeignEditor.isOwn(asset: "2", in: folder))
  }
}
