// A Wayland desktop for one test: a compositor without a screen, a session bus and a home folder of its own.

import Foundation
import Glibc
import TestSupport
import Testing

/// sway with one output in memory, a message bus, and folders. Everything ends with this object.
///
/// A program's only window fills the output. Positions are in the layout's pixels: those of the output divided by its scale.
final class WaylandDesktop: ProgramDesktop {
  /// Whether the compositor and its screenshots are installed. Suites that need them are skipped without them.
  static let isPossible = Command.areInstalled("sway", "swaymsg", "grim")
  /// Whether Mesa's software renderer is installed, by which GTK draws with GL where there is no GPU.
  static let hasGL: Bool = {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
    return folders.contains { FileManager.default.fileExists(atPath: "/usr/lib/\($0)/dri/swrast_dri.so") }
  }()

  /// The output's size in the layout's pixels.
  static let size = (width: 1000, height: 740)

  let folder: URL
  let environment: [String: String]
  let scale: Int

  private let compositor: ChildProcess
  private let bus: ChildProcess

  /// Starts compositor and bus and returns when both accept clients.
  init(scale: Int = 1, renderer: String = "cairo") async throws {
    self.scale = scale
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("photome-wayland-\(UUID().uuidString)")
    for name in ["home", "run", "compositor"] {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true,
        attributes: [.posixPermissions: name == "run" ? 0o700 : 0o755])
    }
    try TestDesktop.rememberWelcome(in: folder)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let home = folder.appendingPathComponent("home").path
    let bare = ["PATH": path, "HOME": home, "LC_ALL": "C.UTF-8", "LIBGL_ALWAYS_SOFTWARE": "1"]
    compositor = try Self.startCompositor(in: folder.appendingPathComponent("compositor"), scale: scale, path: path)
    guard let sockets = await TestDesktop.firstLine(of: compositor)?.split(separator: " "), sockets.count == 2 else {
      throw MissingTool(description: "No Wayland compositor. \(compositor.errorText)")
    }
    let address: String
    (bus, address) = try await TestDesktop.startBus(in: folder, environment: bare)
    // The compositor's sockets are in its own folder: programs run as another user when it may not run as this one.
    environment = bare.merging(TestDesktop.programEnvironment(in: folder)) { $1 }.merging([
      "WAYLAND_DISPLAY": folder.appendingPathComponent("compositor/\(sockets[0])").path, "SWAYSOCK": String(sockets[1]),
      "DBUS_SESSION_BUS_ADDRESS": address, "GDK_BACKEND": "wayland", "GSK_RENDERER": renderer,
    ]) { $1 }
  }

  deinit {
    bus.terminate()
    compositor.terminate()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func startCompositor(in folder: URL, scale: Int, path: String) throws -> ChildProcess {
    let configuration = folder.appendingPathComponent("sway.conf")
    // sway says the names of its sockets to what it starts.
    let text = """
      xwayland disable
      output HEADLESS-1 resolution \(size.width * scale)x\(size.height * scale) scale \(scale)
      default_border none
      exec echo $WAYLAND_DISPLAY $SWAYSOCK

      """
    try Data(text.utf8).write(to: configuration)
    let environment = [
      "PATH": path, "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "LC_ALL": "C.UTF-8",
      "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman",
    ]
    var command = ["sway", "-c", configuration.path]
    if geteuid() == 0 {
      // sway refuses to run as root.
      let nobody: (user: uid_t, group: gid_t) = (65534, 65534)
      guard chown(folder.path, nobody.user, nobody.group) == 0 else { throw POSIXError(.EPERM) }
      command = ["setpriv", "--reuid=\(nobody.user)", "--regid=\(nobody.group)", "--clear-groups"] + command
    }
    return try ChildProcess(command[0], Array(command.dropFirst()), environment: environment, in: folder)
  }

  /// Runs sway's commands one after another.
  ///
  /// - Throws: `CommandFailure` when one of them fails.
  func command(_ commands: String...) async throws {
    try await run("swaymsg", ["--quiet", commands.joined(separator: "; ")])
  }

  /// Waits until the window with this title has the keyboard.
  func waitForFocus(on title: String) async throws {
    // Listens first, so that no change is missed.
    let changes = try ChildProcess(
      "swaymsg", ["-t", "subscribe", "-m", "-r", "[\"window\"]"], environment: environment, in: folder)
    defer { changes.terminate() }
    var lines = changes.lines.makeAsyncIterator()
    repeat {
      let tree = try await run("swaymsg", ["-t", "get_tree", "-r"])
      if try JSONDecoder().decode(Node.self, from: Data(tree.utf8)).focus?.name == title { return }
    } while await lines.next() != nil
    Issue.record("sway ended before “\(title)” had the keyboard.")
  }

  /// A part of sway's tree, down to the windows.
  private struct Node: Decodable {
    var name: String?
    var focused: Bool
    var nodes: [Node]
    var floatingNodes: [Node]

    enum CodingKeys: String, CodingKey {
      case name, focused, nodes
      case floatingNodes = "floating_nodes"
    }

    /// What has the keyboard, in this part.
    var focus: Node? { focused ? self : (nodes + floatingNodes).lazy.compactMap(\.focus).first }
  }

  /// Takes a screenshot.
  ///
  /// - Parameter part: In the layout's pixels; `nil` for the whole output.
  func screenshot(of part: ScreenPart? = nil) async throws -> ScreenCapture {
    let file = folder.appendingPathComponent("screen-\(UUID().uuidString).ppm")
    let region = part.map { ["-g", "\($0.x),\($0.y) \($0.width)x\($0.height)"] } ?? []
    try await run("grim", ["-t", "ppm"] + region + [file.path])
    defer { try? FileManager.default.removeItem(at: file) }
    return try ScreenCapture(of: file)
  }

  @discardableResult private func run(_ program: String, _ arguments: [String]) async throws -> String {
    let child = try ChildProcess(program, arguments, environment: environment, in: folder)
    var output = ""
    for await line in child.lines { output += line + "\n" }
    guard try await child.exitStatus() == 0 else {
      throw CommandFailure(output: "\(program) \(arguments.joined(separator: " ")): \(output)\(child.errorText)")
    }
    return output
  }
}
