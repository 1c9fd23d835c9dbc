// Cameras on a test's desktop, through a PipeWire of its own.

import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// PipeWire with its session manager, which leave the machine's own devices alone, and photome-bench's virtual cameras.
/// Everything ends with this object.
final class PipeWireCameras {
  /// Whether there can be cameras, and no others than these: those of the machine would be counted as well.
  static let arePossible: Bool = {
    let nodes = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
    return Command.areInstalled("pipewire", "wireplumber", "wpctl", "pw-cli")
      && FileManager.default.isExecutableFile(atPath: bench) && !nodes.contains { $0.hasPrefix("video") }
  }()

  /// The program that shows the test camera's frames as a PipeWire camera, beside the one under test.
  private static var bench: String {
    URL(fileURLWithPath: RunningPhotoMe.executable).deletingLastPathComponent().appendingPathComponent("photome-bench")
      .path
  }

  private let desktop: TestDesktop
  private var servers: [ChildProcess] = []
  private var cameras: [String: (process: ChildProcess, id: pid_t)] = [:]

  /// The id of a camera in PhotoMe.
  static func id(_ name: String) -> String { "pipewire:\(name)" }

  /// Starts PipeWire, and returns when it and its session manager answer.
  init(on desktop: TestDesktop) async throws {
    self.desktop = desktop
    let configuration = URL(fileURLWithPath: desktop.environment["XDG_CONFIG_HOME"] ?? desktop.folder.path)
    // In the form of WirePlumber 0.4 and in that of 0.5.
    for (path, text) in [
      (
        "main.lua.d/60-no-devices.lua",
        "alsa_monitor.enabled = false\nv4l2_monitor.enabled = false\nlibcamera_monitor.enabled = false\n"
      ), ("bluetooth.lua.d/60-no-devices.lua", "bluez_monitor.enabled = false\n"),
      (
        "wireplumber.conf.d/60-no-devices.conf",
        """
        wireplumber.profiles = {
          main = {
            monitor.alsa = disabled, monitor.v4l2 = disabled, monitor.libcamera = disabled, monitor.bluez = disabled
          }
        }
        """
      ),
    ] {
      let file = configuration.appendingPathComponent("wireplumber/\(path)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    for (server, question, answer) in [
      ("pipewire", ["pw-cli", "info", "0"], "PipeWire"), ("wireplumber", ["wpctl", "status"], "WirePlumber"),
    ] {
      let process = try ChildProcess(server, [], environment: desktop.environment, in: desktop.folder)
      servers.append(process)
      try await wait(for: process, question) { $0.contains(answer) }
    }
  }

  deinit {
    // One that stands still ends by nothing else.
    for camera in cameras.values { camera.process.kill() }
    for server in servers.reversed() { server.terminate() }
  }

  /// Plugs a camera in, and returns when every program can see it.
  func plugIn(_ name: String) async throws {
    // The shell says its process's id and then becomes the camera.
    let process = try ChildProcess(
      "/bin/sh", ["-c", #"echo $$; exec "$0" camera "$1" --size 640x360"#, Self.bench, name],
      environment: desktop.environment, in: desktop.folder)
    var id: pid_t?
    for await line in process.lines {
      id = pid_t(line)
      break
    }
    guard let id else { throw MissingTool(description: "The camera did not start. \(process.errorText)") }
    cameras[name] = (process, id)
    try await wait(for: process, ["pw-cli", "ls", "Node"]) { $0.contains("\"\(name)\"") }
  }

  /// Makes a camera stand still: it is there and sends nothing.
  func freeze(_ name: String) { cameras[name].map { _ = Self.send(SIGSTOP, to: $0.id) } }

  func unplug(_ name: String) { cameras.removeValue(forKey: name)?.process.kill() }

  private static func send(_ signal: Int32, to process: pid_t) -> Int32 { kill(process, signal) }

  /// Asks a program again and again until its output is as it should be.
  ///
  /// - Throws: `MissingTool` when `process` ends meanwhile.
  private func wait(for process: ChildProcess, _ question: [String], _ wanted: (String) -> Bool) async throws {
    while true {
      let child = try ChildProcess(
        question[0], Array(question.dropFirst()), environment: desktop.environment, in: desktop.folder)
      var text = ""
      for await line in child.lines { text += line + "\n" }
      _ = try await child.exitStatus()
      if wanted(text) { return }
      guard process.isRunning else { throw MissingTool(description: process.errorText) }
    }
  }
}
