// One of GStreamer's device providers: its devices, and a notification when they change.

import CGStreamer
import CameraCore
import Synchronization

/// A device provider that has been started. Providers are asked one by one, because a monitor over all of them lists the
/// same camera twice.
///
/// There is one of a kind in a process, from the first use to the end: PipeWire's (0.3.65) frees its proxies twice when it
/// is stopped at the wrong moment.
final class DeviceProvider: @unchecked Sendable {
  // Sendable: the pointer never changes, a provider locks what is called on it here, and the listeners have a lock.

  /// PipeWire's, which sees cameras; `nil` when it isn't installed or PipeWire doesn't run. The first use connects, which
  /// takes some 10 to 50 ms, so it is not for a thread that others wait for.
  static let pipeWire = DeviceProvider("pipewiredeviceprovider")
  /// PulseAudio's, which sees microphones; likewise.
  static let pulse = DeviceProvider("pulsedeviceprovider")

  private let pointer: UnsafeMutablePointer<GstDeviceProvider>
  private let listeners = Listeners()

  /// A device of a provider.
  struct Device {
    var name: String
    /// `Video/Source`, `Audio/Source`, …
    var deviceClass: String
    var formats: [CameraFormat]
    var properties: [String: String]
    /// Its name for the source element; PulseAudio only.
    var internalName: String?
  }

  private init?(_ factory: String) {
    guard (try? GStreamerRuntime.start()) != nil, let provider = gst_device_provider_factory_get_by_name(factory) else {
      return nil
    }
    if let bus = gst_device_provider_get_bus(provider) {
      gst_bus_set_sync_handler(
        bus, handleDeviceMessage, Unmanaged.passRetained(listeners).toOpaque(), releaseListeners)
      gst_object_unref(bus)
    }
    guard gst_device_provider_start(provider) != 0 else { return nil }
    pointer = provider
  }

  /// Calls `onChange` on a thread of the provider's whenever devices come, go or change.
  ///
  /// - Returns: What to give to `forget`.
  func listen(_ onChange: @escaping @Sendable () -> Void) -> Int { listeners.add(onChange) }

  /// Ends the calls; one may still be under way.
  func forget(_ listener: Int) { listeners.remove(listener) }

  /// The present devices.
  func devices() -> [Device] {
    let list = gst_device_provider_get_devices(pointer)
    defer { g_list_free_full(list) { gst_object_unref($0) } }
    return sequence(first: list) { $0?.pointee.next }.prefix { $0 != nil }.compactMap { node in
      node?.pointee.data.map { Device($0.assumingMemoryBound(to: GstDevice.self)) }
    }
  }
}

/// The listeners to changes.
private final class Listeners: Sendable {
  private let all = Mutex<(next: Int, calls: [Int: @Sendable () -> Void])>((0, [:]))

  func add(_ call: @escaping @Sendable () -> Void) -> Int {
    all.withLock { all in
      all.next += 1
      all.calls[all.next] = call
      return all.next
    }
  }

  func remove(_ number: Int) { all.withLock { _ = $0.calls.removeValue(forKey: number) } }

  func call() {
    for call in all.withLock({ Array($0.calls.values) }) { call() }
  }
}

/// Called on a thread of the provider's.
private nonisolated func handleDeviceMessage(
  bus: UnsafeMutablePointer<GstBus>?, message: UnsafeMutablePointer<GstMessage>?, data: gpointer?
) -> GstBusSyncReply {
  guard let message, let data else { return GST_BUS_PASS }
  defer { gst_message_unref(message) }
  switch message.pointee.type {
  case GST_MESSAGE_DEVICE_ADDED, GST_MESSAGE_DEVICE_REMOVED, GST_MESSAGE_DEVICE_CHANGED:
    Unmanaged<Listeners>.fromOpaque(data).takeUnretainedValue().call()
  default: break
  }
  return GST_BUS_DROP
}

/// Frees the list of listeners when the bus drops its handler; any thread.
private nonisolated func releaseListeners(data: gpointer?) {
  if let data { Unmanaged<Listeners>.fromOpaque(data).release() }
}

extension DeviceProvider.Device {
  fileprivate init(_ device: UnsafeMutablePointer<GstDevice>) {
    func text(_ allocated: UnsafeMutablePointer<gchar>?) -> String {
      defer { g_free(allocated) }
      return allocated.map { String(cString: $0) } ?? ""
    }
    name = text(gst_device_get_display_name(device))
    deviceClass = text(gst_device_get_device_class(device))
    formats = []
    if let caps = gst_device_get_caps(device) {
      formats = CameraFormat.all(in: caps)
      gst_caps_unref(caps)
    }
    properties = [:]
    if let structure = gst_device_get_properties(device) {
      for index in 0..<gst_structure_n_fields(structure) {
        guard let field = gst_structure_nth_field_name(structure, guint(index)) else { continue }
        let value = gst_structure_get_value(structure, field)
        properties[String(cString: field)] = value.map { text(gst_value_serialize($0)) }?.unquoted
      }
      gst_structure_free(structure)
    }
    let object = UnsafeMutableRawPointer(device).assumingMemoryBound(to: GObject.self)
    if deviceClass.hasPrefix("Audio"), properties["node.name"] == nil { internalName = object.text("internal-name") }
  }
}

extension UnsafeMutablePointer<GObject> {
  /// A property that is a string; `nil` when there is none of that name.
  fileprivate func text(_ property: String) -> String? {
    let objectClass = UnsafeMutableRawPointer(self).assumingMemoryBound(to: GTypeInstance.self).pointee.g_class
    guard
      let objectClass = objectClass.map({ UnsafeMutableRawPointer($0).assumingMemoryBound(to: GObjectClass.self) }),
      let specification = g_object_class_find_property(objectClass, property)
    else { return nil }
    var value = GValue()
    g_value_init(&value, specification.pointee.value_type)
    defer { g_value_unset(&value) }
    g_object_get_property(self, property, &value)
    return g_value_get_string(&value).map { String(cString: $0) }
  }
}

extension String {
  /// Without the quotes and escapes that GStreamer's text form puts around words that aren't plain.
  fileprivate var unquoted: String {
    guard count >= 2, hasPrefix("\""), hasSuffix("\"") else { return self }
    var result = ""
    var isEscaped = false
    for character in dropFirst().dropLast() {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        result.append(character)
        isEscaped = false
      }
    }
    return result
  }
}
