// Real input on a test's desktop: keys, clicks, drags and window sizes, through the X server's XTest extension.

import Foundation
import TestSupport
import Testing

/// A point on the screen, in pixels.
struct ScreenPoint: Hashable {
  var x: Int
  var y: Int
}

/// Drives the windows of a `TestDesktop` with xdotool.
struct InputDriver {
  /// Whether xdotool is installed. Suites that need it are skipped without it.
  static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/xdotool") }

  let desktop: TestDesktop

  /// Gives a window the keyboard focus, by its title; waits for the window. There is no window manager to do it.
  func focus(_ title: String) async throws {
    try await run(["search", "--sync", "--onlyvisible", "--name", "^\(title)$", "windowfocus", "--sync"])
  }

  /// Resizes a window, by its title.
  func resize(_ title: String, width: Int, height: Int) async throws {
    try await run(["search", "--sync", "--onlyvisible", "--name", "^\(title)$", "windowsize", "\(width)", "\(height)"])
  }

  /// Resizes all windows that are shown, whatever their titles are.
  func resizeAll(width: Int, height: Int) async throws {
    try await run([
      "search", "--sync", "--onlyvisible", "--class", "photome", "windowsize", "%@", "\(width)", "\(height)",
    ])
  }

  /// Presses and releases keys one after another, by their X names: `space`, `Escape`, `ctrl+a`.
  func press(_ keys: String...) async throws { try await run(["key"] + keys) }

  /// Holds a key down, until `release`.
  func hold(_ key: String) async throws { try await run(["keydown", key]) }

  /// Releases a key.
  func release(_ key: String) async throws { try await run(["keyup", key]) }

  /// Clicks with the first button, optionally while a key is held down.
  func click(_ point: ScreenPoint, holding key: String? = nil) async throws {
    // The pointer has to enter a widget before it can click it.
    let click = [
      "mousemove", "\(point.x - 3)", "\(point.y - 3)", "mousemove", "\(point.x)", "\(point.y)", "click", "1",
    ]
    try await run(key.map { ["keydown", $0] + click + ["keyup", $0] } ?? click)
  }

  /// Clicks with the right button.
  func clickRight(_ point: ScreenPoint) async throws {
    try await run([
      "mousemove", "\(point.x - 3)", "\(point.y - 3)", "mousemove", "\(point.x)", "\(point.y)", "click", "3",
    ])
  }

  /// The directions of a wheel, by X's buttons.
  enum Turn: String {
    case up = "4"
    case down = "5"
  }

  /// Turns the wheel by some notches.
  func turnWheel(_ turn: Turn, by count: Int = 1, at point: ScreenPoint) async throws {
    try await run([
      "mousemove", "\(point.x)", "\(point.y)", "click", "--delay", "1", "--repeat", "\(count)", turn.rawValue,
    ])
  }

  /// Drags with the first button, in ten steps.
  func drag(from start: ScreenPoint, to end: ScreenPoint) async throws {
    var commands = ["mousemove", "\(start.x)", "\(start.y)", "mousedown", "1"]
    for step in 1...10 {
      commands += [
        "mousemove", "\(start.x + (end.x - start.x) * step / 10)", "\(start.y + (end.y - start.y) * step / 10)",
      ]
    }
    try await run(commands + ["mouseup", "1"])
  }

  /// Marks a window as a window manager does. GTK drops only on windows with that mark, and there is no window manager.
  ///
  /// - Parameter title: The window's.
  func markAsManaged(_ title: String) async throws {
    let child = try ChildProcess(
      "python3", ["-c", Self.marking, title], environment: desktop.environment, in: desktop.folder)
    #expect(try await child.exitStatus() == 0, "\(child.errorText)")
  }

  /// Sets `WM_STATE` to “normal”, without an icon's window.
  private static let marking = """
    import ctypes, sys
    x = ctypes.CDLL('libX11.so.6')
    for name in ('XOpenDisplay', 'XInternAtom', 'XDefaultRootWindow'):
        getattr(x, name).restype = ctypes.c_ulong if name != 'XOpenDisplay' else ctypes.c_void_p
    display = ctypes.c_void_p(x.XOpenDisplay(None))
    state = ctypes.c_ulong(x.XInternAtom(display, b'WM_STATE', 0))
    root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
    windows = ctypes.POINTER(ctypes.c_ulong)()
    x.XQueryTree(display, ctypes.c_ulong(x.XDefaultRootWindow(display)), ctypes.byref(root), ctypes.byref(parent),
                 ctypes.byref(windows), ctypes.byref(count))
    found = 0
    for window in windows[:count.value]:
        name = ctypes.c_char_p()
        x.XFetchName(display, ctypes.c_ulong(window), ctypes.byref(name))
        if name.value == sys.argv[1].encode():
            x.XChangeProperty(display, ctypes.c_ulong(window), state, state, 32, 0, (ctypes.c_ulong * 2)(1, 0), 2)
            found += 1
    x.XCloseDisplay(display)
    sys.exit(0 if found else 'no such window')
    """

  /// Moves the pointer.
  func move(to point: ScreenPoint) async throws { try await run(["mousemove", "\(point.x)", "\(point.y)"]) }

  /// Presses the first button, and moves the pointer so far that a drag begins. It goes on with `move` and `drop`.
  func beginDrag(at start: ScreenPoint) async throws {
    try await run(
      ["mousemove", "\(start.x)", "\(start.y)", "mousedown", "1"]
        + (1...10).flatMap { ["mousemove", "\(start.x + 2 * $0)", "\(start.y)"] })
  }

  /// Releases the first button.
  func drop() async throws { try await run(["mouseup", "1"]) }

  @discardableResult private func run(_ arguments: [String]) async throws -> String {
    while true {
      let child = try ChildProcess("xdotool", arguments, environment: desktop.environment, in: desktop.folder)
      var output = ""
      for await line in child.lines { output += line + "\n" }
      let status = try await child.exitStatus()
      // A window that closed while the search was looking at it.
      if status != 0, arguments.first == "search", child.errorText.contains("BadWindow") { continue }
      #expect(status == 0, "xdotool \(arguments.joined(separator: " ")): \(child.errorText)")
      return output
    }
  }
}
