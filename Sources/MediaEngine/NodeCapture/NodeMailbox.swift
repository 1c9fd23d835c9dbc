// The mailbox between a device's thread and the pipeline's.

import CGStreamer
import CameraCore
import Synchronization

/// Holds frames until the appsrc asks for them: at most one, the newest, where each is a picture by itself.
///
/// An appsrc's own queue gives its oldest buffer first, and while it is full the driver drops its newest: where the pipeline
/// is slower than the camera, every frame would be several frames late. So nothing is queued there, and what waits here
/// goes before the next frame is copied: two frames live at a time, one in the pipeline and one on its way to it.
///
/// Of a stream whose pictures are made from those before them none is left out. Where a decoder is slower than the camera, all
/// that waits goes in the end, and the stream begins anew with the next picture that needs no other: what would be decoded
/// without the missing ones is smeared.
final class NodeMailbox: Sendable {
  /// A frame as the pipeline gets it.
  struct Item: Sendable {
    var block: FrameBlock
    /// The sensor's own samples, where they are kept.
    var samples: BayerFrame?
    var time: MonotonicTime
  }

  private struct State {
    /// Whether the pipeline has nothing to do.
    var isWanted = false
    /// The oldest first.
    var waiting: [Item] = []
    /// Whether pictures of a stream were left out, and none has come since that needs no other.
    var isBroken = false
  }

  /// The most pictures of a stream that wait, and their most bytes. A good camera's have some tens of kilobytes.
  private static let streamRoom = (pictures: 30, bytes: 8 << 20)

  private let state = Mutex(State())
  /// Whether each frame is a picture without the one before it.
  private let isIndependent: Bool

  init(isIndependent: Bool) { self.isIndependent = isIndependent }

  /// Gives up all that waits.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func empty() { state.withLock { $0.waiting = [] } }

  /// Gives up the frame that waits, where a newer one may take its place.
  func makeRoom() {
    if isIndependent { empty() }
  }

  /// Puts a frame in.
  ///
  /// - Returns: The frame, when the pipeline waits for one: the caller pushes it.
  func put(_ item: Item) -> Item? {
    state.withLock { state in
      if state.isBroken {
        guard item.block.withUnsafeBytes(H264Stream.beginsAnew) else { return nil }
        state.isBroken = false
      }
      if state.isWanted {
        state.isWanted = false
        return item
      }
      if isIndependent {
        state.waiting = [item]
      } else if state.waiting.count < Self.streamRoom.pictures,
        state.waiting.reduce(item.block.count, { $0 + $1.block.count }) <= Self.streamRoom.bytes
      {
        state.waiting.append(item)
      } else {
        (state.waiting, state.isBroken) = ([], true)
      }
      return nil
    }
  }

  /// Takes the frame that has waited longest. Without one, the next that is put in goes to the pipeline at once.
  func take() -> Item? {
    state.withLock { state in
      state.isWanted = state.waiting.isEmpty
      return state.isWanted ? nil : state.waiting.removeFirst()
    }
  }

  /// Feeds an appsrc, which holds the mailbox until it is gone.
  func attach(to source: Element) {
    var callbacks = GstAppSrcCallbacks()
    callbacks.need_data = giveFrame
    gst_app_src_set_callbacks(
      source.pointer.cast(to: GstAppSrc.self), &callbacks, Unmanaged.passRetained(self).toOpaque(), releaseMailbox)
  }

  /// Pushes a frame.
  ///
  /// - Returns: Whether the pipeline takes more.
  static func push(_ item: Item, to source: UnsafeMutablePointer<GstAppSrc>) -> Bool {
    let time = item.time.nanoseconds
    guard let buffer = AppSource.makeBuffer(item.block, time: time, duration: nil) else { return false }
    buffer.attach(item.block, item.samples)
    // Takes the reference, whatever it returns.
    return gst_app_src_push_buffer(source, buffer) == GST_FLOW_OK
  }
}

/// Called on the streaming thread when the appsrc has nothing left to send.
private nonisolated func giveFrame(source: UnsafeMutablePointer<GstAppSrc>?, length: guint, data: gpointer?) {
  guard let source, let data else { return }
  guard let item = Unmanaged<NodeMailbox>.fromOpaque(data).takeUnretainedValue().take() else { return }
  // One that isn't taken any more is noticed by the device's thread.
  _ = NodeMailbox.push(item, to: source)
}

/// Releases the mailbox when the appsrc is gone; any thread.
private nonisolated func releaseMailbox(data: gpointer?) {
  if let data { Unmanaged<NodeMailbox>.fromOpaque(data).release() }
}
