// The sound output, if there is one.

import CGStreamer
import CameraCore
import Foundation

/// Opens sinks for sound.
enum SoundOutput {
  /// Opens the sound server, or the sound card if there is no server. Blocks until the server answers; not for the main
  /// thread or `PipelineActor`.
  ///
  /// - Parameter isPrompt: Whether the latency is short, which costs some processor time.
  /// - Returns: An element in the state READY, which must go into a pipeline or be closed; `nil` without a sound output.
  static func open(isPrompt: Bool = false) -> Element? {
    guard (try? GStreamerRuntime.start()) != nil else { return nil }
    // Without a card, alsasink writes warnings to the terminal.
    let sinks = hasCard ? ["pulsesink", "alsasink"] : ["pulsesink"]
    for name in sinks where GStreamerRuntime.has(name) {
      guard let sink = try? Element(name, name: "sound") else { continue }
      sink.set("client-name", "PhotoMe")
      if isPrompt {
        // In microseconds.
        sink.set("buffer-time", 40_000)
        sink.set("latency-time", 10_000)
      }
      if gst_element_set_state(sink.pointer, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE { return sink }
      close(sink)
    }
    return nil
  }

  /// Closes a sink that isn't in a pipeline.
  static func close(_ sink: Element) { gst_element_set_state(sink.pointer, GST_STATE_NULL) }

  private static var hasCard: Bool {
    let nodes = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/snd")) ?? []
    return nodes.contains { $0.hasPrefix("pcm") && $0.hasSuffix("p") }
  }
}
