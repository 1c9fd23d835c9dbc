// The pipeline of a microphone: source, caps, appsink. It comes and goes with Live and never touches the camera's.

import CGStreamer
import CameraCore
import Foundation
import Localization
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
  private var watchdog: Task<Void, Never>?
  private var isStopped = false

  /// Builds the pipeline; nothing is opened yet.
  ///
  /// - Parameter onReading: Gets what the meter has to say of each chunk of sound; on the streaming thread.
  init(
    _ device: MicrophoneDevice, store: CaptureStore, fault: TestFault,
    onReading: @escaping @Sendable (SoundMeter.Reading) -> Void = { _ in }
  ) throws(CameraError) {
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
      if case .hangingTone(let pipe) = fault {
        source = try Element("filesrc", name: "source")
        source.set("location", pipe)
      } else {
        source = try AppSource.make(caps: caps + ",channels=(int)1", isLive: true)
      }
      if !fault.silencesTone { testFeed = TestToneFeed(source: source, fault: fault) }
    }
    pipeline = try Pipeline(name: "microphone", baseTime: baseTime)
    let filter = try Element("capsfilter")
    filter.setCaps(caps + ",channels=(int)[1,2]")
    let first = first
    receiver = SoundReceiver(baseTime: baseTime, store: store, onReading: onReading) { first.decide(.success(())) }
    try pipeline.add(chain: [source, filter, try AppSink.make(receiver: receiver)])
  }

  /// Opens the microphone and returns when the first sound has come.
  ///
  /// - Parameter onLoss: Called when the microphone breaks, goes away or falls silent after that; perhaps repeatedly.
  func start(limits: EngineLimits, onLoss: @escaping @PipelineActor (CameraError) -> Void) async throws(CameraError) {
    let events = pipeline.events
    let (first, device) = (first, device)
    listener = Task { @PipelineActor in
      for await event in events {
        let error: CameraError =
          switch event {
          case .endOfStream: .microphone(message: localized("“\(device.name)” was unplugged"))
          case .failed(let failure):
            .microphone(
              message: localized(
                "“\(device.name)”: \(failure.message)", comment: "A microphone and its driver’s message"))
          }
        // More errors follow most; the first one names the reason.
        if !first.decide(.failure(error)) { onLoss(error) }
        return
      }
    }
    let feed = testFeed
    pipeline.playInBackground { feed?.start() }
    try await first.wait(
      atMost: limits.firstSound, late: .microphone(message: localized("“\(device.name)” sends no sound")))
    let (receiver, limit) = (receiver, limits.soundStall)
    let silence = CameraError.microphone(
      message: localized(
        "“\(device.name)” sent no sound for \(limit.seconds) second",
        plural: "“\(device.name)” sent no sound for \(limit.seconds) seconds",
        count: limit.seconds.countOfPlural(decimals: 2)))
    watchdog = Watchdog.watch(limit, steps: { receiver.acceptedCount }) {
      Task { await onLoss(silence) }
    }
  }

  /// Whether the device is free again.
  var isClosed: Bool { pipeline.isDown }

  /// Returns when the device is free, after `stop`.
  func waitUntilClosed() async { await pipeline.waitUntilDown() }

  /// Closes the microphone. No sound reaches the store from now on; the device is free when this returns, unless it
  /// hangs: then it is as soon as it lets go (`isClosed`).
  func stop() async {
    guard !isStopped else { return }
    isStopped = true
    listener?.cancel()
    watchdog?.cancel()
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
  private let onReading: @Sendable (SoundMeter.Reading) -> Void
  private let onFirstSound: @Sendable () -> Void
  private let isClosed = Atomic(false)
  private let accepted = Atomic(0)
  private var hasFirst = false
  private var clock = FrameClock()
  private var meter = SoundMeter()

  init(
    baseTime: MonotonicTime, store: CaptureStore, onReading: @escaping @Sendable (SoundMeter.Reading) -> Void,
    onFirstSound: @escaping @Sendable () -> Void
  ) {
    self.baseTime = baseTime
    self.store = store
    self.onReading = onReading
    self.onFirstSound = onFirstSound
  }

  /// Takes nothing from now on.
  func close() { isClosed.store(true, ordering: .releasing) }

  /// The number of buffers that the store took.
  var acceptedCount: Int { accepted.load(ordering: .relaxed) }

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
    chunk.time = clock.time(ofSound: stamp(of: buffer), lasting: chunk.end - chunk.time, arrival: .now)
    chunk.block.charge(to: store.budget)
    if store.receive(chunk) { accepted.add(1, ordering: .relaxed) }
    onReading(meter.receive(peak: chunk.peak, from: chunk.time, to: chunk.end))
    if !hasFirst {
      hasFirst = true
      onFirstSound()
    }
  }

  /// The source's timestamp of the first sample; `nil` where it has none.
  private func stamp(of buffer: UnsafeMutablePointer<GstBuffer>) -> MonotonicTime? {
    let stamp = buffer.pointee.pts
    guard stamp != GStreamerRuntime.noTime, stamp < GstClockTime(Int64.max) else { return nil }
    return MonotonicTime(nanoseconds: baseTime.nanoseconds &+ Int64(stamp))
  }
}
