// The sound output, if there is one.

import CGStreamer
import CameraCore
import Dispatch
import Foundation
import Synchronization

/// Opens sinks for sound; the only place that does.
///
/// A sound server that hangs answers after half a minute, when libpulse gives up. So each opening has a thread of its own
/// and a time limit, and while one hangs the next ones fail at once.
final class SoundOutput: Sendable {
  static let shared = SoundOutput()

  private let patience: TimeSpan
  private let connect: @Sendable (_ isPrompt: Bool) -> Element?
  /// The openings that were given up and haven't ended.
  private let hangingCount = Mutex(0)

  /// - Parameters:
  ///   - patience: The time that an opening may take.
  ///   - connect: Opens a sink, and may block; `nil` for the sound server or the sound card.
  init(
    patience: TimeSpan = .seconds(2), connect: (@Sendable (_ isPrompt: Bool) -> Element?)? = nil
  ) {
    self.patience = patience
    self.connect = connect ?? { Self.connect(isPrompt: $0) }
  }

  /// Whether the sound server answers, as far as is known.
  var answers: Bool {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { hangingCount.withLock { $0 == 0 } }
  }

  /// Opens the sound server, or the sound card if there is no server.
  ///
  /// - Parameter isPrompt: Whether the latency is short, which costs some processor time.
  /// - Returns: An element in the state READY, which must go into a pipeline or be closed; `nil` without a sound output,
  ///   or when it doesn't answer in time.
  func open(isPrompt: Bool = false) async -> Element? {
    guard answers else { return nil }
    let opening = begin(isPrompt) {}
    do throws(CameraError) { return try await opening.wait(atMost: patience, late: .notRunning) } catch {
      countHanging(1)
      return nil
    }
  }

  /// The same for a thread that may block, as the streaming thread that found a movie's sound.
  func openBlocking(isPrompt: Bool = false) -> Element? {
    guard answers else { return nil }
    let done = DispatchSemaphore(value: 0)
    let opening = begin(isPrompt) { done.signal() }
    _ = done.wait(timeout: .now() + .nanoseconds(Int(patience.nanoseconds)))
    if opening.decide(.failure(.notRunning)) {
      countHanging(1)
      return nil
    }
    guard case .success(let sink)? = opening.result else { return nil }
    return sink
  }

  /// Opens a sink on a thread of its own. One that comes when nobody waits any more is closed.
  private func begin(_ isPrompt: Bool, onEnd: @escaping @Sendable () -> Void) -> OneShot<Element?, CameraError> {
    let opening = OneShot<Element?, CameraError>()
    DispatchQueue(label: "photome.sound-output", qos: .userInitiated).async { [self] in
      let sink = connect(isPrompt)
      if !opening.decide(.success(sink)) {
        if let sink { Self.close(sink) }
        countHanging(-1)
      }
      onEnd()
    }
    return opening
  }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func countHanging(_ change: Int) { hangingCount.withLock { $0 += change } }

  /// Closes a sink that isn't in a pipeline.
  static func close(_ sink: Element) { gst_element_set_state(sink.pointer, GST_STATE_NULL) }

  private static func connect(isPrompt: Bool) -> Element? {
    guard (try? GStreamerRuntime.start()) != nil else { return nil }
    // Without a card, alsasink writes warnings to the terminal.
    let sinks = hasCard ? ["pulsesink", "alsasink"] : ["pulsesink"]
    for name in sinks where GStreamerRuntime.has(name) {
      guard let sink = try? Element(name, name: MoviePipeline.soundSinkName) else { continue }
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

  private static var hasCard: Bool {
    let nodes = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/snd")) ?? []
    return nodes.contains { $0.hasPrefix("pcm") && $0.hasSuffix("p") }
  }
}
