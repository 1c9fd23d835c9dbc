// An element of GStreamer that hangs while it is made or started, as encoders of graphics cards do whose driver hangs.

import CGStreamer
import CameraCore
import Foundation
import Synchronization

@testable import MediaEngine

/// Registers an element of its own. Whoever makes or starts one waits until the fixture lets go.
final class HangingElement: Sendable {
  let name = "photome-hanging-\(UUID().uuidString.lowercased())"
  private let gate: Gate

  enum Moment {
    case making
    /// When it opens its device.
    case starting
    /// The same, after it has reported an error.
    case startingWithError
  }

  fileprivate final class Gate: Sendable {
    let moment: Moment
    let onStart: @Sendable () -> Void
    let semaphore = DispatchSemaphore(value: 0)
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()

    init(_ moment: Moment, onStart: @escaping @Sendable () -> Void) { (self.moment, self.onStart) = (moment, onStart) }

    func hang() {
      arrival.yield()
      semaphore.wait()
    }
  }

  private static let gates = Mutex<[String: Gate]>([:])

  /// - Parameter onStart: Called when one is started, before anybody learns of it.
  init(_ moment: Moment = .making, onStart: @escaping @Sendable () -> Void = {}) throws {
    try GStreamerRuntime.start()
    gate = Gate(moment, onStart: onStart)
    Self.gates.withLock { $0[name] = gate }
    let parent = try Self.parent(moment)
    var size = GTypeQuery()
    g_type_query(parent, &size)
    let type = g_type_register_static_simple(
      parent, name, guint(size.class_size), describe, guint(size.instance_size), make, GTypeFlags(0))
    guard gst_element_register(nil, name, 0, type) != 0 else {
      throw CameraError.missingPlugin(element: name, package: "", purpose: .camera)
    }
  }

  /// What is started has pads that fit into a pipeline, and works when it goes on: it is an encoder.
  private static func parent(_ moment: Moment) throws -> GType {
    guard moment != .making else { return gst_element_get_type() }
    guard let encoder = VideoEncoder.known.last(where: { GStreamerRuntime.has($0.element) }) else {
      throw GStreamerRuntime.missing("x264enc")
    }
    let element = try Element(encoder.element)
    return typeOfObject(UnsafeMutableRawPointer(element.pointer))
  }

  fileprivate static func gate(of type: GType) -> Gate? {
    guard let name = g_type_name(type) else { return nil }
    return gates.withLock { $0[String(cString: name)] }
  }

  /// An encoder that is made of it.
  var encoder: VideoEncoder { VideoEncoder(element: name, isHardware: true) }

  /// Makes encoders with a limit that is over as soon as this one hangs, and never for others.
  var making: EncoderMaking {
    EncoderMaking(wait: { [gate] _ in
      for await _ in gate.arrivals { return }
      throw CancellationError()
    })
  }

  /// Lets go of those that hang now or later.
  func letGo() { for _ in 0..<8 { gate.semaphore.signal() } }
}

private nonisolated func typeOfObject(_ object: UnsafeMutableRawPointer) -> GType {
  object.assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee.g_type
}

/// Called once for the class, by whoever registers the element.
private nonisolated func describe(type: gpointer?, data: gpointer?) {
  guard let type = type?.assumingMemoryBound(to: GstElementClass.self) else { return }
  gst_element_class_set_static_metadata(
    type, "Hanging encoder", "Codec/Encoder/Video", "Hangs while it is made or started", "PhotoMe")
  type.pointee.change_state = changeState
}

/// Called for each new element, on the thread that makes it.
private nonisolated func make(instance: UnsafeMutablePointer<GTypeInstance>?, type: gpointer?) {
  guard let type, let gate = HangingElement.gate(of: type.load(as: GTypeClass.self).g_type) else { return }
  if gate.moment == .making { gate.hang() }
}

/// Called for each change of state, on the thread that makes it.
private nonisolated func changeState(
  element: UnsafeMutablePointer<GstElement>?, change: GstStateChange
) -> GstStateChangeReturn {
  guard let element else { return GST_STATE_CHANGE_FAILURE }
  let type = typeOfObject(UnsafeMutableRawPointer(element))
  guard let gate = HangingElement.gate(of: type), let parent = g_type_class_peek(g_type_parent(type)) else {
    return GST_STATE_CHANGE_FAILURE
  }
  if change == GST_STATE_CHANGE_NULL_TO_READY, gate.moment != .making {
    gate.onStart()
    if gate.moment == .startingWithError {
      gst_element_message_full(
        element, GST_MESSAGE_ERROR, gst_resource_error_quark(), gint(GST_RESOURCE_ERROR_FAILED.rawValue),
        g_strdup("the device is busy"), nil, "HangingElement.swift", "changeState", 0)
    }
    gate.hang()
  }
  return parent.assumingMemoryBound(to: GstElementClass.self).pointee.change_state(element, change)
}
