// Each course of transcoding a movie ends in one result or one error, with the frames and times that were asked for.

import CameraCore
import EngineInterface
import PhotoEffects
import Testing

@testable import MediaEngine

@Suite struct MovieTranscodeStateMachineTests {
  private typealias Machine = MovieTranscodeStateMachine

  private struct Broken: Error {}

  private struct Sized: FrameProcessing {
    var size: PixelSize
    func outputSize(for source: PixelSize) -> PixelSize { size }
    func render(_ source: PixelView, into target: PixelView, context: FrameContext, scratch: EffectScratch) throws {}
  }

  /// In milliseconds.
  private static func frame(
    _ time: Int64, lasting duration: Int64 = 0, isDamaged: Bool = false, size: PixelSize = .init(width: 64, height: 36),
    colorimetry: String? = "bt709"
  ) -> DecodedFrame {
    let layout = RawLayout(name: "I420", size: size, strides: [], offsets: [], colorimetry: colorimetry)
    let frame = CameraFrame(
      time: MonotonicTime(nanoseconds: 0), size: size, content: .raw(layout), block: FrameBlock(count: 0) { _ in })
    return DecodedFrame(
      frame: frame, layout: layout, rate: FrameRate(25), time: time * 1_000_000, duration: duration * 1_000_000,
      isDamaged: isDamaged)
  }

  private static func machine(
    _ edit: MovieEdit = MovieEdit(processor: nil), expecting count: Int? = nil, endingAt end: Int64? = nil
  ) -> Machine {
    Machine(edit, name: "a.mp4", timescale: 90_000, expectedCount: count, sourceEnd: end.map { $0 * 1_000_000 })
  }

  /// A short form of an action; times in milliseconds.
  private static func words(_ action: Machine.Action) -> String {
    func milliseconds(_ time: Int64) -> String { "\(time / 1_000_000)" }
    switch action {
    case .none: return "none"
    case .endDecoding: return "end decoding"
    case .render(let timed, let form, let next):
      let opening = form.map { "open \($0.size), " } ?? ""
      return
        "\(opening)render \(milliseconds(timed.frame.time))+\(milliseconds(timed.frame.duration)) "
        + "at \(milliseconds(timed.time)), \(next)"
    case .drain: return "drain"
    case .endStream(let reprises):
      let back = reprises.map { "\($0.index) at \(milliseconds($0.time))+\(milliseconds($0.duration))" }
      return (["end stream"] + back).joined(separator: ", ")
    case .fail(let error): return "fail: \(error)"
    case .finish(let result):
      return "finish \(result.size) \(result.times.map(milliseconds)) of \(result.sourceTimes.map(milliseconds)) "
        + "to \(milliseconds(result.sourceEnd)), lasting \(milliseconds(result.duration))"
    }
  }

  /// The actions for frames at these times and everything that follows.
  private static func course(_ machine: inout Machine, _ frames: [DecodedFrame]) -> [String] {
    var actions: [String] = []
    for frame in frames {
      let action = words(machine.decoded(frame))
      actions.append(action)
      if action.hasSuffix("endDecoding") || action == "end decoding" || action.hasPrefix("fail") { break }
    }
    actions.append(words(machine.decodingEnded()))
    actions.append(words(machine.workersEnded()))
    actions.append(words(machine.encoded()))
    return actions
  }

