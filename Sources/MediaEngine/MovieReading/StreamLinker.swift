// Linking of a demuxer's streams as they are found.

import CGStreamer
import CameraCore
import Synchronization

/// Links the first video and the first audio stream of a file to elements that it asks for; the others stay unlinked.
final class StreamLinker: Sendable {
  /// The kind of a stream, by the first part of its media type.
  enum Kind: Hashable {
    case picture
    case sound
  }

  private struct State {
    var seen: Set<Kind> = []
    var linked: Set<Kind> = []
  }
  private let state = Mutex(State())
  private let makeBranch: @Sendable (Kind, String) -> [Element]
  private let onAllFound: @Sendable (StreamLinker) -> Void

  /// - Parameters:
  ///   - makeBranch: Makes the elements for a stream of a kind and a media type (`video/x-h264`), up to a sink. Called on a
  ///     streaming thread for the first stream of each kind. With none, the stream stays unlinked.
  ///   - onAllFound: Called on a streaming thread when all streams are known.
  init(
    makeBranch: @escaping @Sendable (Kind, String) -> [Element],
    onAllFound: @escaping @Sendable (StreamLinker) -> Void
  ) {
    self.makeBranch = makeBranch
    self.onAllFound = onAllFound
  }

  /// Whether a stream of a kind was linked.
  func has(_ kind: Kind) -> Bool { state.withLock { $0.linked.contains(kind) } }

  /// Links the streams of a demuxer or a decodebin from now on.
  func watch(_ element: Element) {
    g_signal_connect_data(
      element.pointer, "pad-added", unsafeBitCast(handlePad as PadHandler, to: GCallback.self),
      Unmanaged.passRetained(self).toOpaque(), releaseLinker, GConnectFlags(0))
    g_signal_connect_data(
      element.pointer, "no-more-pads", unsafeBitCast(handleNoMorePads as EndHandler, to: GCallback.self),
      Unmanaged.passRetained(self).toOpaque(), releaseLinker, GConnectFlags(0))
  }

  fileprivate func link(_ pad: UnsafeMutablePointer<GstPad>, of element: UnsafeMutablePointer<GstElement>) {
    guard let caps = gst_pad_get_current_caps(pad) ?? gst_pad_query_caps(pad, nil) else { return }
    defer { gst_caps_unref(caps) }
    guard let structure = gst_caps_get_structure(caps, 0), let name = gst_structure_get_name(structure) else { return }
    let type = StreamDecoder.type(String(cString: name), structure)
    let kind: Kind
    switch type.split(separator: "/").first {
    case "video", "image": kind = .picture
    case "audio": kind = .sound
    default: return
    }
    guard state.withLock({ $0.seen.insert(kind).inserted }) else { return }
    let branch = makeBranch(kind, type)
    guard !branch.isEmpty, let parent = gst_object_get_parent(element.cast(to: GstObject.self)) else { return }
    defer { gst_object_unref(parent) }
    add(branch, to: UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstBin.self), from: pad)
    state.withLock { _ = $0.linked.insert(kind) }
  }

  /// Elements that don't fit together cause an error of the stream.
  private func add(_ branch: [Element], to bin: UnsafeMutablePointer<GstBin>, from pad: UnsafeMutablePointer<GstPad>) {
    for element in branch { gst_bin_add(bin, element.pointer) }
    for (left, right) in zip(branch, branch.dropFirst()) { gst_element_link(left.pointer, right.pointer) }
    // From the sink on, so that no buffer arrives at an element that isn't ready.
    for element in branch.reversed() { gst_element_sync_state_with_parent(element.pointer) }
    guard let sink = branch.first?.pad("sink") else { return }
    gst_pad_link(pad, sink)
    gst_object_unref(sink)
  }

  fileprivate func end() { onAllFound(self) }
}

private typealias PadHandler =
  @convention(c) (
    UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, gpointer?
  ) -> Void
private typealias EndHandler = @convention(c) (UnsafeMutablePointer<GstElement>?, gpointer?) -> Void

/// Called on a streaming thread for each stream that was found.
private nonisolated func handlePad(
  element: UnsafeMutablePointer<GstElement>?, pad: UnsafeMutablePointer<GstPad>?, data: gpointer?
) {
  guard let element, let pad, let data else { return }
  Unmanaged<StreamLinker>.fromOpaque(data).takeUnretainedValue().link(pad, of: element)
}

/// Called on a streaming thread when all streams are known.
private nonisolated func handleNoMorePads(element: UnsafeMutablePointer<GstElement>?, data: gpointer?) {
  if let data { Unmanaged<StreamLinker>.fromOpaque(data).takeUnretainedValue().end() }
}

/// Releases the linker when the element is gone; any thread.
private nonisolated func releaseLinker(data: gpointer?, closure: UnsafeMutablePointer<GClosure>?) {
  if let data { Unmanaged<StreamLinker>.fromOpaque(data).release() }
}
