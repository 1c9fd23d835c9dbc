// A client of the accessibility bus: what a screen reader asks of the program, and hears from it.

import CGtk
import CameraCore
import Foundation
import TestSupport

/// The accessible objects of a running program, by AT-SPI's interfaces on D-Bus.
///
/// Without a main loop: questions wait for their answers, on threads of their own, and GDBus's thread hands over the events.
final class AccessibilityBus: @unchecked Sendable {
  // Sendable: no property ever changes, and the connection may be used on any thread.
  private let connection: OpaquePointer
  private let eventSink: AsyncStream<AccessibleEvent>.Continuation
  /// The program's unique name on the bus.
  private let program: String

  /// What the program has told since the connection was made; for one reader.
  let events: AsyncStream<AccessibleEvent>

  private static let root = "/org/a11y/atspi/accessible/root"
  private static let accessible = "org.a11y.atspi.Accessible"
  /// In milliseconds: a program that doesn't answer for so long hangs.
  private static let patience: Int32 = 30_000

  /// Whether the accessibility bus is installed. Suites that need it are skipped without it.
  static let isInstalled = launcher != nil

  private static let launcher = ["/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Starts the bus on a desktop. It ends with the child.
  static func start(on desktop: TestDesktop) async throws -> ChildProcess {
    guard let launcher else { throw MissingTool(description: "No accessibility bus. Install at-spi2-core.") }
    let child = try ChildProcess(
      launcher, ["--launch-immediately"], environment: desktop.environment, in: desktop.folder)
    _ = try await output(of: ["wait", "--session", "--timeout", "30", "org.a11y.Bus"], on: desktop)
    return child
  }

  /// Connects to the bus, and waits for a program on it.
  ///
  /// - Parameter name: The program's name, as it tells it.
  init(on desktop: TestDesktop, program name: String) async throws {
    let answer = try await Self.output(
      of: [
        "call", "--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus", "--method",
        "org.a11y.Bus.GetAddress",
      ], on: desktop)
    let address = answer.firstMatch(of: #/'(.*)'/#).map { String($0.1) } ?? ""
    let flags =
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
    guard
      let made = g_dbus_connection_new_for_address_sync(address, GDBusConnectionFlags(rawValue: flags), nil, nil, nil)
    else { throw MissingTool(description: "No connection to the accessibility bus at “\(address)”.") }
    connection = made
    (events, eventSink) = AsyncStream.makeStream(of: AccessibleEvent.self)
    program = try Self.find(name, by: made)
    g_dbus_connection_add_filter(connection, hearEvent, Unmanaged.passUnretained(self).toOpaque(), nil)
    let rule = "type='signal',sender='\(program)',interface='org.a11y.atspi.Event.Object'"
    _ = try Self.call(
      made, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", "(\"\(rule)\",)")
  }

  deinit {
    g_dbus_connection_close_sync(connection, nil, nil)
    g_object_unref(UnsafeMutableRawPointer(connection))
    eventSink.finish()
  }

  private static func output(of arguments: [String], on desktop: TestDesktop) async throws -> String {
    let child = try ChildProcess("gdbus", arguments, environment: desktop.environment, in: desktop.folder)
    var text = ""
    for await line in child.lines { text += line }
    guard try await child.exitStatus() == 0 else { throw MissingTool(description: child.errorText) }
    return text
  }

  private static func find(_ name: String, by connection: OpaquePointer) throws -> String {
    while true {
      let programs = try call(connection, "org.a11y.atspi.Registry", root, accessible, "GetChildren", "()")[0]
      for program in programs.children.map({ $0[0].string }) {
        let found = try call(
          connection, program, root, "org.freedesktop.DBus.Properties", "Get", "('\(accessible)', 'Name')")
        if found[0].inner.string == name { return program }
      }
      try Task.checkCancellation()
    }
  }

  // MARK: Questions

  /// The program's accessible objects as they are now.
  ///
  /// GTK makes an object when its parent is asked for its children, and tells all of those that it has made with one
  /// answer. So the generations are asked for one after another, each with all questions at once.
  func tree() async throws -> AccessibleTree { try await Blocking.run { try self.treeOnThisThread() } }

  private func treeOnThisThread() throws -> AccessibleTree {
    var children: [String: [String]] = [:]
    var generation = [Self.root]
    while !generation.isEmpty {
      let answers = askForChildren(of: generation)
      for (path, found) in zip(generation, answers) { children[path] = found }
      generation = answers.joined().filter { children[$0] == nil }
    }
    var objects: [String: AccessibleObject] = [:]
    for object in try knownObjects() { objects[object.path] = object }
    return AccessibleTree(root: Self.root, objects: objects, children: children)
  }

  /// The object with the keyboard focus, if it has been in a tree before.
  func focus() async throws -> AccessibleObject? {
    try await Blocking.run { try self.knownObjects().first(where: \.isFocused) }
  }

  /// The objects that have been asked for, in one answer; those of closed windows stay among them for a while.
  private func knownObjects() throws -> [AccessibleObject] {
    try Self.call(connection, program, "/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems", "()")[0].children
      .map(AccessibleObject.init)
  }

  /// Whether an object has the keyboard focus now; not when it is gone.
  func isFocused(_ path: String) async -> Bool {
    await Blocking.run {
      let states = try? Self.call(self.connection, self.program, path, Self.accessible, "GetState", "()")[0].children
      return states.map { AccessibleStates($0).contains(.focused) } ?? false
    }
  }

  private func askForChildren(of paths: [String]) -> [[String]] {
    let context = g_main_context_new()
    g_main_context_push_thread_default(context)
    defer {
      g_main_context_pop_thread_default(context)
      g_main_context_unref(context)
    }
    let answers = ChildrenAnswers(count: paths.count)
    for (index, path) in paths.enumerated() {
      let question = Unmanaged.passRetained(ChildrenQuestion(index: index, answers: answers)).toOpaque()
      g_dbus_connection_call(
        connection, program, path, Self.accessible, "GetChildren", nil, nil, G_DBUS_CALL_FLAGS_NONE, Self.patience,
        nil, takeChildren, question)
    }
    while answers.isWaiting { g_main_context_iteration(context, 1) }
    return answers.paths
  }

  /// Presses a button, opens a menu, and so on: the object's first action.
  ///
  /// - Returns: Whether the program has done it.
  func act(on object: AccessibleObject) async throws -> Bool {
    try await Blocking.run {
      try Self.call(self.connection, self.program, object.path, "org.a11y.atspi.Action", "DoAction", "(0,)")[0].number
        != 0
    }
  }

  /// Where an object is in its window, in pixels; `nil` for one that is nowhere.
  func frame(of object: AccessibleObject) async throws -> ScreenPart? {
    guard object.interfaces.contains("org.a11y.atspi.Component") else { return nil }
    let frame = try await Blocking.run {
      // 1: relative to the window.
      try Self.call(
        self.connection, self.program, object.path, "org.a11y.atspi.Component", "GetExtents", "(@u 1,)")[0].children
        .map(\.number)
    }
    return ScreenPart(x: frame[0], y: frame[1], width: frame[2], height: frame[3])
  }

  private static func call(
    _ connection: OpaquePointer, _ destination: String, _ path: String, _ interface: String, _ method: String,
    _ parameters: String
  ) throws -> BusValue {
    var failure: UnsafeMutablePointer<GError>?
    let reply = g_dbus_connection_call_sync(
      connection, destination, path, interface, method, g_variant_parse(nil, parameters, nil, nil, nil), nil,
      G_DBUS_CALL_FLAGS_NONE, patience, nil, &failure)
    guard let reply else {
      let text = failure.map { String(cString: $0.pointee.message) } ?? ""
      g_clear_error(&failure)
      throw CommandFailure(output: "\(method) of \(path): \(text)")
    }
    return BusValue(adopting: reply)
  }

  // MARK: Events

  fileprivate func hear(_ message: OpaquePointer) {
    guard let path = g_dbus_message_get_path(message), let member = g_dbus_message_get_member(message),
      let body = g_dbus_message_get_body(message), g_variant_is_of_type(body, Self.eventType) != 0
    else { return }
    let parts = BusValue(retaining: body)
    eventSink.yield(
      AccessibleEvent(
        path: String(cString: path), name: String(cString: member), detail: parts[0].string, isOn: parts[1].number != 0,
        text: parts[3].inner.text))
  }

  /// Of an event: detail, two numbers, a value, properties.
  nonisolated(unsafe) private static let eventType = g_variant_type_new("(siiva{sv})")  // never changed or freed
}

/// Something that an accessible object has told.
struct AccessibleEvent: Sendable {
  /// The object's.
  var path: String
  /// `StateChanged`, `PropertyChange`, and so on.
  var name: String
  /// The state or the property.
  var detail: String
  /// Whether the state has begun.
  var isOn: Bool
  /// The property’s new value, where it is a text.
  var text: String?
}

/// The answers to questions that were asked at once.
private final class ChildrenAnswers {
  var paths: [[String]]
  private var waiting: Int

  init(count: Int) {
    paths = Array(repeating: [], count: count)
    waiting = count
  }

  var isWaiting: Bool { waiting > 0 }

  func take(_ children: [String], at index: Int) {
    paths[index] = children
    waiting -= 1
  }
}

/// One of the questions.
private final class ChildrenQuestion {
  let index: Int
  let answers: ChildrenAnswers

  init(index: Int, answers: ChildrenAnswers) { (self.index, self.answers) = (index, answers) }
}

/// Called on the thread that asked, in its own context.
private nonisolated func takeChildren(
  connection: UnsafeMutablePointer<GObject>?, result: OpaquePointer?, data: gpointer?
) {
  guard let data, let connection else { return }
  let question = Unmanaged<ChildrenQuestion>.fromOpaque(data).takeRetainedValue()
  // An object that has gone meanwhile has no children.
  let reply = g_dbus_connection_call_finish(OpaquePointer(connection), result, nil).map(BusValue.init(adopting:))
  question.answers.take(reply?[0].children.map { $0[1].string } ?? [], at: question.index)
}

/// Called on GDBus's thread, with a message that is passed on.
private nonisolated func hearEvent(
  connection: OpaquePointer?, message: OpaquePointer?, isIncoming: gboolean, data: gpointer?
) -> OpaquePointer? {
  if isIncoming != 0, let message, let data, g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_SIGNAL {
    Unmanaged<AccessibilityBus>.fromOpaque(data).takeUnretainedValue().hear(message)
  }
  return message
}
