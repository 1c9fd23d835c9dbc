// An element of GStreamer that hangs while it is made, as encoders of graphics cards do whose driver hangs.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

@testable import MediaEngine

/// Registers an element of its own. Whoever makes one waits until the fixture lets go.
final class HangingElement: Sendable {
  let name = "photome-hanging-\(UUID().uuidString.lowercased())"
  private let gate = Gate()

  fileprivate final class Gate: Sendable {
    let semaphore = DispatchSemaphore(value: 0)
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()
  }

  fileprivate static let gates = Mutex<[String: Gate]>([:])

  init() throws {
    try GStreamerRuntime.start()
    Self.gates.withLock { $0[name] = gate }
    var size = GTypeQuery()
    g_type_query(gst_element_get_type(), &size)
    let type = g_type_register_static_simple(
      gst_element_get_type(), name, guint(size.class_size), describe, guint(size.instance_size), hang, GTypeFlags(0))
    guard gst_element_register(nil, name, 0, type) != 0 else {
      throw CameraError.missingPlugin(element: name, package: "", purpose: "")
    }
  }

  /// An encoder that is made of it.
  var encoder: VideoEncoder { VideoEncoder(element: name, isHardware: true) }

  /// Makes encoders with a limit that is over as soon as this one hangs, and never for others.
  var making: EncoderMaking {
    let arrivals = gate.arrivals
    return EncoderMaking(wait: { _ in
      for await _ in arrivals { return }
      throw CancellationError()
    })
  }

  /// Lets go of those that hang now or later.
  func letGo() { for _ in 0..<8 { gate.semaphore.signal() } }
}

/// Called once for the class, by whoever registers the element.
private nonisolated func describe(type: gpointer?, data: gpointer?) {
  gst_element_class_set_static_metadata(
    type?.assumingMemoryBound(to: GstElementClass.self), "Hanging encoder", "Codec/Encoder/Video",
    "Hangs while it is made", "PhotoMe")
}

/// Called for each new element, on the thread that makes it.
private nonisolated func hang(instance: UnsafeMutablePointer<GTypeInstance>?, type: gpointer?) {
  guard let type, let text = g_type_name(type.load(as: GTypeClass.self).g_type),
    let gate = HangingElement.gates.withLock({ $0[String(cString: text)] })
  else { return }
  gate.arrival.yield()
  gate.semaphore.wait()
}
