// The patience with a frame that isn't painted, event by event.

import Testing

@testable import PhotoMe

@Suite("Patience with paintings")
struct PaintingPatienceTests {
  /// Checks until no other one is wanted, and returns their number.
  private func checks(_ patience: inout PaintingPatience) -> Int {
    for count in 1...100 where !patience.check() { return count }
    return .max
  }

  @Test("A frame that is never painted hides the window, after several checks")
  func hidden() {
    var patience = PaintingPatience()
    #expect(patience.frameArrived())
    #expect(checks(&patience) == PaintingPatience.checks)
    #expect(patience.isOver)
    // More frames of a camera that has to run on, as in a recording, change nothing.
    #expect(!patience.frameArrived())
    #expect(patience.isOver)
  }

  @Test("With the next painting it can be seen, and patience begins anew")
  func back() {
    var patience = PaintingPatience()
    _ = patience.frameArrived()
    _ = checks(&patience)
    #expect(patience.painted())
    #expect(!patience.isOver)
    #expect(!patience.painted())
    #expect(patience.frameArrived())
    #expect(checks(&patience) == PaintingPatience.checks)
  }

  @Test("However slowly frames are painted, one painting between two checks is enough")
  func slow() {
    var patience = PaintingPatience()
    #expect(patience.frameArrived())
    for _ in 0..<100 {
      for _ in 1..<PaintingPatience.checks { #expect(patience.check()) }
      #expect(!patience.painted())
      #expect(!patience.frameArrived())
    }
    #expect(!patience.isOver)
  }

  @Test("A camera that sends nothing doesn't hide the window")
  func noFrames() {
    var patience = PaintingPatience()
    #expect(patience.frameArrived())
    #expect(!patience.painted())
    #expect(checks(&patience) == 1)
    #expect(!patience.isOver)
    // The next frame begins again.
    #expect(patience.frameArrived())
  }
}
