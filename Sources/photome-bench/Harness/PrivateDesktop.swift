// A private desktop for measurements: X server, session bus, sound, PipeWire, an empty home.

import Foundation

/// Brings the servers up, in a folder of its own, and takes them down again.
///
/// Nothing of the person's desktop is used or changed: neither their cameras and microphones, nor their settings, nor
/// their photos.
final class PrivateDesktop {
  /// Larger than any window that is measured.
  static let screenSize = (width: 2048, height: 1400)

  let folder: URL
  /// The environment of programs on this desktop.
  private(set) var environment: [String: String]
  let screen: Screen
  private var servers: [ChildProcess] = []

  /// Starts everything and returns when it answers, after about a second.
  init(keeping folder: URL) throws {
    self.folder = folder
    for name in ["run", "home/Pictures", "home/.config", "home/.cache", "home/.local/share", "log"] {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    chmod(folder.appendingPathComponent("run").path, 0o700)
    environment = Self.environment(in: folder)
    let missing = [("Xvfb", "xvfb"), ("dbus-daemon", "dbus")].filter { !ChildProcess.exists($0.0) }
    guard missing.isEmpty else {
      throw BenchError(
        "\(missing.map(\.0).joined(separator: ", ")) missing: apt install \(missing.map(\.1).joined(separator: " ")).")
    }
    let (width, height) = Self.screenSize
    let server = try ChildProcess(
      ["Xvfb", "-displayfd", "1", "-screen", "0", "\(width)x\(height)x24", "-nolisten", "tcp", "-noreset"],
      environment: environment, log: folder.appendingPathComponent("log/xvfb"))
    var display = ""
    let isUp = waitUntil(seconds: 10) {
      let text = (try? String(contentsOf: server.log, encoding: .utf8)) ?? ""
      display = text.split(separator: "\n").last { Int($0) != nil }.map { ":\($0)" } ?? ""
      return !display.isEmpty && text.hasSuffix("\n")
    }
    guard isUp else { throw BenchError("The X server did not come up: \(server.lastWords)") }
    environment["DISPLAY"] = display
    screen = try Screen(display: display)
    servers.append(server)
    try write("XDG_PICTURES_DIR=\"$HOME/Pictures\"\nXDG_VIDEOS_DIR=\"$HOME/Videos\"\n", to: ".config/user-dirs.dirs")
    try startBus()
    startAccessibility()
    startSound()
    try startPipeWire()
  }

  /// Ends the servers, the last one first.
  func end() {
    if !servers.isEmpty { screen.close() }
    while let server = servers.popLast() { server.end() }
  }

  deinit { end() }

  /// Starts a program on this desktop.
  func start(_ command: [String], with variables: [String: String] = [:]) throws -> ChildProcess {
    let name = URL(fileURLWithPath: command[0]).lastPathComponent
    return try ChildProcess(
      command, environment: environment.merging(variables) { $1 },
      log: folder.appendingPathComponent("log/\(name)-\(UUID().uuidString.prefix(8))"))
  }

  /// Runs a program on this desktop to its end; `nil` when it failed.
  func output(of command: [String]) -> String? {
    ChildProcess.output(of: command, environment: environment, folder: folder)
  }

  /// The Pictures folder of programs on this desktop.
  var pictures: URL { folder.appendingPathComponent("home/Pictures") }

  /// The user data of programs on this desktop.
  var data: URL { folder.appendingPathComponent("home/.local/share") }

  /// A file under the home of this desktop is written before a program reads it.
  func write(_ text: String, to path: String) throws {
    let url = folder.appendingPathComponent("home/\(path)")
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private static func environment(in folder: URL) -> [String: String] {
    let home = folder.appendingPathComponent("home").path
    let run = folder.appendingPathComponent("run").path
    let own = ProcessInfo.processInfo.environment
    return [
      "PATH": own["PATH"] ?? "/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8",
      "XDG_RUNTIME_DIR": run, "XDG_CONFIG_HOME": "\(home)/.config", "XDG_CACHE_HOME": "\(home)/.cache",
      "XDG_DATA_HOME": "\(home)/.local/share", "XDG_SESSION_TYPE": "x11", "XDG_CURRENT_DESKTOP": "GNOME",
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(run)/bus", "PULSE_SERVER": "unix:\(run)/pulse",
      "GDK_BACKEND": "x11", "GSETTINGS_BACKEND": "keyfile", "GIO_USE_VFS": "local",
      // An X server without a graphics card: cairo is what GTK 4 does best there, and GTK 3 has nothing else.
      "GSK_RENDERER": own["GSK_RENDERER"] ?? "cairo", "LIBGL_ALWAYS_SOFTWARE": "1",
    ]
  }

  /// A bus that starts no services: what is not measured is not there.
  private func startBus() throws {
    let configuration = folder.appendingPathComponent("bus.conf")
    let text = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>unix:path=\(folder.path)/run/bus</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
      </busconfig>
      """
    try Data(text.utf8).write(to: configuration)
    let bus = try serve(
      ["dbus-daemon", "--config-file=\(configuration.path)", "--nofork", "--nopidfile", "--nosyslog"])
    guard waitUntil(seconds: 5, { exists("run/bus") }) else {
      throw BenchError("The session bus did not come up: \(bus.lastWords)")
    }
  }

  /// The accessible tree's bus, which every desktop has and every program connects to when it starts.
  private func startAccessibility() {
    let launcher = "/usr/libexec/at-spi-bus-launcher"
    guard ChildProcess.exists(launcher), (try? serve([launcher, "--launch-immediately"])) != nil else { return }
    _ = waitUntil(seconds: 5) { exists("run/at-spi") }
  }

  /// A microphone that hears silence. Without PulseAudio the measurements go on without sound.
  private func startSound() {
    guard ChildProcess.exists("pulseaudio") else { return }
    let script = """
      load-module module-native-protocol-unix auth-anonymous=1 socket=\(folder.path)/run/pulse
      load-module module-null-sink sink_name=speaker rate=48000 channels=2
      load-module module-remap-source master=speaker.monitor source_name=microphone source_properties=device.description=Microphone
      set-default-source microphone
      """
    let file = folder.appendingPathComponent("sound.pa")
    guard (try? Data(script.utf8).write(to: file)) != nil else { return }
    let server = try? serve([
      "pulseaudio", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes",
      "--realtime=no", "--high-priority=no", "-n", "-F", file.path,
    ])
    hasSound = server != nil && waitUntil(seconds: 5) { exists("run/pulse") }
  }

  private(set) var hasSound = false

  /// PipeWire with its session manager, configured to leave the machine's own devices alone: in the form of
  /// WirePlumber 0.4 and in that of 0.5.
  private func startPipeWire() throws {
    guard ChildProcess.exists("pipewire"), ChildProcess.exists("wireplumber") else { return }
    try write(
      "alsa_monitor.enabled = false\nv4l2_monitor.enabled = false\nlibcamera_monitor.enabled = false\n",
      to: ".config/wireplumber/main.lua.d/60-no-devices.lua")
    try write(
      "bluez_monitor.enabled = false\n", to: ".config/wireplumber/bluetooth.lua.d/60-no-devices.lua")
    try write(
      """
      wireplumber.profiles = {
        main = {
          monitor.alsa = disabled, monitor.v4l2 = disabled, monitor.libcamera = disabled, monitor.bluez = disabled
        }
      }
      """, to: ".config/wireplumber/wireplumber.conf.d/60-no-devices.conf")
    try serve(["pipewire"])
    guard waitUntil(seconds: 5, { exists("run/pipewire-0") }) else { return }
    try serve(["wireplumber"])
    hasPipeWire = waitUntil(seconds: 8, interval: 0.05) {
      output(of: ["wpctl", "status"])?.contains("WirePlumber") == true
    }
  }

  /// Whether a camera can be offered to every program; when not, no figure that needs one can be measured.
  private(set) var hasPipeWire = false

  @discardableResult
  private func serve(_ command: [String]) throws -> ChildProcess {
    let server = try start(command)
    servers.append(server)
    return server
  }

  private func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
  }
}
