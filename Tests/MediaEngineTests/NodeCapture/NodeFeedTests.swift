// A device that is faster than the pipeline: which frames arrive, and how many live.

import CGStreamer
import CameraCore
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct NodeFeedTests {
  private static let size = PixelSize(width: 64, height: 48)

  /// A sink that takes each frame only when the test lets it.
  private final class SlowSink: SampleReceiver {
    private let gate = DispatchSemaphore(value: 0)
    private let taken = Mutex<[UInt64]>([])

    /// The numbers of the frames that have arrived.
    var numbers: [UInt64] {
      @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
      get { taken.withLock { $0 } }
    }

    func letGo(_ count: Int = 1) { for _ in 0..<count { gate.signal() } }

    func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
      let number = buffer.attachedSamples?.block.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } ?? 0
      taken.withLock { $0.append(number) }
      gate.wait()
    }
  }

  @Test("A slow pipeline gets the newest frame, and two frames live at a time, in the budget") @PipelineActor
  func slow() async throws {
    try GStreamerRuntime.start()
    let budget = FrameBudget(limit: 160 << 20)
    try await takeSlowly(budget)
    // With the pipeline its last frame is gone.
    #expect(await eventually { budget.byteCount == 0 })
  }

  @PipelineActor private func takeSlowly(_ budget: FrameBudget) async throws {
    let sent = Atomic(UInt64(0))
    let format = NodeFormat(
      pixelFormat: NodeMode.code("RG10"), size: Self.size, stride: 0, byteCount: 2 * Self.size.area)
    let node = SimulatedNode([format: FrameRate(30)]) { format in
      let number = sent.add(1, ordering: .relaxed).newValue
      return withUnsafeBytes(of: number) { [UInt8]($0) } + [UInt8](repeating: 0, count: format.byteCount - 8)
    }
    let mode = try #require(NodeMode.of(format.pixelFormat))
    let feed = try NodeFeed(
      NodeFeed.Request(
        path: "/dev/\(UUID().uuidString)", modes: [mode], size: Self.size, rate: FrameRate(30), keepsSamples: true,
        budget: budget, caps: "video/x-bayer,format=rggb,width=64,height=48,framerate=30/1"),
      open: node.opening)
    let sink = SlowSink()
    let pipeline = try Pipeline(name: "feed", baseTime: MonotonicTime(nanoseconds: 0))
    try pipeline.add(chain: [feed.source, try AppSink.make(receiver: sink)])
    pipeline.playInBackground { feed.start() }
    // Two bytes a sample, and one a pixel.
    let frame = 3 * Self.size.area
    for round in 1...3 {
      #expect(await eventually { sink.numbers.count == round })
      let before = sent.load(ordering: .relaxed)
      let goesOn = await eventually {
        let living = budget.byteCount
        #expect(living > 0 && living <= 2 * frame)
        return sent.load(ordering: .relaxed) > before + 20
      }
      #expect(goesOn)
      let newest = sent.load(ordering: .relaxed)
      sink.letGo()
      #expect(await eventually { sink.numbers.count == round + 1 })
      // The newest may have been on its way just then.
      #expect(try #require(sink.numbers.last) + 1 >= newest)
    }
    feed.stop()
    sink.letGo(9)
    await pipeline.stopInBackground(atMost: .seconds(1200))
    await feed.waitUntilClosed(atMost: .seconds(1200))
    #expect(node.events.last == "close")
  }
}
