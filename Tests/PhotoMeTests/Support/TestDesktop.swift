// A desktop for one test: an X server, a session bus and a home folder of its own.

import Foundation
import TestSupport

/// A tool that the tests need isn't installed.
struct MissingTool: Error, CustomStringConvertible {
  var description: String
}

/// What a running program needs to know of its desktop.
protocol ProgramDesktop: AnyObject {
  /// A folder for the test's files.
  var folder: URL { get }
  /// The environment of programs on this desktop.
  var environment: [String: String] { get }
}

/// An X server on a free display, a message bus, and folders. Everything ends with this object.
final class TestDesktop: ProgramDesktop {
  let folder: URL
  /// The environment of programs on this desktop.
  let environment: [String: String]
  /// The X server's screen as a file in the XWD format, always up to date.
  let screen: URL

  private let server: ChildProcess
  private let bus: ChildProcess

  /// Starts server and bus and returns when both accept clients.
  init() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-desktop-\(UUID().uuidString)")
    let home = folder.appendingPathComponent("home")
    for name in ["home", "run", "screen"] {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    try Self.rememberWelcome(in: folder)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let bare = ["PATH": path, "HOME": home.path, "LC_ALL": "C.UTF-8"]

    // The server looks for a free display itself, and prints its number once it accepts clients.
    server = try ChildProcess(
      "Xvfb",
      [
        "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset", "-fbdir",
        folder.appendingPathComponent("screen").path,
      ], environment: bare, in: folder)
    screen = folder.appendingPathComponent("screen/Xvfb_screen0")
    guard let display = await Self.firstLine(of: server) else {
      throw MissingTool(description: "No X server. Install the package xvfb. \(server.errorText)")
    }
    let address: String
    (bus, address) = try await Self.startBus(in: folder, environment: bare)
    environment = bare.merging([
      "DISPLAY": ":\(display)", "DBUS_SESSION_BUS_ADDRESS": address, "GDK_BACKEND": "x11",
    ]) { $1 }.merging(Self.programEnvironment(in: folder)) { $1 }
  }

  deinit {
    bus.terminate()
    server.terminate()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Settings of somebody who has closed the first-run page, which would cover the window.
  static func rememberWelcome(in folder: URL) throws {
    let settings = folder.appendingPathComponent("home/config/photome")
    try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
    try Data("{}".utf8).write(to: settings.appendingPathComponent("settings.json"))
  }

  /// A bus that starts no services: no portal, no settings daemon and no accessibility bus.
  private static let busConfiguration = """
    <busconfig>
      <type>session</type>
      <listen>unix:tmpdir=/tmp</listen>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """

  /// The folders of programs; software rendering; no accessibility bus, settings daemon or portal to wait for.
  static func programEnvironment(in folder: URL) -> [String: String] {
    let home = folder.appendingPathComponent("home")
    return [
      "XDG_RUNTIME_DIR": folder.appendingPathComponent("run").path,
      "XDG_CONFIG_HOME": home.appendingPathComponent("config").path,
      "XDG_STATE_HOME": home.appendingPathComponent("state").path,
      "XDG_DATA_HOME": home.appendingPathComponent("data").path,
      "XDG_CACHE_HOME": home.appendingPathComponent("cache").path,
      "GSK_RENDERER": "cairo", "GTK_A11Y": "none", "GSETTINGS_BACKEND": "memory", "GTK_USE_PORTAL": "0",
      "GDK_DEBUG": "",
    ].merging(GStreamerRegistry.environment) { $1 }
  }

  /// Starts a session bus and returns when it accepts clients.
  static func startBus(
    in folder: URL, environment: [String: String]
  ) async throws -> (bus: ChildProcess, address: String) {
    let configuration = folder.appendingPathComponent("bus.conf")
    try Data(busConfiguration.utf8).write(to: configuration)
    let bus = try ChildProcess(
      "dbus-daemon", ["--config-file=\(configuration.path)", "--nofork", "--print-address=1"],
      environment: environment, in: folder)
    guard let address = await firstLine(of: bus) else {
      throw MissingTool(description: "No message bus. Install the package dbus. \(bus.errorText)")
    }
    return (bus, address)
  }

  static func firstLine(of child: ChildProcess) async -> String? {
    for await line in child.lines { return line }
    return nil
  }

  /// Takes a screenshot.
  func screenshot() throws -> Screenshot { try Screenshot(of: screen) }
}
