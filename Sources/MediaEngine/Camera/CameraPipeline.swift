// The pipeline of one camera in one mode: source, caps, appsink.

import CGStreamer
import CameraCore
import Foundation
import Localization
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open camera in one mode; another mode is another pipeline.
@PipelineActor
final class CameraPipeline {
  let session: CameraSession
  private let pipeline: Pipeline
  private let receiver: CameraFrameReceiver
  private let first = OneShot<Void, CameraError>()
  private var testFeed: TestCameraFeed?
  private var nodeFeed: NodeFeed?
  /// Of the depth camera beside it, which may not be there.
  private var depthReader: DepthReader?
  private var listener: Task<Void, Never>?
  private var watchdog: Task<Void, Never>?
  private var isStopped = false
  private var closing = EngineLimits().closing
  /// The connection to PipeWire that the source uses a copy of; `nil` where it makes its own.
  private let socket: OwnedSocket?
  /// The time from the first frame to the last look that found good frames.
  var steadySpan: TimeSpan { TimeSpan(nanoseconds: steadyTime.nanoseconds.load(ordering: .relaxed)) }
  private let steadyTime = SteadyTime()

  /// What has come of the frames that arrived so far.
  var tally: FrameTally { Self.tally(receiver, nodeFeed) }

  private nonisolated static func tally(_ receiver: CameraFrameReceiver, _ feed: NodeFeed?) -> FrameTally {
    var tally = receiver.tally
    tally.refused += feed?.refused ?? 0
    return tally
  }

  /// Builds the pipeline; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - socket: The connection to the PipeWire that has the camera, where it is lent.
  ///   - depth: Gets the distances of the depth camera beside it; `nil` where nobody wants any.
  ///   - opening: Opens V4L2 devices.
  init(
    _ session: CameraSession, store: CaptureStore, pump: PreviewPump, looks: LookBox, test: TestSetup,
    socket: OwnedSocket? = nil, depth: DepthBoard? = nil,
    opening: @escaping NodeFeed.Opening = NodeFeed.openDevice
  ) throws(CameraError) {
    (self.session, self.socket) = (session, socket)
    // Base time zero: V4L2 and PipeWire stamp with CLOCK_MONOTONIC, and that is then what the buffers say.
    let baseTime = MonotonicTime(nanoseconds: 0)
    pipeline = try Pipeline(name: "camera", baseTime: baseTime)
    let first = first
    let layout = session.savesRaw ? session.format.encoding.bayerLayout : nil
    let sensor = layout.map { layout in
      SensorTap(layout, size: session.format.size, budget: store.budget) { NodeTransfer.ask(session.camera.kind) }
    }
    receiver = CameraFrameReceiver(
      baseTime: baseTime, camera: session.camera.id, mode: (session.format.size, session.frameRate), store: store,
      pump: pump, looks: looks, sensor: sensor
    ) {
      first.decide(.success(()))
    }
    var (format, modes) = (session.format, [NodeMode]())
    if case .v4l2 = session.camera.kind { modes = NodeMode.all(for: format.encoding) }
    if let mode = modes.first { format.encoding = mode.delivered }
    let caps = format.caps(rate: session.frameRate)
    let source: Element
    switch session.camera.kind {
    case .v4l2(let path):
      // Of H.264 a device sends whole pictures, each with the marks of its beginning.
      let isStream = format.encoding == .h264
      let request = NodeFeed.Request(
        path: path, modes: modes, size: format.size, rate: session.frameRate, keepsSamples: sensor != nil,
        budget: store.budget,
        caps: isStream ? caps + ",stream-format=(string)byte-stream,alignment=(string)au" : caps)
      let feed = try NodeFeed(request, open: opening)
      (source, nodeFeed) = (feed.source, feed)
      depthReader = depth.map { DepthReader(beside: path, board: $0) }
    case .pipeWire(let node):
      source = try Element("pipewiresrc", name: "source")
      // Up to 0.3.44 the property had another name.
      if !source.set("target-object", node) { source.set("path", node) }
      source.set("client-name", "PhotoMe")
      if let socket { source.set("fd", Int(socket.descriptor)) }
      // Else the session manager gives us another camera when this one is unplugged.
      source.set("stream-properties", "props,node.dont-reconnect=true")
    case .test:
      source = try AppSource.make(caps: caps, isLive: true)
      testFeed = TestCameraFeed(
        source: source, format: session.format, rate: session.frameRate, fault: test.fault,
        controls: test.controls)
    }
    // pipewiresrc with no caps right behind it never starts, and says nothing.
    let filter = try Element("capsfilter")
    filter.setCaps(caps)
    sensor?.attach(to: filter)
    let sink = try AppSink.make(receiver: receiver)
    AppSink.acceptPaddedRows(sink)
    try pipeline.add(chain: [source, filter] + FrameDecoding.chain(for: format.encoding) + [sink])
  }

  /// Opens the camera and returns when the first frame is in the store.
  ///
  /// - Parameter onLoss: Called when the camera breaks or goes away after that.
  func start(
    limits: EngineLimits, onLoss: @escaping @PipelineActor (CameraError) -> Void
  ) async throws(CameraError) {
    let camera = session.camera
    closing = limits.closing
    if case .v4l2(let path) = camera.kind {
      // Our own thread still hangs in it: the device would say that it is in use.
      if NodeFeed.isHeld(path) { throw .unresponsive(camera: camera.name) }
      try await NodeAccess.check(path, of: camera, atMost: limits.nodeAnswer)
    }
    listen(onLoss)
    let (testFeed, nodeFeed) = (testFeed, nodeFeed)
    pipeline.playInBackground {
      testFeed?.start()
      nodeFeed?.start()
    }
    // The slowest camera gets the time of two frames.
    let patience = max(limits.firstFrame, TimeSpan.seconds(2 / max(0.1, session.frameRate.framesPerSecond)))
    let late = CameraError.noFrames(camera: camera.name, seconds: patience.seconds)
    do throws(CameraError) { try await first.wait(atMost: patience, late: late) } catch {
      guard error == late, tally.refused > 0 else { throw error }
      throw .damagedFrames(camera: camera.name, seconds: patience.seconds)
    }
    watch(limits.stall, onLoss)
    depthReader?.start()
  }

