// Links what a decodebin finds in a file to the rest of the pipeline, when it finds it.

import CGStreamer
import CameraCore
import Synchronization

/// What becomes of the streams in a file: the first of each kind goes where it is wanted, others go nowhere.
final class StreamLinker: Sendable {
  /// Whether a stream of this kind was linked.
  var hasPicture: Bool { state.withLock { $0.hasPicture } }
  var hasSound: Bool { state.withLock { $0.hasSound } }

  private struct State {
    var hasPicture = false
    var hasSound = false
  }
  private let state = Mutex(State())
  private let picture: Element?
  private let makeSound: @Sendable () -> [Element]
  private let onAllFound: @Sendable (StreamLinker) -> Void

  /// - Parameters:
  ///   - picture: Where a picture goes; an element of the pipeline.
  ///   - makeSound: Makes a row of elements for sound, which are put into the pipeline; called on a streaming thread when
  ///     there is sound. An empty row: the sound goes nowhere.
  ///   - onAllFound: Called on a streaming thread when all streams are known.
  init(
    picture: Element?, makeSound: @escaping @Sendable () -> [Element],
    onAllFound: @escaping @Sendable (StreamLinker) -> Void
  ) {
    self.picture = picture
    self.makeSound = makeSound
    self.onAllFound = onAllFound
  }

  /// Waits for the streams of a decodebin.
  func watch(_ decoder: Element) {
    let boxed = { Unmanaged.passRetained(self).toOpaque() }
    g_signal_connect_data(
      decoder.pointer, "pad-added", unsafeBitCast(handlePad as PadHandler, to: GCallback.self), boxed(), releaseLinker,
      GConnectFlags(0))
    g_signal_connect_data(
      decoder.pointer, "no-more-pads", unsafeBitCast(handleNoMorePads as EndHandler, to: GCallback.self), boxed(),
      releaseLinker, GConnectFlags(0))
  }

  fileprivate func link(_ pad: UnsafeMutablePointer<GstPad>, of decoder: UnsafeMutablePointer<GstElement>) {
    guard let caps = gst_pad_get_current_caps(pad) ?? gst_pad_query_caps(pad, nil) else { return }
    defer { gst_caps_unref(caps) }
    guard let structure = gst_caps_get_structure(caps, 0), let name = gst_structure_get_name(structure) else { return }
    let kind = String(cString: name)
    if kind.hasPrefix("video/"), let picture {
      let isFirst = state.withLock { state in
        defer { state.hasPicture = true }
        return !state.hasPicture
      }
      if isFirst { Self.link(pad, to: picture) }
    } else if kind.hasPrefix("audio/") {
      let isFirst = state.withLock { state in
        defer { state.hasSound = true }
        return !state.hasSound
      }
      if isFirst { addSound(pad, of: decoder) }
    }
  }

  private func addSound(_ pad: UnsafeMutablePointer<GstPad>, of decoder: UnsafeMutablePointer<GstElement>) {
    let row = makeSound()
    guard let first = row.first, let parent = gst_object_get_parent(decoder.cast(to: GstObject.self)) else { return }
    defer { gst_object_unref(parent) }
    for element in row {
      gst_bin_add(UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GstBin.self), element.pointer)
    }
    for (left, right) in zip(row, row.dropFirst()) { gst_element_link(left.pointer, right.pointer) }
    // From the sink on, so that nothing arrives where nobody is ready.
    for element in row.reversed() { gst_element_sync_state_with_parent(element.pointer) }
    Self.link(pad, to: first)
  }

  private static func link(_ pad: UnsafeMutablePointer<GstPad>, to element: Element) {
    guard let sink = element.pad("sink") else { return }
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
  decoder: UnsafeMutablePointer<GstElement>?, pad: UnsafeMutablePointer<GstPad>?, data: gpointer?
) {
  guard let decoder, let pad, let data else { return }
  Unmanaged<StreamLinker>.fromOpaque(data).takeUnretainedValue().link(pad, of: decoder)
}

/// Called on a streaming thread when all streams are known.
private nonisolated func handleNoMorePads(decoder: UnsafeMutablePointer<GstElement>?, data: gpointer?) {
  if let data { Unmanaged<StreamLinker>.fromOpaque(data).takeUnretainedValue().end() }
}

/// Lets go of the linker when the decodebin is gone; any thread.
private nonisolated func releaseLinker(data: gpointer?, closure: UnsafeMutablePointer<GClosure>?) {
  if let data { Unmanaged<StreamLinker>.fromOpaque(data).release() }
}
