// Doubtful spots go, and people stay.

import Testing

@testable import PersonMatte

@Suite struct MatteCleaningTests {
  private static func plane(_ rows: [[Float]]) -> Plane {
    Plane(width: rows[0].count, height: rows.count, numbers: rows.flatMap(\.self))
  }

  @Test("A spot goes unless the network is sure of a part of it") func spots() {
    let matte = Self.plane([
      [0.5, 0.4, 0.0, 0.3, 0.9],
      [0.0, 0.6, 0.0, 0.2, 1.0],
      [0.0, 0.0, 0.0, 0.0, 0.0],
      [0.9, 0.1, 0.1, 0.04, 0.8],
    ])
    let expected = Self.plane([
      [0.0, 0.0, 0.0, 0.3, 0.9],
      [0.0, 0.0, 0.0, 0.2, 1.0],
      [0.0, 0.0, 0.0, 0.0, 0.0],
      [0.9, 0.1, 0.1, 0.04, 0.0],
    ])
    #expect(MatteCleaning.clean(matte) == expected)
    #expect(MatteCleaning.clean(expected) == expected)
  }

  @Test("Corners don't connect, and rows don't go round") func neighbors() {
    let matte = Self.plane([[0.9, 0.0, 0.5], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]])
    #expect(MatteCleaning.clean(matte) == Self.plane([[0.9, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]))
  }
}
