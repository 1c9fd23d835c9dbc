// The built program on a test's desktop, observed and driven through its actions on the bus.

import Foundation
import TestSupport
import Testing

/// A running `photome`.
final class RunningPhotoMe {
  static let busName = "io.github.photome.PhotoMe"
  private static let objectPath = "/io/github/photome/PhotoMe"

  private let desktop: any ProgramDesktop
  private let monitor: ChildProcess
  private let program: ChildProcess
  private var notifications: AsyncStream<String>.Iterator

  /// Starts the program and returns when its actions are on the bus. Its test camera sends 10 frames a second unless
  /// `environment` says otherwise: several windows that draw 30 leave a busy machine no time for what is tested.
  ///
  /// - Parameter launcher: A command that runs the program.
  init(
    on desktop: any ProgramDesktop, _ arguments: [String], environment: [String: String] = [:], launcher: [String] = []
  ) async throws {
    self.desktop = desktop
    // Listens first, so that no notification is missed.
    monitor = try ChildProcess(
      "gdbus", ["monitor", "--session", "--dest", Self.busName, "--object-path", Self.objectPath],
      environment: desktop.environment, in: desktop.folder)
    notifications = monitor.lines.makeAsyncIterator()
    let command = launcher + [Self.executable] + arguments
    program = try ChildProcess(
      command[0], Array(command.dropFirst()),
      environment: desktop.environment.merging(["PHOTOME_TEST_RATE": "10"]) { $1 }.merging(environment) { $1 },
      in: desktop.folder)
  }

  deinit {
    program.terminate()
    monitor.terminate()
  }

  /// The program beside the test bundle.
  static var executable: String {
    // The bundle is one of the files that this process has mapped.
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    let bundle = maps.split(separator: "\n").first { $0.hasSuffix(".xctest") }?.drop { $0 != "/" }
    return URL(fileURLWithPath: String(bundle ?? "/")).deletingLastPathComponent()
      .appendingPathComponent("photome").path
  }

