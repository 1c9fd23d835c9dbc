// The thread that reads a V4L2 device in a mode that GStreamer's source lacks.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

/// Feeds a device's frames to an appsrc, in the place of `v4l2src`.
///
/// The thread opens, sets, reads and closes the device, each of which may hang with its driver: then it is left behind, as
/// a pipeline is that hangs. Each buffer goes back to the driver after one copy. Where the pipeline is slow, the thread
/// waits, and the driver drops frames.
final class NodeFeed: Sendable {
  /// Opens a device for the thread that calls it; may block.
  typealias Opening = @Sendable (String) throws(NodeFailure) -> any CaptureNode

  /// Opens the device itself.
  static let openDevice: Opening = { path throws(NodeFailure) in try V4L2CaptureNode(path) }

  /// What is asked of the device.
  struct Request: Sendable {
    var path: String
    /// The pixel formats that will do, best first.
    var modes: [NodeMode]
    var size: PixelSize
    var rate: FrameRate
    /// Whether the sensor's own samples are attached to the buffers.
    var keepsSamples: Bool
    /// What the pipeline gets, as caps without a color space.
    var caps: String
  }

  private enum Phase {
    case idle, running, stopped
  }

  /// Between two looks at whether the thread is to end, while no frames come.
  private static let patience: Int32 = 100

  /// To be linked into the pipeline.
  let source: Element
  private let request: Request
  private let open: Opening
  private let phase = Mutex(Phase.idle)
  private let ended = OneShot<Void, CameraError>()

  /// - Throws: `CameraError.missingPlugin`.
  init(_ request: Request, open: @escaping Opening) throws(CameraError) {
    self.request = request
    self.open = open
    source = try AppSource.make(caps: request.caps, isLive: true)
    for limit in ["max-bytes", "max-time"] { source.set(limit, 0) }
    source.set("max-buffers", 2)
    source.set("block", true)
  }

  /// Begins. For a pipeline that plays.
  func start() {
    guard enter(.running) == .idle else { return }
    let thread = Thread { self.run() }
    thread.name = "camera"
    thread.start()
  }

  /// No further buffer is made; the thread ends soon, unless the device hangs.
  func stop() {
    if enter(.stopped) == .idle { ended.decide(.success(())) }
  }

  /// Returns when the device is closed after a stop of feed and pipeline, or after the limit, when it hangs.
  func waitUntilClosed(atMost limit: TimeSpan) async {
    let ended = ended
    // A task of its own: the caller's cancellation doesn't shorten it.
    await Task.detached { try? await ended.wait(atMost: limit, late: .notRunning) }.value
  }

  /// - Returns: The phase until now; what was stopped stays so.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func enter(_ next: Phase) -> Phase {
    phase.withLock { phase in
      defer { if phase != .stopped { phase = next } }
      return phase
    }
  }

  private var isStopped: Bool { phase.withLock { $0 == .stopped } }

  private func run() {
    defer { ended.decide(.success(())) }
    let node: any CaptureNode
    do throws(NodeFailure) { node = try open(request.path) } catch { return report(error) }
    // Closing may hang as well, so an error is told before.
    defer { node.close() }
    do throws(NodeFailure) { try stream(node) } catch { report(error) }
  }

  private func report(_ failure: NodeFailure) {
    // Of a device that was being closed nobody wants to hear.
    if !isStopped { source.report(failure.message, failure.code) }
  }

  private func stream(_ node: any CaptureNode) throws(NodeFailure) {
    let (mode, format) = try NodeNegotiation.set(request.modes, request.size, request.rate, of: node)
    if case .raw = mode.delivered, let colorimetry = format.color.colorimetry {
      source.setCaps("\(request.caps),colorimetry=(string)\"\(colorimetry)\"")
    }
    let maker = NodeFrameMaker(mode, format, keepsSamples: request.keepsSamples)
    try node.start()
    while !isStopped {
      guard try node.wait(milliseconds: Self.patience) else { continue }
      var (copy, stamp): (FrameBlock?, NodeStamp) = (nil, NodeStamp())
      let isTaken = try node.take { bytes, told in
        stamp = told
        copy = told.isDamaged ? nil : maker.copy(bytes)
      }
      guard isTaken else { continue }
      guard push(copy.map(maker.finish), maker, at: stamp.time ?? .now) else { return }
    }
  }

  /// - Parameter frame: `nil` for a damaged one, which is counted by whoever takes the frames.
  /// - Returns: Whether the pipeline takes more.
  private func push(_ frame: NodeFrameMaker.Frame?, _ maker: NodeFrameMaker, at time: MonotonicTime) -> Bool {
    guard let buffer = AppSource.makeBuffer(frame?.block ?? maker.blank, time: time.nanoseconds, duration: nil) else {
      return false
    }
    if frame == nil { buffer.pointee.mini_object.flags |= guint(GST_BUFFER_FLAG_CORRUPTED.rawValue) }
    if let samples = frame?.samples { buffer.attach(samples) }
    // Takes the reference, whatever it returns.
    return gst_app_src_push_buffer(source.pointer.cast(to: GstAppSrc.self), buffer) == GST_FLOW_OK
  }
}
