// A service of the desktop, simulated on a test's own bus.

import CGtk
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Owns names on a bus and answers the calls to them. Without a main loop: GDBus's own thread answers.
final class SimulatedService: @unchecked Sendable {
  // Sendable: no property ever changes, and the connection may be used on any thread.
  private let connection: OpaquePointer
  private let answer: @Sendable (Call) -> Answer

  /// A call that has arrived.
  struct Call {
    var member: String
    /// The unique name of the caller.
    var sender: String
    /// The arguments in GVariant's text form.
    var arguments = ""
    /// The contents of the files whose descriptors came along.
    var files: [Data] = []

    /// The path of the portal's request that the call makes. “:1.23” is “1_23” in it.
    var requestPath: String {
      let caller = sender.dropFirst().replacingOccurrences(of: ".", with: "_")
      let token = arguments.firstMatch(of: #/'handle_token': <'(\w+)'>/#)?.1 ?? ""
      return "/org/freedesktop/portal/desktop/request/\(caller)/\(token)"
    }
  }

  /// A signal. The parameters are a tuple in GVariant's text form.
  struct Signal {
    var path: String
    var interface: String
    var name: String
    var parameters: String
  }

  enum Answer {
    /// A reply with a tuple in GVariant's text form, or with nothing, and the signals after it.
    case reply(String?, then: [Signal] = [])
    /// A reply with a descriptor, which is passed on and closed.
    case descriptor(Int32)
    case refusal(String)
    /// An error of this name.
    case error(String, String)
    case unknown
  }

  /// - Parameters:
  ///   - address: Of the bus, which PhotoMe has as its session bus or as the system's.
  ///   - answer: Called on GDBus's thread.
  init(address: String, names: [String], answer: @escaping @Sendable (Call) -> Answer) throws {
    let flags =
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
    guard
      let made = g_dbus_connection_new_for_address_sync(address, GDBusConnectionFlags(rawValue: flags), nil, nil, nil)
    else { throw MissingTool(description: "No connection to the test's bus.") }
    connection = made
    self.answer = answer
    _ = g_dbus_connection_add_filter(connection, answerCall, Unmanaged.passUnretained(self).toOpaque(), nil)
    for name in names {
      let reply = g_dbus_connection_call_sync(
        connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
        Self.value("('\(name)', @u 0)"), nil, G_DBUS_CALL_FLAGS_NONE, -1, nil, nil)
      guard let reply else { throw MissingTool(description: "The test's bus refuses “\(name)”.") }
      g_variant_unref(reply)
    }
  }

  deinit {
    g_dbus_connection_close_sync(connection, nil, nil)
    g_object_unref(UnsafeMutableRawPointer(connection))
  }

  /// Sends a signal to everyone.
  func send(_ signal: Signal) {
    g_dbus_connection_emit_signal(
      connection, nil, signal.path, signal.interface, signal.name, Self.value(signal.parameters), nil)
  }

  private static func value(_ text: String) -> OpaquePointer? { g_variant_parse(nil, text, nil, nil, nil) }

  /// Answers a call.
  ///
  /// - Returns: Whether it is known.
  fileprivate func answer(_ message: OpaquePointer) -> Bool {
    guard let member = g_dbus_message_get_member(message).map({ String(cString: $0) }) else { return false }
    let sender = g_dbus_message_get_sender(message).map { String(cString: $0) } ?? ""
    var call = Call(member: member, sender: sender)
    if let body = g_dbus_message_get_body(message), let text = g_variant_print(body, 0) {
      call.arguments = String(cString: text)
      g_free(text)
    }
    call.files = Self.files(of: message)
    switch answer(call) {
    case .reply(let body, let signals):
      let reply = g_dbus_message_new_method_reply(message)
      if let body { g_dbus_message_set_body(reply, Self.value(body)) }
      send(reply)
      for signal in signals { send(signal) }
    case .descriptor(let descriptor):
      let reply = g_dbus_message_new_method_reply(message)
      // The list has a copy.
      let list = g_unix_fd_list_new()
      g_unix_fd_list_append(list, descriptor, nil)
      close(descriptor)
      g_dbus_message_set_unix_fd_list(reply, list)
      list.map { g_object_unref(UnsafeMutableRawPointer($0)) }
      g_dbus_message_set_body(reply, Self.value("(handle 0,)"))
      send(reply)
    case .error(let name, let reason): send(g_dbus_message_new_method_error_literal(message, name, reason))
    case .refusal(let reason):
      send(g_dbus_message_new_method_error_literal(message, "org.freedesktop.DBus.Error.AccessDenied", reason))
    case .unknown: return false
    }
    return true
  }

  private static func files(of message: OpaquePointer) -> [Data] {
    guard let list = g_dbus_message_get_unix_fd_list(message) else { return [] }
    var count: gint = 0
    guard let descriptors = g_unix_fd_list_peek_fds(list, &count) else { return [] }
    return (0..<Int(count)).map { index in
      // The descriptors stay the list's.
      let file = FileHandle(fileDescriptor: descriptors[index], closeOnDealloc: false)
      return (try? file.readToEnd()) ?? Data()
    }
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
    Unmanaged<SimulatedService>.fromOpaque(data).takeUnretainedValue().answer(message)
  else { return message }
  g_object_unref(UnsafeMutableRawPointer(message))
  return nil
}
