// `photomectl library album arrange`, and the order in which albums are listed.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct AlbumArrangementCommandTests {
  private struct Line: Decodable {
    var id: String
    var title: String
    var isFolder: Bool
  }

  private struct Album: Decodable { var title: String }

  @Test func albumsAreArranged() throws {
    let place = try Place()
    for title in ["C", "A", "B"] { _ = try place.run(["library", "album", "create", title] + place.library) }
    func listed() throws -> [String] {
      try place.decode([Album].self, ["library", "album", "list", "--json"] + place.library).map(\.title)
    }
    func arrange(_ words: String...) throws -> [String] {
      try place.decode([Line].self, ["library", "album", "arrange"] + words + ["--json"] + place.library).map(\.title)
    }
    #expect(try listed() == ["A", "B", "C"])
    #expect(try arrange("C", "--first") == ["C", "A", "B"])
    #expect(try listed() == ["C", "A", "B"])
    #expect(try arrange("c", "--before", "B") == ["A", "C", "B"])
    #expect(try arrange("A", "--after", "C") == ["C", "A", "B"])
    #expect(try arrange("C", "--last") == ["A", "B", "C"])
    let text = try place.run(["library", "album", "arrange", "C", "--first"] + place.library)
    #expect(text.split(separator: "\n").map { $0.suffix(3) } == ["  C", "  A", "  B"])
    _ = try place.run(["library", "album", "create", "AA"] + place.library)
    #expect(try listed() == ["C", "A", "B", "AA"])
    #expect(try arrange("A", "--by-name") == ["A", "AA", "B", "C"])
    #expect(try listed() == ["A", "AA", "B", "C"])
  }

  @Test(arguments: [
    (["A"], "Give one of --before", 64), (["A", "--first", "--last"], "Give one of --before", 64),
    (["A", "--before", "A"], "“A” can’t come before or after itself", 1),
    (["A", "--before", "nonsense"], "There is no album “nonsense”", 1),
    (["nonsense", "--first"], "There is no album “nonsense”", 1),
  ])
  func whatIsWrongIsSaid(words: [String], text: String, status: Int32) throws {
    let place = try Place()
    for title in ["A", "B"] { _ = try place.run(["library", "album", "create", title] + place.library) }
    let result = try place.result(["library", "album", "arrange"] + words + place.library)
    #expect(result.status == status && result.errors.contains(text), "\(result)")
  }
}
