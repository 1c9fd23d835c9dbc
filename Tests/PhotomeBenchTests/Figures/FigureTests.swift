// The benchmarks' printed figures.

import Foundation
import Testing

@testable import photome_bench

@Suite("A figure")
struct FigureTests {
  private func object(_ figure: Figure) throws -> [String: Any] {
    let report = try JSONSerialization.jsonObject(with: Data(Report(figures: [figure]).json.utf8)) as? [String: Any]
    return try #require((report?["figures"] as? [[String: Any]])?.first)
  }

  @Test("Says every key, those without a value too")
  func keys() throws {
    let figure = try object(Figure("start", value: nil, unit: "s"))
    for key in ["name", "value", "unit", "peer", "ratio", "goal", "met"] { #expect(figure[key] != nil, "\(key)") }
    for key in ["value", "peer", "ratio", "goal", "met"] { #expect(figure[key] is NSNull, "\(key)") }
  }

  @Test(
    "Is held against its goal",
    arguments: [
      (Goal.ratio(atMost: 0.5), 1.0, 2.0, true), (.ratio(atMost: 0.5), 1.1, 2, false), (.atMost(5), 5, 1, true),
      (.atMost(5), 6, 9, false), (.atLeast(30), 30, 1, true), (.atLeast(30), 29, 1, false),
    ])
  func met(goal: Goal, value: Double, peer: Double, isMet: Bool) throws {
    let figure = try object(Figure("x", value: value, unit: "s", peer: peer, peerName: "peer", goal: goal))
    #expect(figure["met"] as? Bool == isMet)
    #expect(figure["ratio"] as? Double == value / peer)
  }

  @Test("Can't be judged without what it is held against")
  func unjudged() {
    #expect(Figure("x", value: 1, unit: "s", goal: .ratio(atMost: 1)).met == nil)
    #expect(Figure("x", value: nil, unit: "s", goal: .atMost(1)).met == nil)
  }
}
