// The frames of a burst on a machine that paints fewer frames than the camera takes.

import CameraCore
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct BurstTests {
  private static let start = MonotonicTime(nanoseconds: 60_000_000_000)
  private static let rate = FrameRate(30)

  /// The time of a camera's frame.
  private static func time(_ number: Int64) -> MonotonicTime {
    start + TimeSpan(nanoseconds: number * 1_000_000_000 / 30)
  }

  private static func frame(_ number: Int64) -> CameraFrame {
    let size = PixelSize(width: 16, height: 16)
    return CameraFrame(
      time: time(number), size: size,
      content: .raw(RawLayout(name: "BGRx", size: size, strides: [64], offsets: [0])),
      block: FrameBlock(count: 1024) { for index in $0.indices { $0[index] = UInt8(truncatingIfNeeded: number) } })
  }

  private func store() -> CaptureStore {
    let store = CaptureStore()
    store.open(CameraSession(camera: TestCamera.device, format: LivePhotoSample.format(), frameRate: Self.rate))
    return store
  }

  @Test("Presses at least a frame apart get different, ever newer frames, though the screen stands still")
  func burst() throws {
    let store = store()
    var chosen: [MonotonicTime] = []
    for number in Int64(0)..<20 {
      #expect(store.receive(Self.frame(number)))
      // Of the frames only three are painted, one of them very late.
      if number == 0 { store.markShown(Self.frame(0), at: Self.time(0)) }
      if number == 12 { store.markShown(Self.frame(3), at: Self.time(12)) }
      if number == 13 { store.markShown(Self.frame(13), at: Self.time(13)) }
      let choice = try #require(store.choose(pressed: Self.time(number), isLive: false))
      chosen.append(choice.frame.time)
    }
    #expect(chosen == (Int64(0)..<20).map(Self.time), "no frame twice, and none from before the last")
  }

  @Test("A single press gets the frame that was on screen, and so does one that comes sooner than a new frame could")
  func onScreen() throws {
    let store = store()
    for number in Int64(0)..<6 { #expect(store.receive(Self.frame(number))) }
    store.markShown(Self.frame(2), at: Self.time(4))
    let first = try #require(store.choose(pressed: Self.time(5), isLive: false))
    #expect(first.frame.time == Self.time(2), "not the newest")
    let bounce = try #require(
      store.choose(pressed: Self.time(5) + .milliseconds(20), isLive: false))
    #expect(bounce.frame.time == Self.time(2))
    // After the next painting it is the screen's again.
    store.markShown(Self.frame(5), at: Self.time(6))
    let later = try #require(store.choose(pressed: Self.time(12), isLive: false))
    #expect(later.frame.time == Self.time(5))
  }

  @Test("Of paintings that were shown, the last one's original is kept; of those that nobody marked, a moment's")
  func originals() async throws {
    try GStreamerRuntime.start()
    for isMarked in [true, false] {
      let budget = FrameBudget(limit: .max)
      let pump = PreviewPump(name: "originals") { _, _ in }
      let (news, wake) = AsyncStream.makeStream(of: Void.self)
      pump.setFrameHandler { wake.yield() }
      pump.setTarget(PixelSize(width: 16, height: 16))
      var arrivals = news.makeAsyncIterator()
      for number in Int64(0)..<10 {
        // Five a second.
        let frame = Self.frame(6 * number)
        frame.block.charge(to: budget)
        pump.offer(frame)
        await arrivals.next()
        let taken = try #require(pump.takeFrame())
        if isMarked { pump.markShown(taken.time, at: taken.time + .milliseconds(20)) }
      }
      // The pump's thread lets go of the one before when it waits again.
      let most = (isMarked ? 1 : 5) * Self.frame(0).block.count
      #expect(await eventually { budget.byteCount == most })
      pump.setFrameHandler(nil)
      pump.setTarget(nil)
    }
  }

  @Test("A painter that is late still gets its frame marked, however many were converted meanwhile")
  func latePainter() async throws {
    try GStreamerRuntime.start()
    let (marks, sink) = AsyncStream.makeStream(of: MonotonicTime.self)
    let pump = PreviewPump(name: "late") { frame, _ in sink.yield(frame.time) }
    let (news, wake) = AsyncStream.makeStream(of: Void.self)
    pump.setFrameHandler { wake.yield() }
    pump.setTarget(PixelSize(width: 16, height: 16))
    var arrivals = news.makeAsyncIterator()
    pump.offer(Self.frame(0))
    await arrivals.next()
    let taken = try #require(pump.takeFrame())
    // Each is taken for conversion before the next is offered; the painter takes none of them.
    for number in Int64(1)...20 {
      pump.offer(Self.frame(number))
      while pump.statistics.converted < number + 1 { await Task.yield() }
    }
    pump.markShown(taken.time, at: Self.time(30))
    sink.finish()
    var marked: [MonotonicTime] = []
    for await time in marks { marked.append(time) }
    #expect(marked == [Self.time(0)])
    pump.setFrameHandler(nil)
    pump.setTarget(nil)
  }
}
