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

  /// The sum of the counters.
  var steps: Int { fed.load(ordering: .relaxed) + encoded.load(ordering: .relaxed) + written.load(ordering: .relaxed) }

  /// Starts a watchdog that calls `onStandstill` whenever nothing was counted for so long, until its task is canceled.
  ///
  /// Looks four times within the patience, so a standstill is noticed after at most five quarters of it.
  ///
  /// - Parameters:
  ///   - isExcused: Whether somebody else is waited for now, whose time doesn't count.
  ///   - pause: Returns after that many nanoseconds; throws when the task is canceled.
  func watch(
    _ patience: TimeSpan, isExcused: @escaping @Sendable () -> Bool = { false },
    pause: @escaping @Sendable (UInt64) async throws -> Void = { try await Task.sleep(nanoseconds: $0) },
    onStandstill: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    // Before the task runs: what is counted until then is progress.
    let start = steps
    return Task.detached { [self] in
      var (seen, still) = (start, 0)
      while (try? await pause(UInt64(max(1, patience.nanoseconds / 4)))) != nil {
        let now = steps
        still = now == seen && !isExcused() ? still + 1 : 0
        seen = now
        guard still == 4 else { continue }
        still = 0
        onStandstill()
      }
    }
  }

  /// Counts the packets that leave an element.
  func countPackets(of element: Element) {
    guard let pad = element.pad("src") else { return }
    defer { gst_object_unref(pad) }
    gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER, countPacket, Unmanaged.passRetained(self).toOpaque(), releaseProgress)
  }
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
