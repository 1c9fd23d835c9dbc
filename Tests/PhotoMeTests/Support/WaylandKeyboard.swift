// A keyboard on a test's Wayland desktop.

import Foundation
import TestSupport

/// Presses keys with wtype, through the compositor's virtual keyboards.
final class WaylandKeyboard {
  /// Whether wtype is installed. Suites that need it are skipped without it.
  static let isInstalled = Command.areInstalled("wtype")

  private let desktop: WaylandDesktop
  private let holder: ChildProcess

  /// Plugs a keyboard in. To be called before a program starts: each wtype brings a keyboard and takes it away, and a
  /// program that has seen none would get the keys of the first one only after it is gone.
  init(on desktop: WaylandDesktop) throws {
    self.desktop = desktop
    // In milliseconds; it ends with this object.
    holder = try ChildProcess("wtype", ["-s", "\(30 * 60_000)"], environment: desktop.environment, in: desktop.folder)
  }

  deinit { holder.terminate() }

  /// Presses and releases keys one after another, by their X names, with modifiers: `space`, `ctrl+shift+z`.
  func press(_ keys: String...) async throws {
    for key in keys {
      let parts = key.split(separator: "+").map(String.init)
      let modifiers = parts.dropLast()
      // As keyboards have it: Tab has a name of its own with Shift.
      let name = parts == ["shift", "Tab"] ? "ISO_Left_Tab" : parts.last ?? ""
      let arguments = modifiers.flatMap { ["-M", $0] } + ["-k", name] + modifiers.reversed().flatMap { ["-m", $0] }
      let child = try ChildProcess("wtype", arguments, environment: desktop.environment, in: desktop.folder)
      for await _ in child.lines {}
      guard try await child.exitStatus() == 0 else { throw CommandFailure(output: "wtype \(key): \(child.errorText)") }
    }
  }
}