  /// Runs the program to its end, for options that need no desktop.
  static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> (
    status: Int32, output: [String], errors: String
  ) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let child = try ChildProcess(
      executable, arguments,
      environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"].merging(GStreamerRegistry.environment) { $1 }
        .merging(environment) { $1 }, in: folder)
    var output: [String] = []
    for await line in child.lines { output.append(line) }
    return (try await child.exitStatus(), output, child.errorText)
  }

  /// The program's standard error so far.
  var errorText: String { program.errorText }

  /// Calls an action as `gdbus call … org.gtk.Actions.Activate` does.
  func activate(_ action: String, _ parameter: String? = nil) async throws {
    let result = try await call("Activate", [action, parameter.map { "[<'\($0)'>]" } ?? "[]", "{}"])
    #expect(result.status == 0, "\(result.text)")
  }

  /// The same for an action with two string parameters.
  func activate(_ action: String, _ first: String, _ second: String) async throws {
    let result = try await call("Activate", [action, "[<('\(first)', '\(second)')>]", "{}"])
    #expect(result.status == 0, "\(result.text)")
  }

  /// Calls actions and then starts the program again, as the desktop does through the bus. All by one child: between two
  /// calls a busy test could wait longer than the program takes to end.
  func activateAndStartAgain(_ actions: [String]) async throws {
    let call = "gdbus call --session --dest \(Self.busName) --object-path \(Self.objectPath) --method"
    let calls =
      actions.map { "\(call) org.gtk.Actions.Activate \($0) [] {}" } + [
        "\(call) org.freedesktop.Application.Activate {}"
      ]
    let child = try ChildProcess(
      "sh", ["-c", calls.joined(separator: " && ")], environment: desktop.environment, in: desktop.folder)
    let status = try await child.exitStatus()
    #expect(status == 0, "\(child.errorText)")
  }

  /// The state of an action as text, `true` or `false` for a switch; `nil` without a program on the bus.
  func state(of action: String) async throws -> String? {
    let result = try await call("Describe", [action])
    guard result.status == 0 else { return nil }
    // ((true, signature '', [<'running'>]),)
    return result.text.firstMatch(of: #/\[<(?:'(.*)'|(true|false))>\]/#).map { String($0.1 ?? $0.2 ?? "") }
  }

  /// The texts that its windows show only in part.
  func cutTexts() async throws -> [String] {
    try await activate("find-cut-texts")
    // A text in GVariant's notation.
    return try await state(of: "cut-texts").map { $0.components(separatedBy: #"\n"#).filter { !$0.isEmpty } } ?? []
  }

  /// The width below which one of its windows can't be made, in pixels, and the parts that need it.
  func minimumWidth() async throws -> (width: Int, parts: String) {
    try await activate("find-cut-texts")
    let need = try #require(try await state(of: "minimum-width"))
    return (try #require(Int(need.prefix { $0.isNumber })), need)
  }

  /// Whether an action is enabled; `nil` without a program on the bus.
  func isEnabled(_ action: String) async throws -> Bool? {
    let result = try await call("Describe", [action])
    return result.status == 0 ? result.text.hasPrefix("((true") : nil
  }

  /// Waits until an action is enabled or disabled, checking again at each notification.
  func wait(for action: String, enabled: Bool) async throws {
    while try await isEnabled(action) != enabled {
      guard try await isNotified(before: action) else { return }
    }
  }

  /// Waits until an action's state is `wanted`, checking again at each notification.
  func wait(for action: String, _ wanted: (String) -> Bool) async throws {
    while true {
      if let state = try await state(of: action), wanted(state) { return }
      guard try await isNotified(before: action) else { return }
    }
  }

  /// Waits until a change of an action's state to `wanted` is notified, also when it is over meanwhile: a busy test may ask
  /// for the state of a countdown only after its end.
  func waitForChange(of action: String, _ wanted: (String) -> Bool) async throws {
    let state = try Regex("'\(action)': <'([^']*)'>", as: (Substring, Substring).self)
    while let line = await notifications.next() {
      if let change = line.firstMatch(of: state), wanted(String(change.output.1)) { return }
    }
    Issue.record("The bus monitor ended before “\(action)” changed: \(program.errorText)")
  }

  /// Waits for a change of an action, or of the program's name on the bus.
  ///
  /// - Returns: Whether there can be more; otherwise the test has failed.
  private func isNotified(before action: String) async throws -> Bool {
    guard program.isRunning else {
      let status = try await program.exitStatus()
      Issue.record("photome ended with \(status) before “\(action)” was as it should be: \(program.errorText)")
      return false
    }
    guard await notifications.next() != nil else {
      Issue.record("The bus monitor ended before “\(action)” was as it should be.")
      return false
    }
    return true
  }

  func wait(for action: String, _ wanted: String) async throws {
    try await wait(for: action) { $0 == wanted }
  }

  /// Ends the program through its action and returns its exit status.
  func quit() async throws -> Int32 {
    try await activate("quit")
    return try await program.exitStatus()
  }

  /// Ends the program with a signal and returns its exit status.
  func terminate() async throws -> Int32 {
    program.terminate()
    return try await program.exitStatus()
  }

  /// Ends the program as a crash would, and waits for its end.
  func kill() async throws {
    program.kill()
    _ = try await program.exitStatus()
  }

  private func call(_ method: String, _ arguments: [String]) async throws -> (status: Int32, text: String) {
    let child = try ChildProcess(
      "gdbus",
      [
        "call", "--session", "--dest", Self.busName, "--object-path", Self.objectPath, "--method",
        "org.gtk.Actions.\(method)",
      ] + arguments, environment: desktop.environment, in: desktop.folder)
    var text = ""
    for await line in child.lines { text += line + "\n" }
    return (try await child.exitStatus(), text + child.errorText)
  }
}