  /// No frame reaches the store after this returns.
  func silence() {
    listener?.cancel()
    watchdog?.cancel()
    receiver.close()
    testFeed?.stop()
    nodeFeed?.stop()
    depthReader?.stop()
    depthReader = nil
    first.decide(.failure(.notRunning))
  }

  /// Closes the camera. The device is free when this returns, unless it hangs.
  func stop() async {
    guard !isStopped else { return }
    isStopped = true
    silence()
    // Both at once, so that there is one limit for both.
    let (feed, limit) = (nodeFeed, closing)
    async let isFeedClosed: Void? = feed?.waitUntilClosed(atMost: limit)
    // GStreamer knows a connection by the number of its socket, which must not be another one's before it lets go.
    await pipeline.stopInBackground(atMost: limit, onDown: { [socket] in withExtendedLifetime(socket) {} })
    _ = await isFeedClosed
  }

  private func listen(_ onLoss: @escaping @PipelineActor (CameraError) -> Void) {
    let events = pipeline.events
    let (first, camera) = (first, session.camera)
    listener = Task { @PipelineActor in
      for await event in events {
        let error: CameraError
        switch event {
        case .endOfStream: error = .unplugged(camera: camera.name)
        case .failed(let failure): error = .init(failure, of: camera)
        }
        // More errors follow most; the first one names the reason.
        if !first.decide(.failure(error)) { onLoss(error) }
        return
      }
    }
  }

  /// Detects a camera that stops sending, or sends only damaged frames.
  private func watch(_ limit: TimeSpan, _ onLoss: @escaping @PipelineActor (CameraError) -> Void) {
    let interval = max(limit, TimeSpan.seconds(5 / max(0.1, session.frameRate.framesPerSecond)))
    let (receiver, feed, camera) = (receiver, nodeFeed, session.camera)
    let (began, steadyTime) = (MonotonicTime.now, steadyTime)
    let found = { @Sendable in
      steadyTime.nanoseconds.store((MonotonicTime.now - began).nanoseconds, ordering: .relaxed)
    }
    watchdog = Task { @PipelineActor in
      switch await CameraWatch.standstill(of: interval, tally: { Self.tally(receiver, feed) }, onLife: found) {
      case nil, .alive: break
      case .silent: onLoss(.noFrames(camera: camera.name, seconds: interval.seconds))
      case .damaged: onLoss(.damagedFrames(camera: camera.name, seconds: interval.seconds))
      }
    }
  }
}

extension CameraWatch {
  /// Returns when a camera has sent nothing that can be used for so long, noticed after at most five quarters of that.
  ///
  /// - Parameters:
  ///   - tally: The present counts.
  ///   - pause: Returns after that many nanoseconds; throws when the task is canceled.
  ///   - onLife: Called after each look before which new frames came that can be used.
  /// - Returns: What came instead; `nil` when the task was canceled.
  static func standstill(
    of limit: TimeSpan, tally: @Sendable () -> FrameTally,
    pause: @Sendable (UInt64) async throws -> Void = { try await Task.sleep(nanoseconds: $0) },
    onLife: @Sendable () -> Void = {}
  ) async -> Finding? {
    var (watch, last) = (CameraWatch(tally()), tally())
    while (try? await pause(UInt64(max(1, limit.nanoseconds / Int64(looks))))) != nil {
      let now = tally()
      let finding = watch.look(at: now)
      guard finding == .alive else { return finding }
      if now.kept > last.kept, now.undecodable == last.undecodable { onLife() }
      last = now
    }
    return nil
  }
}

extension CameraError {
  /// The error for what a camera's pipeline reported. GStreamer's code decides and whether the device file is still
  /// there, never the message: it is in the language of the desktop.
  init(_ failure: PipelineFailure, of camera: CameraDevice) {
    if case .v4l2(let path) = camera.kind, access(path, F_OK) != 0 {
      self = .unplugged(camera: camera.name)
      return
    }
    switch failure.resource {
    case GST_RESOURCE_ERROR_BUSY: self = .inUse(camera: camera.name)
    case GST_RESOURCE_ERROR_NOT_AUTHORIZED: self = .permissionDenied(camera: camera.name)
    case GST_RESOURCE_ERROR_NOT_FOUND: self = .unplugged(camera: camera.name)
    case GST_RESOURCE_ERROR_SETTINGS: self = .device(camera: camera.name, message: Self.unstartedMode)
    default: self = .device(camera: camera.name, message: failure.message)
    }
  }

  /// Drivers say little of why they don't start a mode. Most often it is the USB bandwidth, which each mode reserves.
  static var unstartedMode: String {
    localized("it didn’t start sending pictures; another camera on the same USB controller may be using the bandwidth")
  }
}

/// The time for which a camera has sent good frames, written by its watchdog.
private final class SteadyTime: Sendable {
  let nanoseconds = Atomic<Int64>(0)
}
