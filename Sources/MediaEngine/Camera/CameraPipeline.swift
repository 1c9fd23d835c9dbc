// The pipeline of one camera in one mode: source, caps, appsink.

import CGStreamer
import CameraCore
import Foundation

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
  private var listener: Task<Void, Never>?
  private var watchdog: Task<Void, Never>?
  private var isStopped = false

  /// Builds the pipeline; nothing is opened yet.
  init(
    _ session: CameraSession, store: CaptureStore, pump: PreviewPump, fault: TestFault
  ) throws(CameraError) {
    self.session = session
    // Base time zero: V4L2 and PipeWire stamp with CLOCK_MONOTONIC, and that is then what the buffers say.
    let baseTime = MonotonicTime(nanoseconds: 0)
    pipeline = try Pipeline(name: "camera", baseTime: baseTime)
    let first = first
    receiver = CameraFrameReceiver(baseTime: baseTime, rate: session.frameRate, store: store, pump: pump) {
      first.decide(.success(()))
    }
    let caps = session.format.caps(rate: session.frameRate)
    let source: Element
    switch session.camera.kind {
    case .v4l2(let path):
      source = try Element("v4l2src", name: "source")
      source.set("device", path)
    case .pipeWire(let node):
      source = try Element("pipewiresrc", name: "source")
      // Up to 0.3.44 the property had another name.
      if !source.set("target-object", node) { source.set("path", node) }
      source.set("client-name", "PhotoMe")
      // Else the session manager gives us another camera when this one is unplugged.
      source.set("stream-properties", "props,node.dont-reconnect=true")
    case .test:
      source = try AppSource.make(caps: caps, isLive: true)
      testFeed = TestCameraFeed(source: source, format: session.format, rate: session.frameRate, fault: fault)
    }
    // pipewiresrc with no caps right behind it never starts, and says nothing.
    let filter = try Element("capsfilter")
    filter.setCaps(caps)
    let sink = try AppSink.make(receiver: receiver)
    try pipeline.add(chain: [source, filter, sink])
  }

  /// Opens the camera and returns when the first frame is in the store.
  ///
  /// - Parameter onLoss: Called when the camera breaks or goes away after that.
  func start(
    limits: EngineLimits, onLoss: @escaping @PipelineActor (CameraError) -> Void
  ) async throws(CameraError) {
    let camera = session.camera
    if case .v4l2(let path) = camera.kind { try Self.checkAccess(path, camera: camera) }
    listen(onLoss)
    let feed = testFeed
    pipeline.playInBackground { feed?.start() }
    // The slowest camera gets the time of two frames.
    let patience = max(limits.firstFrame, TimeSpan.seconds(2 / max(0.1, session.frameRate.framesPerSecond)))
    try await first.wait(atMost: patience, late: .noFrames(camera: camera.name, seconds: patience.seconds))
    watch(limits.stall, onLoss)
  }

  /// No frame reaches the store after this returns.
  func silence() {
    listener?.cancel()
    watchdog?.cancel()
    receiver.close()
    testFeed?.stop()
    first.decide(.failure(.notRunning))
  }

  /// Closes the camera. The device is free when this returns, unless it hangs.
  func stop() async {
    guard !isStopped else { return }
    isStopped = true
    silence()
    await pipeline.stopInBackground(atMost: Self.patience)
  }

  /// The time that a camera may take to close before it is left to itself.
  private static let patience = TimeSpan.seconds(2)

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

  /// Detects a camera that stops sending: checks periodically whether a frame has arrived since the last check.
  private func watch(_ limit: TimeSpan, _ onLoss: @escaping @PipelineActor (CameraError) -> Void) {
    let interval = max(limit, TimeSpan.seconds(5 / max(0.1, session.frameRate.framesPerSecond)))
    let (receiver, camera) = (receiver, session.camera)
    watchdog = Task { @PipelineActor in
      var seen = receiver.arrivedCount
      while (try? await Task.sleep(nanoseconds: UInt64(interval.nanoseconds))) != nil {
        let now = receiver.arrivedCount
        if now == seen {
          onLoss(.noFrames(camera: camera.name, seconds: interval.seconds))
          return
        }
        seen = now
      }
    }
  }

  /// Finds out the ordinary reasons why a device can't be opened, by opening its device file.
  private static func checkAccess(_ path: String, camera: CameraDevice) throws(CameraError) {
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor < 0 else {
      close(descriptor)
      return
    }
    throw CameraError(errno: errno, of: camera)
      ?? .device(camera: camera.name, message: String(cString: strerror(errno)))
  }
}

extension CameraFormat {
  /// The mode as GStreamer caps, in whole numbers, which no locale changes.
  func caps(rate: FrameRate) -> String {
    let fields =
      "width=(int)\(size.width),height=(int)\(size.height),framerate=(fraction)\(rate.numerator)/\(rate.denominator)"
    return switch encoding {
    case .motionJPEG: "image/jpeg,\(fields)"
    case .raw(let layout): "video/x-raw,format=(string)\(layout),\(fields)"
    }
  }
}

extension CameraError {
  /// The error for an errno of a device; `nil` for one without a meaning of its own.
  init?(errno number: Int32, of camera: CameraDevice) {
    switch number {
    case EBUSY: self = .inUse(camera: camera.name)
    case EACCES, EPERM: self = .permissionDenied(camera: camera.name)
    case ENOENT, ENODEV, ENXIO: self = .unplugged(camera: camera.name)
    default: return nil
    }
  }

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
    default: self = .device(camera: camera.name, message: failure.message)
    }
  }
}
