// The ring against a plain array that forgets nothing, over random streams and captures.

import CameraCore
import TestSupport
import Testing

@Suite struct LivePhotoRingTests {
  typealias Ring = LivePhotoRing<Int>

  static func ring(byteLimit: Int = .max) -> Ring {
    Ring(preRoll: .milliseconds(1500), postRoll: .milliseconds(1500), byteLimit: byteLimit)
  }

  static func time(_ milliseconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000)
  }

  @Test func aFullWindowIsThreeSecondsOfFrames() {
    var ring = Self.ring()
    let frames = (0..<300).map { MonotonicTime(nanoseconds: Int64($0) * 1_000_000_000 / 30) }
    for frame in 0..<150 { ring.append(frame, at: frames[frame], byteCount: 1) }
    let hold = ring.beginCapture(at: frames[149])
    for frame in 150..<194 { ring.append(frame, at: frames[frame], byteCount: 1) }
    #expect(!ring.isComplete(hold))
    ring.append(194, at: frames[194], byteCount: 1)
    #expect(ring.isComplete(hold))
    let window = ring.endCapture(hold)
    #expect(window.entries.map(\.payload) == Array(104...193))
    #expect(window.lateness < .milliseconds(34))
    #expect(ring.holdCount == 0)
  }

  @Test("Frames that are left out go from the windows of captures, too") func leavingOut() {
    var ring = Self.ring()
    for frame in 0..<10 { ring.append(frame, at: Self.time(frame * 100), byteCount: 3) }
    let hold = ring.beginCapture(at: Self.time(900))
    ring.leaveOut([Self.time(100), Self.time(500), Self.time(501)])
    #expect(ring.times(of: hold) == [0, 200, 300, 400, 600, 700, 800, 900].map(Self.time))
    #expect(ring.byteCount == 24 && ring.count == 8)
    #expect(ring.endCapture(hold).entries.map(\.payload) == [0, 2, 3, 4, 6, 7, 8, 9])
    for count in (1..<8).reversed() {
      #expect(ring.forgetOldest() != nil && ring.count == count)
    }
    #expect(ring.forgetOldest() == nil && ring.newest?.payload == 9 && ring.byteCount == 3)
  }

  @Test("A ring says whether its bytes or its age limit it") func trimming() {
    var ring = Self.ring(byteLimit: 5)
    for frame in 0..<5 { ring.append(frame, at: Self.time(frame * 100), byteCount: 1) }
    #expect(!ring.isTrimmed)
    ring.append(5, at: Self.time(500), byteCount: 1)
    #expect(ring.isTrimmed && ring.count == 5)
    ring.append(6, at: Self.time(9000), byteCount: 1)
    #expect(!ring.isTrimmed && ring.count == 1)
  }

  @Test func aPressThatIsHeardLateStillGetsItsWholePreRoll() {
    for slack in [TimeSpan.zero, .milliseconds(100)] {
      var ring = Ring(preRoll: .milliseconds(1500), postRoll: .milliseconds(1500), slack: slack, byteLimit: .max)
      for frame in 0..<200 { ring.append(frame, at: Self.time(frame * 25), byteCount: 1) }
      let hold = ring.beginCapture(at: Self.time(199 * 25 - 100))
      #expect(ring.window(of: hold).lateness == .milliseconds(100) - slack)
    }
  }

  @Test func aWindowThatStartsLateSaysSo() {
    var ring = Self.ring()
    ring.append(0, at: Self.time(10_000), byteCount: 1)
    let hold = ring.beginCapture(at: Self.time(10_200))
    #expect(ring.window(of: hold).lateness == .milliseconds(1300))
    var empty = Self.ring()
    let nothing = empty.beginCapture(at: Self.time(0))
    let window = empty.endCapture(nothing)
    #expect(window.lateness == .milliseconds(3000))
  }

  @Test func theFrameOnScreenIsTheLastOneNotLaterThanThePress() {
    var ring = Self.ring()
    #expect(ring.entry(at: Self.time(0)) == nil)
    for frame in 0..<30 { ring.append(frame, at: Self.time(frame * 33), byteCount: 1) }
    #expect(ring.entry(at: Self.time(99))?.payload == 3)
    #expect(ring.entry(at: Self.time(98))?.payload == 2)
    #expect(ring.entry(at: Self.time(5000))?.payload == 29)
    #expect(ring.entry(at: Self.time(-1))?.payload == 0)
  }

  @Test func aCameraThatRepeatsItselfIsNotKeptTwice() {
    var ring = Self.ring()
    let taken = [10, 10, 9, 11].map { ring.append($0, at: Self.time($0), byteCount: 5) }
    #expect(taken == [true, false, false, true])
    #expect(ring.byteCount == 10)
  }

  @Test func soundThatReachesIntoTheWindowIsInIt() {
    var ring = Self.ring()
    for chunk in 0...350 {
      ring.append(chunk, at: Self.time(chunk * 10), duration: .milliseconds(10), byteCount: 960)
    }
    let hold = ring.beginCapture(at: Self.time(3505))
    let window = ring.window(of: hold)
    #expect(window.entries.first?.time == Self.time(2000))
    #expect(window.entries.allSatisfy { $0.end > hold.start && $0.time < hold.end })
  }

  @Test func removingAllKeepsWhatIsHeld() {
    var ring = Self.ring()
    for frame in 0..<100 { ring.append(frame, at: Self.time(frame * 33), byteCount: 7) }
    let hold = ring.beginCapture(at: ring.newest!.time)
    let held = ring.window(of: hold).entries.map(\.payload)
    ring.removeAll()
    #expect(ring.window(of: hold).entries.map(\.payload) == held)
    _ = ring.endCapture(hold)
    ring.removeAll()
    #expect(ring.count == 0 && ring.byteCount == 0)
  }

  /// Random streams: uneven frame times and sizes, captures that begin and end at any moment, changes of the pre-roll.
  @Test(arguments: 0..<40) func behavesAsAnArrayThatForgetsNothing(seed: UInt64) {
    var random = SeededNumbers(state: seed)
    let limit = seed.isMultiple(of: 3) ? 4000 : Int.max
    var ring = Self.ring(byteLimit: limit)
    var all: [(time: MonotonicTime, bytes: Int, payload: Int)] = []
    var holds: [(hold: Ring.Hold, oldestAtBegin: Int?)] = []
    var now = 0
    for step in 0..<2000 {
      now += Int.random(in: 1...70, using: &random)
      let bytes = Int.random(in: 1...200, using: &random)
      ring.append(step, at: Self.time(now), byteCount: bytes)
      all.append((Self.time(now), bytes, step))
      if Int.random(in: 0..<40, using: &random) == 0, holds.count < 6 {
        let hold = ring.beginCapture(at: Self.time(now - Int.random(in: 0...60, using: &random)))
        holds.append((hold, ring.window(of: hold).entries.first?.payload))
      }
      if Int.random(in: 0..<60, using: &random) == 0, let index = holds.indices.randomElement(using: &random) {
        check(holds.remove(at: index), in: &ring, against: all)
      }
      if Int.random(in: 0..<200, using: &random) == 0 {
        ring.preRoll = .milliseconds(Int64.random(in: 300...1500, using: &random))
      }
      // Nothing is kept that is neither young enough nor held.
      let cut = min(Self.time(now) - ring.preRoll, holds.map(\.hold.start).min() ?? Self.time(now))
      #expect(ring.count <= all.reversed().prefix { $0.time >= cut }.count)
      if holds.isEmpty { #expect(ring.byteCount <= max(limit, bytes)) }
    }
    while let held = holds.popLast() { check(held, in: &ring, against: all) }
    #expect(ring.holdCount == 0)
    let kept = all.suffix(ring.count)
    #expect(ring.byteCount == kept.reduce(0) { $0 + $1.bytes })
    #expect(ring.newest?.payload == all.last?.payload)
  }

  private func check(
    _ held: (hold: Ring.Hold, oldestAtBegin: Int?), in ring: inout Ring,
    against all: [(time: MonotonicTime, bytes: Int, payload: Int)]
  ) {
    let expected = all.filter {
      $0.time >= held.hold.start && $0.time < held.hold.end && $0.payload >= (held.oldestAtBegin ?? 0)
    }
    let complete = all.contains { $0.time >= held.hold.end }
    #expect(ring.isComplete(held.hold) == complete)
    let window = ring.endCapture(held.hold)
    #expect(window.entries.map(\.payload) == expected.map(\.payload))
  }
}
