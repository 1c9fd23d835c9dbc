// GeoClue, simulated on a test's own bus.

import CGtk
import Foundation

/// Owns GeoClue's name, and tells one place to each client that starts. Without a main loop: GDBus's own thread answers.
final class SimulatedGeoClue: @unchecked Sendable {
  // Sendable: neither property ever changes, and the connection may be used on any thread.
  private let connection: OpaquePointer
  private let isAllowed: Bool

  private static let client = "/org/freedesktop/GeoClue2/Client/1"

  /// - Parameters:
  ///   - address: Of the bus, which PhotoMe has as the system's.
  ///   - isAllowed: Whether clients may start.
  init(address: String, isAllowed: Bool = true) throws {
    let flags =
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
    guard
      let made = g_dbus_connection_new_for_address_sync(address, GDBusConnectionFlags(rawValue: flags), nil, nil, nil)
    else { throw MissingTool(description: "No connection to the test's bus.") }
    connection = made
    self.isAllowed = isAllowed
    _ = g_dbus_connection_add_filter(connection, answerCall, Unmanaged.passUnretained(self).toOpaque(), nil)
    let reply = g_dbus_connection_call_sync(
      connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
      Self.value("('org.freedesktop.GeoClue2', @u 0)"), nil, G_DBUS_CALL_FLAGS_NONE, -1, nil, nil)
    guard let reply else { throw MissingTool(description: "The test's bus refuses GeoClue's name.") }
    g_variant_unref(reply)
  }

  deinit {
    g_dbus_connection_close_sync(connection, nil, nil)
    g_object_unref(UnsafeMutableRawPointer(connection))
  }

  private static func value(_ text: String) -> OpaquePointer? { g_variant_parse(nil, text, nil, nil, nil) }

  /// Answers a call.
  ///
  /// - Returns: Whether it is known.
  fileprivate func answer(_ call: OpaquePointer) -> Bool {
    guard let member = g_dbus_message_get_member(call).map({ String(cString: $0) }) else { return false }
    switch member {
    case "CreateClient": reply(to: call, "(objectpath '\(Self.client)',)")
    case "Set", "Stop", "DeleteClient": reply(to: call, nil)
    case "GetAll": reply(to: call, "({'Latitude': <46.948>, 'Longitude': <7.4474>, 'Accuracy': <25.0>},)")
    case "Start" where isAllowed:
      reply(to: call, nil)
      g_dbus_connection_emit_signal(
        connection, nil, Self.client, "org.freedesktop.GeoClue2.Client", "LocationUpdated",
        Self.value("(objectpath '/', objectpath '/org/freedesktop/GeoClue2/Location/0')"), nil)
    case "Start":
      let error = g_dbus_message_new_method_error_literal(
        call, "org.freedesktop.DBus.Error.AccessDenied", "Geolocation disabled")
      send(error)
    default: return false
    }
    return true
  }

  private func reply(to call: OpaquePointer, _ body: String?) {
    let reply = g_dbus_message_new_method_reply(call)
    if let body { g_dbus_message_set_body(reply, Self.value(body)) }
    send(reply)
  }

  private func send(_ message: OpaquePointer?) {
    guard let message else { return }
    g_dbus_connection_send_message(connection, message, GDBusSendMessageFlags(rawValue: 0), nil, nil)
    g_object_unref(UnsafeMutableRawPointer(message))
  }
}

/// Called on GDBus's thread, with a message that is passed on or taken.
private nonisolated func answerCall(
  connection: OpaquePointer?, message: OpaquePointer?, isIncoming: gboolean, data: gpointer?
) -> OpaquePointer? {
  guard isIncoming != 0, let message, let data,
    g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL,
    Unmanaged<SimulatedGeoClue>.fromOpaque(data).takeUnretainedValue().answer(message)
  else { return message }
  g_object_unref(UnsafeMutableRawPointer(message))
  return nil
}
