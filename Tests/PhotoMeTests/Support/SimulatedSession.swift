// logind and a screen saver, simulated on a test's own bus.

import CGtk
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Owns the names of logind and of GNOME's screen saver, answers what PhotoMe asks of them, and sends their signals.
/// Without a main loop: GDBus's own thread answers.
final class SimulatedSession: @unchecked Sendable {
  // Sendable: the connection never changes and may be used on any thread; the rest has a lock.
  private let connection: OpaquePointer
  private let delays = Mutex<(count: Int, last: Int32)>((0, -1))
  /// Yields for each delay of sleep that was granted.
  let granted: AsyncStream<Void>
  private let grantedSink: AsyncStream<Void>.Continuation

  /// - Parameter address: Of the bus, which PhotoMe has as its session bus and as the system's.
  init(address: String) throws {
    let flags =
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
    guard
      let made = g_dbus_connection_new_for_address_sync(address, GDBusConnectionFlags(rawValue: flags), nil, nil, nil)
    else { throw MissingTool(description: "No connection to the test's bus.") }
    connection = made
    (granted, grantedSink) = AsyncStream.makeStream(of: Void.self)
    _ = g_dbus_connection_add_filter(connection, answerCall, Unmanaged.passUnretained(self).toOpaque(), nil)
    for name in ["org.freedesktop.login1", "org.gnome.ScreenSaver"] {
      var parameters = [g_variant_new_string(name), g_variant_new_uint32(0)]
      let reply = g_dbus_connection_call_sync(
        connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
        g_variant_new_tuple(&parameters, 2), nil, G_DBUS_CALL_FLAGS_NONE, -1, nil, nil)
      guard let reply else { throw MissingTool(description: "The test's bus refuses “\(name)”.") }
      g_variant_unref(reply)
    }
  }

  deinit {
    g_dbus_connection_close_sync(connection, nil, nil)
    g_object_unref(UnsafeMutableRawPointer(connection))
    delays.withLock { if $0.last >= 0 { close($0.last) } }
  }

  /// The screen is locked or unlocked.
  func setLocked(_ isLocked: Bool) {
    send("/org/gnome/ScreenSaver", "org.gnome.ScreenSaver", "ActiveChanged", isLocked)
  }

  /// The machine is about to sleep, or has woken.
  func setAsleep(_ isAsleep: Bool) {
    send("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", isAsleep)
  }

  /// The delays of sleep that were granted so far.
  var grantedCount: Int { delays.withLock { $0.count } }

  /// Returns when PhotoMe has released the delay that it was granted last.
  func waitUntilReleased() async {
    let descriptor = delays.withLock { $0.last }
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      Thread.detachNewThread {
        var byte: UInt8 = 0
        // Nobody writes: this returns at the end of the pipe.
        while read(descriptor, &byte, 1) < 0, errno == EINTR {}
        done.resume()
      }
    }
  }

  private func send(_ path: String, _ interface: String, _ signal: String, _ value: Bool) {
    var parameters = [g_variant_new_boolean(value ? 1 : 0)]
    g_dbus_connection_emit_signal(
      connection, nil, path, interface, signal, g_variant_new_tuple(&parameters, 1), nil)
    g_dbus_connection_flush_sync(connection, nil, nil)
  }

  /// - Returns: The answer to a call; `nil` for one that isn't known.
  fileprivate func reply(to call: OpaquePointer) -> OpaquePointer? {
    guard let member = g_dbus_message_get_member(call).map({ String(cString: $0) }),
      let reply = g_dbus_message_new_method_reply(call)
    else { return nil }
    var value: OpaquePointer?
    switch member {
    case "GetSession": value = g_variant_new_object_path("/org/freedesktop/login1/session/_1")
    case "Get": value = g_variant_new_variant(g_variant_new_boolean(0))
    case "GetActive": value = g_variant_new_boolean(0)
    case "Inhibit": value = grantDelay(reply)
    default: break
    }
    guard value != nil else {
      g_object_unref(UnsafeMutableRawPointer(reply))
      return nil
    }
    var parameters = [value]
    g_dbus_message_set_body(reply, g_variant_new_tuple(&parameters, 1))
    return reply
  }

  private func grantDelay(_ reply: OpaquePointer) -> OpaquePointer? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0, let list = g_unix_fd_list_new() else { return nil }
    // The list has a copy.
    let index = g_unix_fd_list_append(list, ends[1], nil)
    close(ends[1])
    g_dbus_message_set_unix_fd_list(reply, list)
    g_object_unref(UnsafeMutableRawPointer(list))
    delays.withLock { delays in
      if delays.last >= 0 { close(delays.last) }
      delays = (delays.count + 1, ends[0])
    }
    grantedSink.yield()
    return g_variant_new_handle(index)
  }
}

/// Called on GDBus's thread, with a message that is passed on or taken.
private nonisolated func answerCall(
  connection: OpaquePointer?, message: OpaquePointer?, isIncoming: gboolean, data: gpointer?
) -> OpaquePointer? {
  guard isIncoming != 0, let message, let data,
    g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL
  else { return message }
  let session = Unmanaged<SimulatedSession>.fromOpaque(data).takeUnretainedValue()
  guard let reply = session.reply(to: message) else { return message }
  g_dbus_connection_send_message(connection, reply, GDBusSendMessageFlags(rawValue: 0), nil, nil)
  g_object_unref(UnsafeMutableRawPointer(reply))
  g_object_unref(UnsafeMutableRawPointer(message))
  return nil
}
