// V4L2 cameras, from the device to the store.

import CGStreamer
import CameraCore
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) final class NodeCameraTests: Sendable {
  private static let size = PixelSize(width: 64, height: 48)

  /// A file in the place of the device, which is looked at before it is opened.
  private let file = FileManager.default.temporaryDirectory.appending(path: "photome-node-\(UUID().uuidString)")

  init() throws { try Data().write(to: file) }
  deinit { try? FileManager.default.removeItem(at: file) }

  private func device(
    _ name: String, _ fault: SimulatedNode.Fault = .none, color: NodeColor = NodeColor(),
    _ frame: @escaping @Sendable (NodeFormat) -> [UInt8] = { [UInt8](repeating: 1, count: $0.byteCount) }
  ) -> SimulatedNode {
    let format = NodeFormat(
      pixelFormat: NodeMode.code(name), size: Self.size, stride: 0, byteCount: Self.size.area * 4, color: color)
    return SimulatedNode([format: FrameRate(30)], fault: fault, frame: frame)
  }

  private func session(_ encoding: FrameEncoding, savesRaw: Bool = false) throws -> CameraSession {
    let format = CameraFormat(encoding: encoding, size: Self.size, frameRates: [FrameRate(30)])
    let camera = CameraDevice(id: "sensor", name: "Sensor", kind: .v4l2(path: file.path), formats: [format])
    return try #require(CameraConfiguration(savesRaw: savesRaw).mode(of: camera))
  }

  @PipelineActor
  private func camera(
    _ node: SimulatedNode, _ session: CameraSession, _ store: CaptureStore = CaptureStore()
  ) throws -> CameraPipeline {
    store.open(session)
    return try CameraPipeline(
      session, store: store, pump: PreviewPump(name: "node"), looks: LookBox(), test: TestSetup(fault: .none),
      opening: node.opening)
  }

  private func limits(_ change: (inout EngineLimits) -> Void = { _ in }) -> EngineLimits {
    var limits = EngineLimits().times(4)
    change(&limits)
    return limits
  }

  @Test("A shot has the sensor's bits, and a picture that is as bright", arguments: ["RG10", "pRAA", "BYR2", "GB12"])
  @PipelineActor func sensor(name: String) async throws {
    let mode = try #require(NodeMode.of(NodeMode.code(name)))
    let layout = try #require(mode.encoding.bayerLayout)
    // Everywhere a half of white.
    let half = UInt16(1 << (layout.bits - 1))
    let node = device(name) { format in
      let count = format.size.area
      if case .packed = mode.samples { return (0..<count / 4 * 5).map { $0 % 5 < 4 ? 128 : 0 } }
      return (0..<2 * count).map { $0 % 2 == 0 ? UInt8(half & 255) : UInt8(half >> 8) }
    }
    let store = CaptureStore()
    let camera = try camera(node, session(mode.encoding, savesRaw: true), store)
    try await camera.start(limits: limits()) { _ in }
    let choice = try await store.nextChoice(isLive: false)
    let raw = try #require(choice.raw)
    #expect((raw.layout, raw.size) == (layout, Self.size))
    #expect(raw.samples == (0..<2 * Self.size.area).map { $0 % 2 == 0 ? UInt8(half & 255) : UInt8(half >> 8) })
    guard case .raw(let picture) = choice.frame.content else {
      Issue.record("the frame is not raw")
      return
    }
    // ITU-R BT.601 in limited range: 16 + 219 × 128 / 255.
    let luma = choice.frame.block.bytes[Self.size.area / 2]
    #expect(picture.name == "I420" && abs(Int(luma) - 126) <= 2, "\(luma)")
    await camera.stop()
    #expect(node.events == ["open", "start", "close"])
  }

  @Test("Pictures of ten bits arrive as they are, in the driver's color space")
  @PipelineActor func tenBits() async throws {
    for (name, layout, bytes) in [("P010", "P010_10LE", 3), ("Y210", "Y210", 4)] {
      let node = device(name, color: NodeColor(space: 10)) { format in
        (0..<format.size.area * bytes).map { UInt8($0 & 255) }
      }
      let store = CaptureStore()
      let camera = try camera(node, session(.raw(layout)), store)
      try await camera.start(limits: limits()) { _ in }
      let frame = try await store.nextChoice(isLive: false).frame
      guard case .raw(let picture) = frame.content else {
        Issue.record("the frame is not raw")
        continue
      }
      #expect((picture.name, picture.size, picture.colorimetry) == (layout, Self.size, "bt2020-10"))
      #expect(frame.block.bytes == (0..<Self.size.area * bytes).map { UInt8($0 & 255) })
      await camera.stop()
    }
  }

  @Test("Raw frames go into the ring in the block that they were copied to", arguments: ["YUYV", "NV12", "YU12"])
  @PipelineActor func raw(name: String) async throws {
    let mode = try #require(NodeMode.of(NodeMode.code(name)))
    let node = device(name, color: NodeColor(space: 8)) { format in (0..<format.byteCount).map { UInt8($0 & 255) } }
    let store = CaptureStore()
    let camera = try camera(node, session(mode.encoding), store)
    try await camera.start(limits: limits()) { _ in }
    let frame = try await store.nextChoice(isLive: false).frame
    guard case .raw(let picture) = frame.content else {
      Issue.record("the frame is not raw")
      return
    }
    #expect((picture.name, picture.size) == (mode.encoding.description, Self.size))
    #expect(frame.block.bytes == (0..<frame.block.count).map { UInt8($0 & 255) })
    await camera.stop()
    #expect(await eventually { store.budget.byteCount % frame.block.count == 0 })
  }

  @Test("Motion JPEG arrives whole, and what isn't one is refused")
  @PipelineActor func motionJPEG() async throws {
    let gray = FrameBlock(count: Self.size.area) { $0.initializeMemory(as: UInt8.self, repeating: 100) }
    let layout = try #require(RawLayout.planar(.gray, size: Self.size))
    let jpeg = try JPEGEncoder().encode(planes: gray, layout: layout, quality: 90).bytes
    let sent = Atomic(0)
    let node = device("MJPG") { _ in
      sent.add(1, ordering: .relaxed).newValue % 3 == 0 ? [1, 2, 3] : jpeg + [0, 0]
    }
    let store = CaptureStore()
    let camera = try camera(node, session(.motionJPEG), store)
    try await camera.start(limits: limits()) { _ in }
    for _ in 0..<5 { #expect(try await store.nextChoice(isLive: false).frame.block.bytes == jpeg) }
    await camera.stop()
    #expect(camera.tally.refused > 0)
  }

  /// A receiver that collects what an encoder makes.
  private final class Collector: SampleReceiver {
    private let collected = Mutex<[[UInt8]]>([])

    var units: [[UInt8]] {
      @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
      get { collected.withLock { $0 } }
    }

    func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
      let bytes = [UInt8](unsafeUninitializedCapacity: Int(gst_buffer_get_size(buffer))) { memory, count in
        count = Int(gst_buffer_extract(buffer, 0, memory.baseAddress, gsize(memory.count)))
      }
      collected.withLock { $0.append(bytes) }
    }
  }

  /// Pictures of H.264 as a device sends them, of which only the first is whole by itself.
  @PipelineActor
  private func stream(of count: Int) async throws -> [[UInt8]] {
    try GStreamerRuntime.start()
    let (source, encoder, filter) = (
      try Element("videotestsrc"), try Element("x264enc"), try Element("capsfilter")
    )
    source.set("num-buffers", count)
    encoder.set("tune", "zerolatency")
    encoder.set("key-int-max", 1000)
    filter.setCaps("video/x-h264,stream-format=byte-stream,alignment=au,width=64,height=48,framerate=30/1")
    let collector = Collector()
    let pipeline = try Pipeline(name: "stream", baseTime: nil)
    try pipeline.add(chain: [source, encoder, filter, try AppSink.make(receiver: collector)])
    pipeline.playInBackground()
    #expect(await eventually { collector.units.count == count })
    await pipeline.stopInBackground(atMost: .seconds(1200))
    return collector.units
  }

  @Test("Of a stream no picture is left out, however slow the pipeline is at first")
  @PipelineActor func h264() async throws {
    guard FrameDecoding.elements(for: .h264) != nil, GStreamerRuntime.has("x264enc") else { return }
    let units = try await stream(of: 24)
    let sent = Atomic(0)
    let node = device("H264", .stalls(after: units.count)) { _ in
      units[sent.add(1, ordering: .relaxed).oldValue % units.count]
    }
    let store = CaptureStore()
    let camera = try camera(node, session(.h264), store)
    try await camera.start(limits: limits { $0.stall = .seconds(1200) }) { _ in }
    // A decoder may hold the last one back.
    let isWhole = await eventually { await camera.tally.kept >= units.count - 1 }
    #expect(isWhole, "\(camera.tally)")
    await camera.stop()
    #expect(camera.tally.refused == 0)
  }

  @Test("Gray pictures of more than eight bits become gray pictures")
  @PipelineActor func gray() async throws {
    let node = device("Y10 ") { format in (0..<2 * format.size.area).map { $0 % 2 == 0 ? 0xff : 0x03 } }
    let store = CaptureStore()
    let camera = try camera(node, session(.raw("GRAY10_LE16")), store)
    try await camera.start(limits: limits()) { _ in }
    let frame = try await store.nextChoice(isLive: false).frame
    #expect(frame.block.bytes[0] >= 234 && abs(Int(frame.block.bytes[Self.size.area]) - 128) <= 1)
    await camera.stop()
  }

  @Test("A device that goes away is unplugged")
  @PipelineActor func vanishing() async throws {
    let node = device("RG10", .vanishes(after: 20))
    let lost = OneShot<CameraError, Never>()
    let camera = try camera(node, session(.bayer("rggb10le")))
    do throws(CameraError) {
      try await camera.start(limits: limits()) { error in lost.decide(.success(error)) }
    } catch {
      // It may be gone before the pipeline has taken a frame.
      lost.decide(.success(error))
    }
    #expect(await lost.wait() == .unplugged(camera: "Sensor"))
    await camera.stop()
    #expect(node.events.last == "close")
  }

  @Test("A device that stops sending is noticed")
  @PipelineActor func stalling() async throws {
    let node = device("RG10", .stalls(after: 5))
    let lost = OneShot<CameraError, Never>()
    let camera = try camera(node, session(.bayer("rggb10le")))
    try await camera.start(limits: limits { $0.stall = .milliseconds(300) }) { error in lost.decide(.success(error)) }
    let error = await lost.wait()
    #expect({ if case .noFrames = error { true } else { false } }(), "\(error)")
    await camera.stop()
    #expect(node.events.last == "close")
  }

  @Test("Damaged and cut frames are counted and left out", arguments: [SimulatedNode.Fault.damages, .cutsShort])
  @PipelineActor func damage(_ fault: SimulatedNode.Fault) async throws {
    // All frames are bright.
    let node = device("RG10", fault) { format in (0..<2 * format.size.area).map { $0 % 2 == 0 ? 0xff : 0x03 } }
    let store = CaptureStore()
    let camera = try camera(node, session(.bayer("rggb10le"), savesRaw: true), store)
    try await camera.start(limits: limits()) { _ in }
    for _ in 0..<5 {
      let choice = try await store.nextChoice(isLive: false)
      #expect(choice.frame.block.bytes[0] > 200 && choice.raw != nil)
    }
    await camera.stop()
    // They take turns. Of the whole ones only as many are counted as the pipeline takes.
    let tally = camera.tally
    #expect(tally.kept >= 5 && tally.refused >= 4, "\(tally)")
  }

  @Test("A camera that sends nothing but damaged frames says so")
  @PipelineActor func allDamaged() async throws {
    let camera = try camera(device("RG10") { _ in [1, 2, 3] }, session(.bayer("rggb10le")))
    await #expect(throws: CameraError.damagedFrames(camera: "Sensor", seconds: 0.3)) {
      try await camera.start(limits: limits { $0.firstFrame = .milliseconds(300) }) { _ in }
    }
    await camera.stop()
  }

  @Test("A picture that is sent again with its old stamp keeps the camera alive")
  @PipelineActor func repeated() async throws {
    let node = device("YUYV", .repeatsStamp)
    let store = CaptureStore()
    let camera = try camera(node, session(.raw("YUY2")), store)
    try await camera.start(limits: limits()) { _ in }
    for _ in 0..<5 { _ = try await store.nextChoice(isLive: false) }
    await camera.stop()
    #expect(camera.tally.refused == 0)
  }

  @Test("A compressed mode is taken at whatever size the driver says; a raw one isn't")
  @PipelineActor func otherSize() async throws {
    for (name, encoding) in [("MJPG", FrameEncoding.motionJPEG), ("YUYV", .raw("YUY2"))] {
      let other = NodeFormat(
        pixelFormat: NodeMode.code(name), size: PixelSize(width: 80, height: 60), stride: 0, byteCount: 9600)
      let node = try SimulatedNode([other: FrameRate(30)]).opening("")
      let modes = NodeMode.all(for: encoding)
      if name == "MJPG" {
        #expect(try NodeNegotiation.set(modes, Self.size, FrameRate(30), of: node).format == other)
      } else {
        #expect(throws: NodeFailure.self) { try NodeNegotiation.set(modes, Self.size, FrameRate(30), of: node) }
      }
    }
  }

  @Test("A device that is in use, or has lost the mode, says so in the words of every other")
  @PipelineActor func refusals() async throws {
    let table: [(NodeFailure, CameraError)] = [
      (NodeFailure(step: .setting, number: EBUSY), .inUse(camera: "Sensor")),
      (NodeFailure(step: .opening, number: EBUSY), .inUse(camera: "Sensor")),
      (NodeFailure(step: .opening, number: EACCES), .permissionDenied(camera: "Sensor")),
      (NodeFailure(step: .setting, number: ENODEV), .unplugged(camera: "Sensor")),
      (NodeFailure(step: .setting, number: ENOSPC), .device(camera: "Sensor", message: CameraError.unstartedMode)),
    ]
    for (failure, error) in table {
      let camera = try camera(device("RG10", .refuses(failure)), session(.bayer("rggb10le")))
      await #expect(throws: error) { try await camera.start(limits: limits()) { _ in } }
      await camera.stop()
    }
    let camera = try camera(device("YUYV"), session(.bayer("rggb10le")))
    await #expect(throws: CameraError.device(camera: "Sensor", message: CameraError.unstartedMode)) {
      try await camera.start(limits: limits()) { _ in }
    }
    await camera.stop()
  }

  @Test(
    "A device that never answers holds up nobody",
    arguments: [SimulatedNode.Fault.hangsOpening, .hangsStarting, .hangsClosing])
  @PipelineActor func hanging(_ fault: SimulatedNode.Fault) async throws {
    let node = device("RG10", fault)
    let short = limits {
      $0.firstFrame = .milliseconds(300)
      $0.closing = .milliseconds(300)
    }
    let camera = try camera(node, session(.bayer("rggb10le")))
    if fault == .hangsClosing {
      try await camera.start(limits: limits { $0.closing = .milliseconds(300) }) { _ in }
    } else {
      await #expect(throws: CameraError.self) { try await camera.start(limits: short) { _ in } }
    }
    await camera.stop()
    #expect(!node.events.contains("close"))
    node.letGo()
    #expect(await eventually { node.events.last == "close" })
  }

  @Test("A device that still hangs with us isn't said to be in use by another program")
  @PipelineActor func hangingWithUs() async throws {
    let node = device("RG10", .hangsClosing)
    let first = try camera(node, session(.bayer("rggb10le")))
    try await first.start(limits: limits { $0.closing = .milliseconds(20) }) { _ in }
    await first.stop()
    let busy = device("RG10", .refuses(NodeFailure(step: .setting, number: EBUSY)))
    let second = try camera(busy, session(.bayer("rggb10le")))
    await #expect(throws: CameraError.unresponsive(camera: "Sensor")) {
      try await second.start(limits: limits()) { _ in }
    }
    await second.stop()
    #expect(busy.events.isEmpty, "it has no second thread")
    node.letGo()
    let path = file.path
    #expect(await eventually { !NodeFeed.isHeld(path) })
    let third = try camera(busy, session(.bayer("rggb10le")))
    await #expect(throws: CameraError.inUse(camera: "Sensor")) { try await third.start(limits: limits()) { _ in } }
    await third.stop()
  }

  @Test("A camera that was never started closes at once")
  @PipelineActor func unstarted() async throws {
    let node = device("RG10")
    let camera = try camera(node, session(.bayer("rggb10le")))
    await camera.stop()
    #expect(node.events.isEmpty)
  }
}
