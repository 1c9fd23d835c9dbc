// The pipeline of a microphone: source, caps, appsink. It comes and goes with Live and never touches the camera's.

import CGStreamer
import CameraCore
import Synchronization

/// A microphone that is open.
@PipelineActor
final class MicrophonePipeline {
  let device: MicrophoneDevice
  private let pipeline: Pipeline
  private let receiver: SoundReceiver
  private let first = OneShot<Void, CameraError>()
  private var testFeed: TestToneFeed?
  private var listener: Task<Void, Never>?
  private var isStopped = false

  /// Builds the pipeline; nothing is opened yet.
  init(_ device: MicrophoneDevice, store: CaptureStore, fault: TestFault) throws(CameraError) {
    self.device = device
    let caps = "audio/x-raw,format=(string)S16LE,layout=(string)interleaved,rate=(int)\(SoundChunk.sampleRate)"
    let baseTime: MonotonicTime
    let source: Element
    switch device.kind {
    case .pulse(let name):
      // Not zero as for cameras: pulsesrc counts its 10 ms segments since then in 32 bits.
      baseTime = .now
      source = try Element("pulsesrc", name: "source")
      source.set("device", name)
      source.set("client-name", "PhotoMe")
      // Our clock is the pipeline's. Small drifts of the sound card's are evened out by skipping or repeating.
      source.set("provide-clock", false)
      source.set("slave-method", "skew")
      // In microseconds. Sound is stamped late by half a stretch on average: 18 ms behind the picture with stretches of
      // 10 ms, 23 with 20, 34 with 40 (measured through a null sink, whose own part of that is some 13).
      source.set("latency-time", 10_000)
      source.set("buffer-time", 200_000)
    case .test:
      baseTime = MonotonicTime(nanoseconds: 0)
      source = try AppSource.make(caps: caps + ",channels=(int)1", isLive: true)
      if !fault.silencesTone { testFeed = TestToneFeed(source: source, fault: fault) }
    }
    pipeline = try Pipeline(name: "microphone", baseTime: baseTime)
    let filter = try Element("capsfilter")
    filter.setCaps(caps + ",channels=(int)[1,2]")
    let first = first
    receiver = SoundReceiver(baseTime: baseTime, store: store) { first.decide(.success(())) }
    try pipeline.add(chain: [source, filter, try AppSink.make(receiver: receiver)])
  }

  /// Opens the microphone and returns when the first sound has come.
  ///
  /// - Parameter onLoss: Called when the microphone breaks or goes away after that.
  func start(limits: EngineLimits, onLoss: @escaping @PipelineActor (CameraError) -> Void) async throws(CameraError) {
    let events = pipeline.events
    let (first, device) = (first, device)
    listener = Task { @PipelineActor in
      for await event in events {
        let error: CameraError =
          switch event {
          case .endOfStream: .microphone(message: "“\(device.name)” was unplugged")
          case .failed(let failure): .microphone(message: "“\(device.name)”: \(failure.message)")
          }
        // More errors follow most; the first one names the reason.
        if !first.decide(.failure(error)) { onLoss(error) }
        return
      }
    }
    let feed = testFeed
    pipeline.playInBackground { feed?.start() }
    try await first.wait(
      atMost: limits.firstSound, late: .microphone(message: "“\(device.name)” was opened but sends no sound"))
  }

  /// Closes the microphone. No sound reaches the store from now on; the device is free when this returns, unless it
  /// hangs.
  func stop() async {
    guard !isStopped else { return }
    isStopped = true
    listener?.cancel()
    receiver.close()
    testFeed?.stop()
    first.decide(.failure(.notRunning))
    await pipeline.stopInBackground(atMost: .seconds(1))
  }
}

/// The appsink of a microphone: copies each buffer once and keeps it in the store.
private final class SoundReceiver: SampleReceiver, @unchecked Sendable {
  // Sendable: its plain variables are touched by the pipeline's one streaming thread only.
  private let baseTime: MonotonicTime
  private let store: CaptureStore
  private let onFirstSound: @Sendable () -> Void
  private let isClosed = Atomic(false)
  private var hasFirst = false
  private var takesArrivalTime = false

  init(baseTime: MonotonicTime, store: CaptureStore, onFirstSound: @escaping @Sendable () -> Void) {
    self.baseTime = baseTime
    self.store = store
    self.onFirstSound = onFirstSound
  }

  /// Takes nothing from now on.
  func close() { isClosed.store(true, ordering: .releasing) }

  func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
    guard !isClosed.load(ordering: .acquiring) else { return }
    var channels: gint = 1
    if let caps, let structure = gst_caps_get_structure(caps, 0) {
      gst_structure_get_int(structure, "channels", &channels)
    }
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
    defer { gst_buffer_unmap(buffer, &map) }
    let whole = Int(map.size) / (2 * Int(channels)) * (2 * Int(channels))
    guard whole > 0 else { return }
    let block = FrameBlock(copying: UnsafeRawBufferPointer(start: map.data, count: whole))
    var chunk = SoundChunk(time: .now, channels: Int(channels), block: block)
    chunk.time = time(of: buffer, lasting: chunk.end - chunk.time)
    store.receive(chunk)
    if !hasFirst {
      hasFirst = true
      onFirstSound()
    }
  }

  /// When the first sample was heard; see `CameraFrameReceiver` for sources whose clock isn't ours.
  private func time(of buffer: UnsafeMutablePointer<GstBuffer>, lasting span: TimeSpan) -> MonotonicTime {
    let arrival = MonotonicTime.now - span
    let stamp = buffer.pointee.pts
    guard !takesArrivalTime, stamp != GStreamerRuntime.noTime, stamp < GstClockTime(Int64.max) else { return arrival }
    let time = MonotonicTime(nanoseconds: baseTime.nanoseconds &+ Int64(stamp))
    let distance = time > arrival ? time - arrival : arrival - time
    if distance > .seconds(1) {
      takesArrivalTime = true
      return arrival
    }
    return time
  }
}