  @Test func aWholeMovieKeepsItsTimes() {
    var machine = Self.machine(expecting: 3)
    #expect(
      Self.course(&machine, [Self.frame(20), Self.frame(60), Self.frame(110, lasting: 30)]) == [
        "none", "open 64x36, render 20+40 at 20, decode", "render 60+50 at 60, decode", "render 110+30 at 110, drain",
        "end stream", #"finish 64x36 ["20", "60", "110"] of ["20", "60", "110"] to 140, lasting 140"#,
      ])
    #expect(machine.failure == nil)
  }

  @Test func theLastFrameLastsAsLongAsTheOneBefore() {
    var machine = Self.machine()
    #expect(Self.course(&machine, [Self.frame(0), Self.frame(40)])[2] == "render 40+40 at 40, drain")
    var single = Self.machine()
    #expect(Self.course(&single, [Self.frame(0)])[1] == "open 64x36, render 0+33 at 0, drain")
  }

  @Test func theLastFrameEndsWithTheSource() {
    // A frame is missing, so that the decoder's average is longer than the frame was.
    let frames = [Self.frame(0, lasting: 44), Self.frame(66, lasting: 44), Self.frame(99, lasting: 44)]
    var machine = Self.machine(expecting: 3, endingAt: 132)
    #expect(Self.course(&machine, frames).last?.hasSuffix("to 132, lasting 132") == true)
    // What ends before its last frame says nothing.
    machine = Self.machine(expecting: 3, endingAt: 99)
    #expect(Self.course(&machine, frames).last?.hasSuffix("to 143, lasting 143") == true)
    // A trim ends where it should.
    machine = Self.machine(MovieEdit(processor: nil, trim: 0...0.09), expecting: 2, endingAt: 132)
    #expect(Self.course(&machine, frames).last?.hasSuffix("to 99, lasting 99") == true)
  }

  @Test func aTrimBeginsWithinAFrameAndEndsBeforeOne() {
    // From within the frame at 40 to the beginning of the one at 160.
    var machine = Self.machine(MovieEdit(processor: nil, trim: 0.05...0.16))
    let frames = (0..<8).map { Self.frame(Int64($0) * 40) }
    #expect(
      Self.course(&machine, frames) == [
        "none", "none", "open 64x36, render 40+40 at 0, decode", "render 80+40 at 40, decode",
        "render 120+40 at 80, endDecoding", "drain", "end stream",
        #"finish 64x36 ["0", "40", "80"] of ["40", "80", "120"] to 160, lasting 120"#,
      ])
  }

  @Test func aTrimToTheEndKeepsTheLastFrame() {
    var machine = Self.machine(MovieEdit(processor: nil, trim: 0.05...9))
    #expect(
      Self.course(&machine, [Self.frame(0), Self.frame(40), Self.frame(80, lasting: 40)]) == [
        "none", "none", "open 64x36, render 40+40 at 0, decode", "render 80+40 at 40, drain", "end stream",
        #"finish 64x36 ["0", "40"] of ["40", "80"] to 120, lasting 80"#,
      ])
  }

  @Test func aBounceShowsAllButTheEndsOnceMore() {
    var machine = Self.machine(MovieEdit(processor: nil, isBounced: true))
    let course = Self.course(&machine, (0..<4).map { Self.frame(100 + Int64($0) * 40, lasting: 40) })
    #expect(
      course.suffix(2) == [
        "end stream, 2 at 160+40, 1 at 200+40",
        #"finish 64x36 ["0", "40", "80", "120"] of ["100", "140", "180", "220"] to 260, lasting 240"#,
      ])
    // Of two frames there is none between.
    var short = Self.machine(MovieEdit(processor: nil, isBounced: true))
    #expect(Self.course(&short, [Self.frame(0), Self.frame(40)])[3] == "end stream")
  }

  @Test func aBounceHasALimit() {
    var machine = Self.machine(MovieEdit(processor: nil, isBounced: true))
    var last = ""
    for index in 0...Int64(Machine.longestBounce) { last = Self.words(machine.decoded(Self.frame(index * 40))) }
    #expect(last.hasSuffix("decode"))
    let failing = Self.words(machine.decoded(Self.frame(Int64(Machine.longestBounce + 1) * 40)))
    #expect(failing.hasPrefix("fail") && failing.contains("too long"))
  }

  @Test(
    arguments: [
      ([frame(0), frame(40, isDamaged: true)], nil, "damaged at 0.04 s"),
      ([], nil, "has no picture"),
      ([frame(0), frame(40)], PixelSize(width: 31, height: 36), "even numbers, not 31 × 36"),
    ] as [([DecodedFrame], PixelSize?, String)])
  func whatCantBeRenderedIsRefused(frames: [DecodedFrame], size: PixelSize?, reason: String) {
    var machine = Self.machine(MovieEdit(processor: size.map { Sized(size: $0) }))
    let course = Self.course(&machine, frames)
    #expect(course.contains { $0.hasPrefix("fail") && $0.contains(reason) }, "\(course)")
    #expect(course.suffix(2) == ["none", "none"])
    #expect(machine.failure is EditError)
  }

  @Test func framesThatAreMissingAreSaid() {
    var machine = Self.machine(expecting: 5)
    let last = Self.course(&machine, [Self.frame(0), Self.frame(40)]).last ?? ""
    #expect(last.contains("3 of its 5 frames"))
    #expect(machine.failure is EditError)
  }

  @Test func theFirstErrorCountsWheneverItComes() {
    let frames = [Self.frame(0), Self.frame(40)]
    // After so many events.
    for count in 0...5 {
      var machine = Self.machine()
      let events: [(inout Machine) -> Machine.Action] = [
        { $0.decoded(frames[0]) }, { $0.decoded(frames[1]) }, { $0.decodingEnded() }, { $0.workersEnded() },
        { $0.encoded() },
      ]
      for event in events.prefix(count) { _ = event(&machine) }
      let hasEnded = count == 5
      #expect(Self.words(machine.failed(Broken())) == (hasEnded ? "none" : "fail: Broken()"))
      #expect(Self.words(machine.failed(CancellationError())) == "none")
      #expect((machine.failure is Broken) == !hasEnded)
      // Nothing follows an end.
      #expect(Self.words(machine.decoded(frames[0])) == "end decoding")
      for event in [{ $0.decodingEnded() }, { $0.workersEnded() }, { $0.encoded() }]
        as [(inout Machine) -> Machine.Action]
      {
        #expect(Self.words(event(&machine)) == "none")
      }
    }
  }

  @Test func workersThatEndEarlyLeaveTheErrorToTheEncoder() {
    var machine = Self.machine()
    _ = machine.decoded(Self.frame(0))
    _ = machine.decoded(Self.frame(40))
    #expect(Self.words(machine.workersEnded()) == "none")
    #expect(Self.words(machine.encoded()) == "none")
    #expect(Self.words(machine.failed(Broken())) == "fail: Broken()")
  }
}
