// Progress of encoding a movie, counted on the threads that do it.

import CGStreamer
import CameraCore
import Synchronization

/// The counters of one run, and a watchdog for them.
final class MovieProgress: Sendable {
  /// Frames given to the encoder.
  let fed = Atomic(0)
  /// Packets out of the encoder, and frames out of the decoder.
  let encoded = Atomic(0)
  /// Bytes written.
  let written = Atomic(0)

  /// Whether the muxer has everything, and writes the file's index; of a movie that is played: whether its sound has ended.
  let isIndexing = Atomic(false)

  /// The sum of the counters.
  var steps: Int { fed.load(ordering: .relaxed) + encoded.load(ordering: .relaxed) + written.load(ordering: .relaxed) }

  /// Starts a watchdog over these counters; see `Watchdog`.
  func watch(
    _ patience: TimeSpan, isExcused: @escaping @Sendable () -> Bool = { false },
    pause: @escaping @Sendable (UInt64) async throws -> Void = { try await Task.sleep(nanoseconds: $0) },
    onStandstill: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    Watchdog.watch(patience, steps: { self.steps }, isExcused: isExcused, pause: pause, onStandstill: onStandstill)
  }

  /// Counts the packets that leave an element, or enter it.
  ///
  /// - Parameter name: `src` or `sink`.
  func countPackets(of element: Element, pad name: String = "src") {
    guard let pad = element.pad(name) else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER, countPacket, Unmanaged.passRetained(self).toOpaque(), releaseProgress)
  }
}

extension MovieProgress {
  /// Notes the end of the stream at an element: what follows is the index.
  func noteEnd(at element: Element, pad name: String) {
    guard let pad = element.pad(name) else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, noteEvent, Unmanaged.passRetained(self).toOpaque(), releaseProgress)
  }

  /// Starts a watchdog over the beginning of a recording: until the first packet, while frames wait. Encoders of
  /// graphics cards open their device when they start, and hang there.
  ///
  /// - Parameters: As of `watchRecording`.
  func watchStart(
    _ patience: TimeSpan, isIdle: @escaping @Sendable () -> Bool,
    pause: @escaping @Sendable (UInt64) async throws -> Void, onStandstill: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    let hasBegun = { @Sendable in
      self.encoded.load(ordering: .relaxed) > 0 || self.isIndexing.load(ordering: .relaxed)
    }
    return Watchdog.watch(
      patience, steps: { self.steps }, isExcused: { isIdle() || hasBegun() }, pause: pause, onStandstill: onStandstill)
  }

  /// Starts the watchdogs over a recording: one over its encoders, and a more patient one over its index.
  ///
  /// - Parameters:
  ///   - byteCount: The size of the file, whose growth is progress as well.
  ///   - isIdle: Whether no frame waits, so that the camera is waited for.
  ///   - pause: As of `Watchdog`.
  func watchRecording(
    _ limits: EngineLimits, byteCount: @escaping @Sendable () -> Int64, isIdle: @escaping @Sendable () -> Bool,
    pause: @escaping @Sendable (UInt64) async throws -> Void = { try await Task.sleep(nanoseconds: $0) },
    onStandstill: @escaping @Sendable () -> Void
  ) -> [Task<Void, Never>] {
    let steps = { @Sendable in self.steps &+ Int(truncatingIfNeeded: byteCount()) }
    let isIndexing = { @Sendable in self.isIndexing.load(ordering: .relaxed) }
    return [
      Watchdog.watch(
        limits.movieProgress, steps: steps, isExcused: { isIdle() || isIndexing() }, pause: pause,
        onStandstill: onStandstill),
      Watchdog.watch(
        limits.movieIndex, steps: steps, isExcused: { !isIndexing() }, pause: pause, onStandstill: onStandstill),
    ]
  }
}

/// Called on the encoder's streaming thread for each event.
private nonisolated func noteEvent(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, data: gpointer?
) -> GstPadProbeReturn {
  if let data, let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_EOS {
    Unmanaged<MovieProgress>.fromOpaque(data).takeUnretainedValue().isIndexing.store(true, ordering: .relaxed)
  }
  return GST_PAD_PROBE_OK
}

/// Called on the encoder's streaming thread for each packet.
private nonisolated func countPacket(
  pad: UnsafeMutablePointer<GstPad>?, info: UnsafeMutablePointer<GstPadProbeInfo>?, data: gpointer?
) -> GstPadProbeReturn {
  if let data { Unmanaged<MovieProgress>.fromOpaque(data).takeUnretainedValue().encoded.add(1, ordering: .relaxed) }
  return GST_PAD_PROBE_OK
}

/// Releases the counters when the pad is gone; any thread.
private nonisolated func releaseProgress(data: gpointer?) {
  if let data { Unmanaged<MovieProgress>.fromOpaque(data).release() }
}
