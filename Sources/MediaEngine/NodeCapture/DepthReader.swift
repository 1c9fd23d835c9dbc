// The thread that reads the depth camera beside a camera.

import CameraCore
import Foundation
import LinuxShim
import Logging
import Synchronization

/// Reads the distances of the depth camera that is a further node of a camera's device, while somebody wants them. All calls
/// of the device, which may hang, are made by a thread of its own. A depth camera that fails is left alone until the
/// camera is opened again: the viewfinder goes on without distances.
final class DepthReader: Sendable {
  /// A depth camera's node and the mode in which it is read.
  struct Node: Sendable, Hashable {
    var path: String
    var size: PixelSize
  }

  /// Finds the depth camera beside the node of a camera; may block.
  typealias Search = @Sendable (String) -> Node?

  /// `V4L2_PIX_FMT_Z16` of linux/videodev2.h.
  static let pixelFormat = NodeMode.code("Z16 ")
  /// Distances are compared at a fraction of a picture's size.
  static let wantedSize = PixelSize(width: 640, height: 480)
  private static let rate = FrameRate(30)
  /// Between two looks at whether the thread is to end, while no frames come.
  private static let patience: Int32 = 100
  /// The devices whose threads haven't ended.
  private static let held = Mutex<Set<String>>([])
  /// In pixels of a side. A driver that says more is wrong.
  private static let longest = 8192
  private static let logger = Logger(label: "photome.engine.depth")

  private enum Phase {
    /// No thread runs.
    case resting
    case running
    /// Failed, has no depth camera, or was stopped.
    case ended
  }

  private let camera: String
  private let board: DepthBoard
  private let search: Search
  private let open: NodeFeed.Opening
  private let phase = Mutex(Phase.resting)
  private let number = Mutex<Int?>(nil)

  /// - Parameter camera: The path of the camera's node.
  init(
    beside camera: String, board: DepthBoard, search: @escaping Search = DepthReader.node,
    open: @escaping NodeFeed.Opening = NodeFeed.openDevice
  ) {
    (self.camera, self.board, self.search, self.open) = (camera, board, search, open)
  }

  /// Reads from now on whenever somebody wants distances.
  func start() {
    let reader = board.setReader { [weak self] isWanted in if isWanted { self?.begin() } }
    set(number: reader)
  }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func set(number new: Int) { number.withLock { $0 = new } }

  /// Ends reading; the thread ends soon, unless the device hangs.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func stop() {
    if let number = number.withLock({ $0 }) { board.removeReader(number) }
    phase.withLock { $0 = .ended }
  }

  private func begin() {
    // A thread that hangs in the device isn't joined by another one.
    let isFree = phase.withLock { phase in
      guard phase == .resting, Self.held.withLock({ $0.insert(camera).inserted }) else { return false }
      phase = .running
      return true
    }
    guard isFree else { return }
    let thread = Thread { self.run() }
    thread.name = "depth"
    thread.start()
  }

  /// Whether nothing will be read anymore.
  var hasEnded: Bool {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { phase.withLock { $0 == .ended } }
  }

  private var isWanted: Bool { phase.withLock { $0 == .running } && board.isFollowed }

  private func run() {
    var end = Phase.resting
    do throws(NodeFailure) {
      if let node = search(camera) { try read(node) } else { end = .ended }
    } catch {
      Self.logger.notice("The depth camera beside “\(camera)” can’t be read: \(error.message)")
      end = .ended
    }
    if let number = number.withLock({ $0 }) { board.empty(by: number) }
    Self.held.withLock { _ = $0.remove(camera) }
    phase.withLock { if $0 == .running { $0 = end } }
    // Somebody may have come while the last frame was taken, or another reader while this one had the device.
    board.remind()
  }

  private func read(_ place: Node) throws(NodeFailure) {
    let node = try open(place.path)
    defer { node.close() }
    let format = try node.setMode(Self.pixelFormat, place.size)
    let size = format.size
    let stride = format.stride == 0 ? 2 * size.width : format.stride
    guard format.pixelFormat == Self.pixelFormat, 1...Self.longest ~= size.width, 1...Self.longest ~= size.height,
      2 * size.width...8 * Self.longest ~= stride
    else { throw NodeFailure(step: .setting, number: EINVAL) }
    _ = node.setRate(Self.rate)
    try node.start()
    var last: MonotonicTime?
    while isWanted {
      guard try node.wait(milliseconds: Self.patience) else { continue }
      var frame: DepthFrame?
      _ = try node.take { bytes, stamp in
        guard !stamp.isDamaged, bytes.count >= stride * (size.height - 1) + 2 * size.width else { return }
        // A stamp that isn't of this clock, or stands still, says nothing.
        let now = MonotonicTime.now
        let told = stamp.time.flatMap { time in
          time <= now && (last.map { $0 < time } ?? true) ? time : nil
        }
        let block = FrameBlock(count: 2 * size.area) { target in
          for y in 0..<size.height {
            target.baseAddress!.advanced(by: 2 * y * size.width).copyMemory(
              from: bytes.baseAddress!.advanced(by: y * stride), byteCount: 2 * size.width)
          }
        }
        frame = DepthFrame(time: told ?? now, size: size, block: block)
      }
      guard let frame, let number = number.withLock({ $0 }) else { continue }
      last = frame.time
      board.put(frame, from: number)
    }
  }

  // MARK: Search

  /// The depth camera that is a further node of the same device.
  static func node(beside camera: String) -> Node? {
    node(beside: camera, among: NodeIdentity.all()) { path in
      let descriptor = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { return [] }
      defer { close(descriptor) }
      guard let node = V4L2Node(descriptor), node.isCamera else { return [] }
      return node.offeredSizes(of: pixelFormat)
    }
  }

  /// - Parameter sizes: The sizes in which the node of a path gives distances.
  static func node(
    beside camera: String, among identities: [NodeIdentity], sizes: (String) -> [PixelSize]
  ) -> Node? {
    guard let device = identities.first(where: { $0.path == camera })?.device else { return nil }
    for identity in identities where identity.device == device && identity.path != camera {
      let offered = sizes(identity.path)
      func excess(_ size: PixelSize) -> Int { abs(size.area - wantedSize.area) }
      if let size = offered.min(by: { excess($0) < excess($1) }) { return Node(path: identity.path, size: size) }
    }
    return nil
  }
}
