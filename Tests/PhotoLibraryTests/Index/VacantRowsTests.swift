// The cost of finding the rows of many files that were changed or moved at once.

import Foundation
import Testing

@testable import PhotoLibrary

@Suite struct VacantRowsTests {
  private let count = 2_000

  private func row() async throws -> IndexedFile {
    let scratch = try Scratch()
    try scratch.put(Samples.jpeg(), "a.jpg")
    let library = try await scratch.library()
    try await library.refresh()
    let row = try #require(try library.index.file(path: "a.jpg"))
    await library.close()
    return row
  }

  private func rows(
    _ change: (inout IndexedFile, Int) -> Void
  ) async throws -> [IndexedFile] {
    let row = try await row()
    return (0..<count).map { number in
      var file = row
      file.id = AssetIdentity.digest(Data("\(number)".utf8))
      (file.inode, file.path) = (UInt64(1 + number), "2026-10/\(number).jpg")
      change(&file, number)
      return file
    }
  }

  private func vacant(_ rows: [IndexedFile]) -> VacantRows {
    VacantRows(Dictionary(rows.map { ($0.id, $0) }) { first, _ in first })
  }

  /// Files with other contents than any of the rows.
  @Test func newContentsCostNothing() async throws {
    let rows = try await rows { file, number in file.contentID = file.id }
    var vacant = vacant(rows)
    for var file in rows {
      file.contentID = AssetIdentity.digest(Data(file.path.utf8))
      #expect(vacant.origin(of: file, hasLastingNumber: true) { _ in false } == nil)
      file.isDated = true
      #expect(vacant.moved(file) { _ in false } == nil)
    }
    #expect(vacant.lookCount <= count)
  }

  /// As many as were moved to another folder, of one content or of one each.
  @Test(arguments: [true, false], [true, false])
  func movedFilesAreFoundAtOnce(areEqual: Bool, keepNumbers: Bool) async throws {
    let rows = try await rows { file, _ in if !areEqual { file.contentID = file.id } }
    var vacant = vacant(rows)
    for (number, row) in rows.enumerated() {
      var file = row
      file.path = "2026-11/\(count - 1 - number).jpg"
      let origin = try #require(vacant.origin(of: file, hasLastingNumber: keepNumbers) { _ in false })
      // By number, or by name.
      #expect(origin == (keepNumbers || !areEqual ? row : rows[count - 1 - number]))
      vacant.remove(origin.id)
    }
    #expect(vacant.rows.isEmpty && vacant.lookCount <= 2 * count)
  }

  /// Equal files with new names, on a disk that gives other numbers.
  @Test func equalFilesAreTakenInOrder() async throws {
    let rows = try await rows { _, _ in }
    var vacant = vacant(rows)
    let inOrder = IndexTransaction.inOrder(rows)
    for number in 0..<count {
      var file = rows[0]
      file.path = "2026-11/new \(number).jpg"
      let origin = try #require(vacant.origin(of: file, hasLastingNumber: false) { _ in false })
      #expect(origin == inOrder[number])
      vacant.remove(origin.id)
    }
    #expect(vacant.lookCount == count)
  }
}
