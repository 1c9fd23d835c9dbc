// The movie's time axis, by properties: frames keep their distances, sound has no gaps and stays with the picture.

import CameraCore
import TestSupport
import Testing

@Suite struct RecordingTimelineTests {
  private let origin = MonotonicTime(nanoseconds: 7_000_000_123)

  private func time(_ seconds: Double) -> MonotonicTime { origin + .seconds(seconds) }

  /// The number of samples in the steps, and how many of them are silence.
  private func count(_ steps: [RecordingTimeline.SoundStep]) -> (all: Int, silent: Int) {
    steps.reduce((0, 0)) { sum, step in
      switch step {
      case .silence(let count): (sum.0 + count, sum.1 + count)
      case .samples(let range): (sum.0 + range.count, sum.1)
      }
    }
  }

  @Test func theFirstFrameIsAtZeroAndTheOthersKeepTheirTimes() {
    var timeline = RecordingTimeline(origin: origin)
    #expect(timeline.place(frameAt: time(-0.1)) == nil)
    #expect(timeline.place(frameAt: time(0.02)) == .zero)
    #expect(timeline.place(frameAt: time(0.05)) == .seconds(0.05))
    #expect(timeline.place(frameAt: time(0.05)) == nil)
    #expect(timeline.place(frameAt: time(0.04)) == nil)
    #expect(timeline.place(frameAt: time(1800)) == .seconds(1800))
  }

  @Test func aPauseIsCutOutOfPictureAndSound() {
    var timeline = RecordingTimeline(origin: origin)
    #expect(timeline.place(frameAt: time(0)) == .zero)
    #expect(timeline.place(soundAt: time(0), sampleCount: 48_000) == [.samples(0..<48_000)])
    timeline.pause(at: time(1.5))
    #expect(timeline.place(frameAt: time(1.4)) == .seconds(1.4))
    #expect(timeline.place(frameAt: time(1.6)) == nil)
    // From the middle of this chunk on, it is the pause's.
    #expect(timeline.place(soundAt: time(1), sampleCount: 48_000) == [.samples(0..<24_000)])
    #expect(timeline.place(soundAt: time(2), sampleCount: 48_000) == [])
    timeline.resume(at: time(61.5))
    #expect(timeline.place(frameAt: time(61.4)) == nil)
    #expect(timeline.place(frameAt: time(61.6)) == .seconds(1.6))
    #expect(timeline.place(soundAt: time(61), sampleCount: 48_000) == [.samples(24_000..<48_000)])
    #expect(timeline.soundCount == 96_000)
  }

  @Test func aPauseWithinOneChunkLeavesBothOfItsEnds() {
    var timeline = RecordingTimeline(origin: origin)
    timeline.pause(at: time(0.25))
    timeline.resume(at: time(0.75))
    #expect(timeline.place(soundAt: time(0), sampleCount: 48_000) == [.samples(0..<12_000), .samples(36_000..<48_000)])
  }

  @Test func whatDoesNotComeIsSilentAndWhatComesTwiceIsDropped() {
    var timeline = RecordingTimeline(origin: origin)
    #expect(timeline.place(soundAt: time(-0.5), sampleCount: 48_000) == [.samples(24_000..<48_000)])
    // A gap of a second.
    #expect(timeline.place(soundAt: time(1.5), sampleCount: 480) == [.silence(48_000), .samples(0..<480)])
    // Half of this was there already.
    #expect(timeline.place(soundAt: time(1.01), sampleCount: 48_000) == [.samples(24_000..<48_000)])
    #expect(timeline.fill(until: time(3.01)) == 48_000)
    #expect(timeline.fill(until: time(3)) == 0)
    #expect(timeline.soundCount == 3 * 48_000 + 480)
  }

  @Test func soundInAPauseIsFilledUpToItsBeginningOnly() {
    var timeline = RecordingTimeline(origin: origin)
    timeline.pause(at: time(2))
    #expect(timeline.fill(until: time(100)) == 96_000)
    #expect(timeline.fill(until: time(200)) == 0)
  }

  @Test(arguments: [200e-6, -200e-6, 0, 1000e-6, -1000e-6])
  func soundStaysInStepForHalfAnHour(drift: Double) {
    var numbers = SeededNumbers.fresh()
    var timeline = RecordingTimeline(origin: origin)
    var position = 0.0
    var worst = 0.0
    while position < 1800 {
      // The sound card's second is longer or shorter than the clock's; the stamps of chunks jitter by up to 8 ms.
      let jitter = (numbers.fraction() - 0.5) * 0.016
      let before = timeline.soundCount
      let steps = timeline.place(soundAt: time(position + max(jitter, -position)), sampleCount: 480)
      #expect(count(steps).all == timeline.soundCount - before)
      // Never a gap that is heard.
      if position > 0 { #expect(count(steps).silent == 0) }
      #expect(abs(count(steps).all - 480) <= 1 || position == 0)
      position += 0.01 * (1 + drift)
      worst = max(worst, abs(Double(timeline.soundCount) / 48_000 - position))
    }
    #expect(worst < 0.015, "\(worst) s at \(drift)")
  }

  @Test func anythingThatComesInAnyOrderLeavesOneTimelineOfPictureAndSound() {
    var numbers = SeededNumbers.fresh()
    for _ in 0..<100 {
      var timeline = RecordingTimeline(origin: origin)
      var now = 0.0
      var isPaused = false
      var paused = 0.0
      var last: TimeSpan?
      var samples = 0
      for _ in 0..<400 {
        let step = numbers.fraction() * 0.05
        now += step
        if isPaused { paused += step }
        switch numbers.next() % 12 {
        case 0:
          if isPaused { timeline.resume(at: time(now)) } else { timeline.pause(at: time(now)) }
          isPaused.toggle()
        case 1...4:
          if let place = timeline.place(frameAt: time(now - numbers.fraction() * 0.04)) {
            if let last { #expect(place > last) }
            last = place
          }
        case 5...10:
          samples +=
            count(
              timeline.place(soundAt: time(now - numbers.fraction() * 0.3), sampleCount: Int(numbers.next() % 4000))
            ).all
        default:
          samples += timeline.fill(until: time(now - 0.1))
        }
        #expect(timeline.soundCount == samples)
        // Neither picture nor sound is ahead of what has been recorded.
        #expect((last ?? .zero) <= .seconds(now - paused + 1e-6))
        #expect(Double(samples) / 48_000 <= now - paused + 0.3)
      }
    }
  }
}
