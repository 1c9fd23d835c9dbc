// The difference between two lists as a single splice.

import Testing

@testable import PhotoMe

@Suite("Changes of lists")
struct ListChangeTests {
  @Test(
    "The list's one change makes the old list into the new one",
    arguments: [
      ("", "a"), ("b", "ab"), ("abc", "bc"), ("abc", "ac"), ("abc", "ab"), ("abc", ""), ("abcd", "xbcd"),
      ("abcd", "abxd"), ("aab", "ab"), ("abab", "ab"), ("ab", "ba"), ("abc", "xyz"),
    ])
  func listChange(_ old: String, _ new: String) throws {
    let before = old.map(String.init)
    let after = new.map(String.init)
    let change = try #require(ListChange(from: before, to: after))
    var list = before
    list.replaceSubrange(change.position..<(change.position + change.removedCount), with: change.inserted)
    #expect(list == after)
  }

  @Test("A picture at the front changes nothing else")
  func newest() {
    #expect(ListChange(from: ["b", "c"], to: ["a", "b", "c"])?.inserted == ["a"])
    #expect(ListChange(from: ["b", "c"], to: ["b", "c"]) == nil)
  }
}
