// One of GStreamer's device providers: its devices, and a notification when they change.

import CGStreamer
import CameraCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A device provider that has been started. Providers are asked one by one, because a monitor over all of them lists the
/// same camera twice.
///
/// There is one of a kind in a process at a time, and none is ever stopped or freed: PipeWire's (0.3.65) frees its proxies
/// twice when it is stopped while some come or go. One whose connection has ended is left alone and replaced by a new one:
/// a thread and a socket for each restart of a server.
final class DeviceProvider: DeviceSource, @unchecked Sendable {
  // Sendable: the pointer never changes, a provider locks what is called on it here, and the listeners have a lock.

  /// The connected provider of a process.
  private final class Slot: Sendable { let provider = Mutex<DeviceProvider?>(nil) }
  private static let pipeWire = Slot()
  private static let pulse = Slot()

  /// The provider of a server; `nil` when it isn't installed or the server doesn't run. Connects if there is no
  /// connection, which takes some 10 to 50 ms, or for ever with a server that hangs: not for a thread that others wait
  /// for.
  static func connected(to server: DeviceServer) -> DeviceProvider? {
    let slot =
      switch server {
      case .pipeWire: pipeWire
      case .pulse: pulse
      }
    return slot.provider.withLock { provider in
      if let provider, provider.isConnected { return provider }
      provider = DeviceProvider(server)
      return provider
    }
  }

  /// The proof of a connection.
  private enum Connection {
    /// Our own descriptor of the socket that the provider uses.
    case socket(OwnedSocket)
    /// The inodes of the sockets that appeared while the provider connected; none of them is here over the network.
    case inodes(Set<UInt64>)
  }

  private let pointer: UnsafeMutablePointer<GstDeviceProvider>
  private let connection: Connection
  private let listeners = Listeners()

  /// A device of a provider.
  struct Device {
    var name: String
    /// `Video/Source`, `Audio/Source`, …
    var deviceClass: String
    var formats: [CameraFormat]
    /// The modes that PhotoMe can't use.
    var unusable = UnusableModes()
    var properties: [String: String]
    /// Its name for the source element; PulseAudio only.
    var internalName: String?
  }

  /// A provider of the cameras that a connection to PipeWire shows. A server that hangs makes it block.
  ///
  /// Its elements and its provider share a connection, which stays in use when it has ended; and a start without any counts
  /// as one. So the provider gets a socket of its own, and the elements keep theirs to themselves.
  init?(pipeWire socket: OwnedSocket) {
    guard (try? GStreamerRuntime.start()) != nil, let provider = Self.make("pipewiredeviceprovider") else { return nil }
    gst_util_set_object_arg(
      UnsafeMutableRawPointer(provider).assumingMemoryBound(to: GObject.self), "fd", "\(socket.descriptor)")
    (pointer, connection) = (provider, .socket(socket))
    listen(to: provider)
    // From here on it is never freed. An error is a start, too: `isConnected` tells.
    gst_device_provider_start(provider)
  }

  private convenience init?(_ server: DeviceServer) {
    switch server {
    case .pipeWire:
      guard let path = ServerSockets.pipeWirePath(), let socket = ServerSockets.connect(to: path) else { return nil }
      self.init(pipeWire: OwnedSocket(adopting: socket))
    case .pulse: self.init()
    }
  }

  /// The provider of the sound server.
  private init?() {
    guard (try? GStreamerRuntime.start()) != nil else { return nil }
    guard let provider = Self.make("pulsedeviceprovider") else { return nil }
    pointer = provider
    let before = ServerSockets.connected(to: "pulse")
    let hasStarted = gst_device_provider_start(provider) != 0
    connection = .inodes(ServerSockets.connected(to: "pulse").subtracting(before))
    guard hasStarted else {
      gst_object_unref(provider)
      return nil
    }
    listen(to: provider)
  }

  /// Makes a provider; the factory itself gives everybody the same one for ever.
  private static func make(_ factory: String) -> UnsafeMutablePointer<GstDeviceProvider>? {
    guard let first = gst_device_provider_factory_get_by_name(factory) else { return nil }
    defer { gst_object_unref(first) }
    let type = UnsafeMutableRawPointer(first).assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee.g_type
    guard let made = g_object_new_with_properties(type, 0, nil, nil) else { return nil }
    return gst_object_ref_sink(made).assumingMemoryBound(to: GstDeviceProvider.self)
  }

  private func listen(to provider: UnsafeMutablePointer<GstDeviceProvider>) {
    guard let bus = gst_device_provider_get_bus(provider) else { return }
    gst_bus_set_sync_handler(bus, handleDeviceMessage, Unmanaged.passRetained(listeners).toOpaque(), releaseListeners)
    gst_object_unref(bus)
  }

  var isConnected: Bool {
    switch connection {
    case .socket(let socket): ServerSockets.isAlive(socket.descriptor)
    case .inodes(let inodes): inodes.isEmpty || !inodes.isDisjoint(with: ServerSockets.connected(to: "pulse"))
    }
  }

  func listen(_ onChange: @escaping @Sendable () -> Void) -> Int { listeners.add(onChange) }

  func forget(_ listener: Int) { listeners.remove(listener) }

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
      unusable = UnusableModes(in: caps)
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
