// One of GStreamer's device providers: what it sees, and a word when that changes.

import CGStreamer
import CameraCore

/// A provider that watches. One provider at a time is asked, because a monitor over all of them lists the same camera
/// twice.
final class DeviceProvider: @unchecked Sendable {
  // Sendable: the pointer never changes, and a provider locks what is called on it here.
  private let pointer: UnsafeMutablePointer<GstDeviceProvider>

  /// A device that a provider sees.
  struct Device {
    var name: String
    /// `Video/Source`, `Audio/Source`, …
    var deviceClass: String
    var formats: [CameraFormat]
    var properties: [String: String]
    /// What the provider's source element calls it; PulseAudio's only.
    var internalName: String?
  }

  /// Starts a provider. Connects to its service, which takes some 10 to 50 ms, so not on a thread that others wait for.
  ///
  /// - Parameters:
  ///   - factory: `pipewiredeviceprovider` or `pulsedeviceprovider`.
  ///   - onChange: Called on a thread of the provider's whenever devices come, go or change.
  /// - Returns: `nil` when it isn't installed or its service doesn't run.
  init?(_ factory: String, onChange: @escaping @Sendable () -> Void) {
    guard let provider = gst_device_provider_factory_get_by_name(factory) else { return nil }
    if let bus = gst_device_provider_get_bus(provider) {
      gst_bus_set_sync_handler(
        bus, handleDeviceMessage, Unmanaged.passRetained(ChangeListener(onChange)).toOpaque(), releaseListener)
      gst_object_unref(bus)
    }
    guard gst_device_provider_start(provider) != 0 else {
      Self.silence(provider)
      gst_object_unref(provider)
      return nil
    }
    pointer = provider
  }

  deinit {
    gst_device_provider_stop(pointer)
    Self.silence(pointer)
    gst_object_unref(pointer)
  }

  /// What it sees now.
  func devices() -> [Device] {
    let list = gst_device_provider_get_devices(pointer)
    defer { g_list_free_full(list) { gst_object_unref($0) } }
    return sequence(first: list) { $0?.pointee.next }.prefix { $0 != nil }.compactMap { node in
      node?.pointee.data.map { Device($0.assumingMemoryBound(to: GstDevice.self)) }
    }
  }

  private static func silence(_ provider: UnsafeMutablePointer<GstDeviceProvider>) {
    guard let bus = gst_device_provider_get_bus(provider) else { return }
    gst_bus_set_sync_handler(bus, nil, nil, nil)
    gst_object_unref(bus)
  }
}

/// Carries the closure through C; owned by the provider's bus.
private final class ChangeListener: Sendable {
  let onChange: @Sendable () -> Void
  init(_ onChange: @escaping @Sendable () -> Void) { self.onChange = onChange }
}

/// Called on a thread of the provider's.
private nonisolated func handleDeviceMessage(
  bus: UnsafeMutablePointer<GstBus>?, message: UnsafeMutablePointer<GstMessage>?, data: gpointer?
) -> GstBusSyncReply {
  guard let message, let data else { return GST_BUS_PASS }
  defer { gst_message_unref(message) }
  switch message.pointee.type {
  case GST_MESSAGE_DEVICE_ADDED, GST_MESSAGE_DEVICE_REMOVED, GST_MESSAGE_DEVICE_CHANGED:
    Unmanaged<ChangeListener>.fromOpaque(data).takeUnretainedValue().onChange()
  default: break
  }
  return GST_BUS_DROP
}

/// Frees the listener when the bus drops its handler; any thread.
private nonisolated func releaseListener(data: gpointer?) {
  if let data { Unmanaged<ChangeListener>.fromOpaque(data).release() }
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
