// What a camera's counts say about it.

import CameraCore
import Testing

@Suite struct CameraWatchTests {
  @Test(arguments: [
    (FrameTally(kept: 10, refused: 2), CameraWatch.Finding.silent),
    (FrameTally(kept: 11, refused: 2), .alive),
    (FrameTally(kept: 11, refused: 9), .alive),
    (FrameTally(kept: 10, refused: 3), .damaged),
    // Nothing is shown, so nothing is decoded.
    (FrameTally(kept: 40, refused: 2, decoded: 5, undecodable: 1), .alive),
    // One bad frame in the moment in which the viewfinder was shown.
    (FrameTally(kept: 40, refused: 2, decoded: 5, undecodable: 2), .alive),
    (FrameTally(kept: 40, refused: 2, decoded: 5, undecodable: 6), .damaged),
    (FrameTally(kept: 40, refused: 2, decoded: 6, undecodable: 30), .alive),
    // Another camera's counts begin anew.
    (FrameTally(kept: 40, refused: 2), .alive),
  ])
  func findings(tally: FrameTally, finding: CameraWatch.Finding) {
    var watch = CameraWatch(FrameTally(kept: 10, refused: 2, decoded: 5, undecodable: 1))
    for _ in 1..<CameraWatch.looks { #expect(watch.look(at: tally) == .alive, "its time isn't over") }
    #expect(watch.look(at: tally) == finding)
  }

  @Test func eachLookCountsFromFourBefore() {
    var watch = CameraWatch()
    for kept in 1...5 { #expect(watch.look(at: FrameTally(kept: kept)) == .alive) }
    for _ in 0..<3 { #expect(watch.look(at: FrameTally(kept: 5)) == .alive) }
    #expect(watch.look(at: FrameTally(kept: 5)) == .silent)
    #expect(watch.look(at: FrameTally(kept: 5, refused: 5)) == .damaged)
    for _ in 0..<3 { #expect(watch.look(at: FrameTally(kept: 5, refused: 5)) == .damaged) }
    #expect(watch.look(at: FrameTally(kept: 5, refused: 5)) == .silent)
    #expect(watch.look(at: FrameTally(kept: 6, refused: 5)) == .alive)
  }
}
