// The patience with a frame that isn't painted, event by event.

import Testing

@testable import PhotoMe

@Suite("Patience with paintings")
struct PaintingPatienceTests {
  private enum Event {
    case frame, check, painting
  }

  /// The answers to events, one after another.
  private func answers(_ patience: inout PaintingPatience, _ events: Event...) -> [Bool] {
    events.map { event in
      switch event {
      case .frame: patience.frameArrived()
      case .check: patience.check()
      case .painting: patience.painted()
      }
    }
  }

  /// Checks until no other one is wanted, and returns their number.
  private func checks(_ patience: inout PaintingPatience) -> Int {
    for count in 1...100 where !patience.check() { return count }
    return .max
  }

  @Test("A frame that is never painted hides the window, after several checks")
  func hidden() {
    var patience = PaintingPatience()
    #expect(answers(&patience, .frame) == [true])
    let count = checks(&patience)
    #expect(count == PaintingPatience.checks)
    #expect(patience.isOver)
    // More frames of a camera that has to run on, as in a recording, change nothing.
    #expect(answers(&patience, .frame, .frame) == [false, false])
    #expect(patience.isOver)
  }

  @Test("With the next painting it can be seen, and patience begins anew")
  func back() {
    var patience = PaintingPatience()
    _ = answers(&patience, .frame)
    _ = checks(&patience)
    #expect(answers(&patience, .painting) == [true])
    #expect(!patience.isOver)
    #expect(answers(&patience, .painting, .frame) == [false, true])
    let count = checks(&patience)
    #expect(count == PaintingPatience.checks)
  }

  @Test("However slowly frames are painted, one painting in between is enough")
  func slow() {
    var patience = PaintingPatience()
    _ = answers(&patience, .frame)
    for _ in 0..<100 {
      for _ in 1..<PaintingPatience.checks { #expect(answers(&patience, .check) == [true]) }
      #expect(answers(&patience, .painting, .frame) == [false, false])
    }
    #expect(!patience.isOver)
  }

  @Test("A camera that sends nothing doesn't hide the window")
  func noFrames() {
    var patience = PaintingPatience()
    #expect(answers(&patience, .frame, .painting, .check) == [true, false, false])
    #expect(!patience.isOver)
    // The next frame begins again.
    #expect(answers(&patience, .frame) == [true])
  }
}
