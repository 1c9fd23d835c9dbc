// The thread that reads a V4L2 device.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

/// Feeds a device's frames to an appsrc.
///
/// GStreamer's own `v4l2src` would do for most modes, but not for sensors of more than 8 bits, and with each camera that
/// it closes (1.22) five open files of its pool of buffers stay behind, until there are none left.
///
/// The thread opens, sets, reads and closes the device, each of which may hang with its driver: then it is left behind, as
/// a pipeline is that hangs. Until it ends, the device isn't opened again: it would only be in use, by ourselves. Each buffer
/// goes back to the driver after one copy. Where the pipeline is slow, it gets the newest frame; see `NodeMailbox`.
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
    /// Counts the frames from their making on.
    var budget: FrameBudget
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
  private let mailbox: NodeMailbox
  private let refusals = Atomic(0)
  /// The frames that never reached the pipeline, because they were cut short or the driver says that they are damaged.
  var refused: Int { refusals.load(ordering: .relaxed) }
  /// The devices whose threads haven't ended.
  private static let held = Mutex<Set<String>>([])

  /// Whether a feed of a device hasn't ended, though another is about to begin: the device hangs.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  static func isHeld(_ path: String) -> Bool { held.withLock { $0.contains(path) } }

  /// - Throws: `CameraError.missingPlugin`.
  init(_ request: Request, open: @escaping Opening) throws(CameraError) {
    self.request = request
    self.open = open
    mailbox = NodeMailbox(isIndependent: request.modes.allSatisfy(\.isIndependent))
    source = try AppSource.make(caps: request.caps, isLive: true)
    // Nothing waits there.
    for limit in ["max-bytes", "max-time", "max-buffers"] { source.set(limit, 0) }
    mailbox.attach(to: source)
  }

  /// Begins. For a pipeline that plays.
  func start() {
    guard enter(.running) == .idle else { return }
    Self.hold(request.path)
    let thread = Thread { self.run() }
    thread.name = "camera"
    thread.start()
  }

  /// No further buffer is made; the thread ends soon, unless the device hangs.
  func stop() {
    if enter(.stopped) == .idle { ended.decide(.success(())) }
    mailbox.empty()
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

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private static func hold(_ path: String) { held.withLock { _ = $0.insert(path) } }

  private var isStopped: Bool { phase.withLock { $0 == .stopped } }

  private func run() {
    defer {
      mailbox.empty()
      Self.held.withLock { _ = $0.remove(request.path) }
      ended.decide(.success(()))
    }
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
    let layout: String? =
      switch mode.delivered {
      case .raw(let layout): layout
      // For pictures that don't say it themselves.
      case .h264: "I420"
      case .motionJPEG, .bayer: nil
      }
    if let layout, let colorimetry = format.color.colorimetry(of: layout) {
      source.setCaps("\(request.caps),colorimetry=(string)\"\(colorimetry)\"")
    }
    let maker = NodeFrameMaker(mode, format, keepsSamples: request.keepsSamples, budget: request.budget)
    try node.start()
    var last: MonotonicTime?
    while !isStopped {
      guard try node.wait(milliseconds: Self.patience) else { continue }
      var (copy, stamp): (FrameBlock?, NodeStamp) = (nil, NodeStamp())
      let isTaken = try node.take { bytes, told in
        stamp = told
        // A decoder makes more of a damaged picture than of none.
        guard !told.isDamaged || !mode.isIndependent, bytes.count >= maker.byteCount else { return }
        // Before the copy: two frames live at a time, not three.
        mailbox.makeRoom()
        copy = maker.copy(bytes)
      }
      guard isTaken else { continue }
      guard let copy else {
        refusals.add(1, ordering: .relaxed)
        continue
      }
      // A driver that sends a picture again, because its own source has stopped, leaves the stamp as it was.
      let isNew = stamp.time.map { time in time <= .now && last.map { time > $0 } ?? true } ?? false
      last = stamp.time ?? last
      guard deliver(maker.finish(copy), at: isNew ? stamp.time ?? .now : .now) else { return }
    }
  }

  /// - Returns: Whether the pipeline takes more.
  private func deliver(_ frame: NodeFrameMaker.Frame, at time: MonotonicTime) -> Bool {
    let item = NodeMailbox.Item(block: frame.block, samples: frame.samples, time: time)
    guard let wanted = mailbox.put(item) else { return true }
    return NodeMailbox.push(wanted, to: source.pointer.cast(to: GstAppSrc.self))
  }
}
