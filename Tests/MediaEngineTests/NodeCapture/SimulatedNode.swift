// A V4L2 device without a driver: it has modes and sends frames, or does what bad ones do.

import CameraCore
import Foundation
import Synchronization

@testable import MediaEngine

/// A device. Several openings of it are one after the other.
final class SimulatedNode: Sendable {
  /// What is wrong with it.
  enum Fault: Hashable, Sendable {
    case none
    /// Opening it, or asking for a mode, or starting it fails with this errno.
    case refuses(NodeFailure)
    /// It sends nothing after so many frames.
    case stalls(after: Int)
    /// It is gone after so many frames.
    case vanishes(after: Int)
    /// Every other frame is cut short.
    case cutsShort
    /// The driver says of every other frame that it is damaged.
    case damages
    /// All frames have the first one's stamp.
    case repeatsStamp
    /// Opening it hangs until `letGo`.
    case hangsOpening
    /// Starting it hangs until `letGo`.
    case hangsStarting
    /// Stopping it hangs until `letGo`.
    case hangsClosing
  }

  /// The modes that it has, and the rates in each.
  let formats: [NodeFormat: FrameRate?]
  let fault: Fault
  /// The bytes of a frame of a mode.
  let frame: @Sendable (NodeFormat) -> [UInt8]
  private let log = Mutex<[String]>([])
  private let gate = DispatchSemaphore(value: 0)

  init(
    _ formats: [NodeFormat: FrameRate?], fault: Fault = .none,
    frame: @escaping @Sendable (NodeFormat) -> [UInt8] = { [UInt8](repeating: 1, count: $0.byteCount) }
  ) {
    (self.formats, self.fault, self.frame) = (formats, fault, frame)
  }

  /// What happened to it, in order.
  var events: [String] {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { log.withLock { $0 } }
  }

  /// Whatever hangs goes on.
  func letGo() { for _ in 0..<8 { gate.signal() } }

  var opening: NodeFeed.Opening {
    { _ throws(NodeFailure) in
      if self.fault == .hangsOpening { self.hang() }
      try self.refuse(.opening)
      self.note("open")
      return Opened(self)
    }
  }

  fileprivate func hang() { gate.wait() }

  fileprivate func refuse(_ step: NodeFailure.Step) throws(NodeFailure) {
    if case .refuses(let failure) = fault, failure.step == step { throw failure }
  }

  fileprivate func note(_ event: String) { log.withLock { $0.append(event) } }
}

/// One opening of it.
private final class Opened: CaptureNode {
  private let node: SimulatedNode
  private var format: NodeFormat?
  private var sent = 0
  private let opened = MonotonicTime.now

  init(_ node: SimulatedNode) { self.node = node }

  func setMode(_ pixelFormat: UInt32, _ size: PixelSize) throws(NodeFailure) -> NodeFormat {
    try node.refuse(.setting)
    format = node.formats.keys.first { $0.pixelFormat == pixelFormat && $0.size == size } ?? node.formats.keys.first
    guard let format else { throw NodeFailure(step: .setting, number: EINVAL) }
    return format
  }

  func setRate(_ rate: FrameRate) -> FrameRate? { format.flatMap { node.formats[$0] ?? nil } }

  func start() throws(NodeFailure) {
    node.note("start")
    if node.fault == .hangsStarting { node.hang() }
  }

  func wait(milliseconds: Int32) throws(NodeFailure) -> Bool {
    guard case .stalls(let after) = node.fault, sent >= after else { return true }
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(Int(milliseconds)))
    return false
  }

  func take(_ copy: (UnsafeRawBufferPointer, NodeStamp) -> Void) throws(NodeFailure) -> Bool {
    if case .vanishes(let after) = node.fault, sent >= after { throw NodeFailure(step: .reading, number: ENODEV) }
    guard let format else { throw NodeFailure(step: .reading, number: EINVAL) }
    sent += 1
    var bytes = node.frame(format)
    let isBad = sent % 2 == 0
    if node.fault == .cutsShort, isBad { bytes.removeLast() }
    let stamp = NodeStamp(
      time: node.fault == .repeatsStamp ? opened : .now, isDamaged: node.fault == .damages && isBad)
    bytes.withUnsafeBytes { copy($0, stamp) }
    return true
  }

  func close() {
    if node.fault == .hangsClosing { node.hang() }
    node.note("close")
  }
}
