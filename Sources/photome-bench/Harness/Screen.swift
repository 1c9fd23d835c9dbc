// The X screen: its pixels, windows and pointer.

import CXTest
import Foundation

/// A place on the screen, in pixels.
struct ScreenArea: Equatable, CustomStringConvertible {
  var x: Int
  var y: Int
  var width: Int
  var height: Int

  var description: String { "\(width)x\(height)+\(x)+\(y)" }
}

/// Pixels that were on the screen: `0x00RRGGBB`, rows without gaps.
struct ScreenPixels {
  var width: Int
  var height: Int
  var pixels: [UInt32]
}

/// A connection to an X server. For one thread.
final class Screen {
  private let display: OpaquePointer
  private let root: Window

  init(display name: String) throws {
    // A window may disappear while it is read: then the reply is empty, and the process goes on.
    XSetErrorHandler { _, _ in 0 }
    // Xlib would end the process at once when the server goes, which an interrupt makes it do: first to the end what else
    // has to be ended.
    XSetIOErrorHandler { _ in
      pass(seconds: 4)
      ChildProcess.endAll()
      _exit(1)
    }
    guard let display = XOpenDisplay(name) else { throw BenchError("The X server \(name) does not answer.") }
    self.display = display
    root = XDefaultRootWindow(display)
  }

  /// Ends the connection, which must come before the server's end: Xlib ends the process when a server goes away. Nothing
  /// can be asked afterwards.
  func close() {
    XCloseDisplay(display)
  }

  /// The pixels of an area; `nil` when it isn't completely on the screen.
  func pixels(in area: ScreenArea) -> ScreenPixels? {
    guard area.width > 0, area.height > 0,
      let image = XGetImage(
        display, root, Int32(area.x), Int32(area.y), UInt32(area.width), UInt32(area.height), ~0, ZPixmap)
    else { return nil }
    defer { _ = image.pointee.f.destroy_image(image) }
    guard image.pointee.bits_per_pixel == 32, let data = image.pointee.data else { return nil }
    let stride = Int(image.pointee.bytes_per_line)
    let pixels = [UInt32](unsafeUninitializedCapacity: area.width * area.height) { buffer, count in
      for row in 0..<area.height {
        memcpy(buffer.baseAddress! + row * area.width, data + row * stride, area.width * 4)
      }
      count = area.width * area.height
    }
    return ScreenPixels(width: area.width, height: area.height, pixels: pixels)
  }

  /// The windows that lie on the screen itself and can be seen, largest first.
  func windows() -> [(id: Window, area: ScreenArea)] {
    var ignored: (Window, Window) = (0, 0)
    var children: UnsafeMutablePointer<Window>?
    var count: UInt32 = 0
    guard XQueryTree(display, root, &ignored.0, &ignored.1, &children, &count) != 0, let children else { return [] }
    defer { XFree(children) }
    return (0..<Int(count)).compactMap { index in
      var attributes = XWindowAttributes()
      guard XGetWindowAttributes(display, children[index], &attributes) != 0, attributes.map_state == IsViewable,
        attributes.width > 100, attributes.height > 100
      else { return nil }
      let area = ScreenArea(
        x: Int(attributes.x), y: Int(attributes.y), width: Int(attributes.width), height: Int(attributes.height))
      return (children[index], area)
    }.sorted { $0.area.width * $0.area.height > $1.area.width * $1.area.height }
  }

  /// Puts a window at the screen's corner at a size, as a window manager would, and gives it the keyboard.
  func place(_ window: Window, width: Int, height: Int) {
    XMoveResizeWindow(display, window, 0, 0, UInt32(width), UInt32(height))
    XSetInputFocus(display, window, RevertToParent, Time(CurrentTime))
    XSync(display, False)
  }

  /// Moves the pointer, as a hand does.
  func point(x: Int, y: Int) {
    XTestFakeMotionEvent(display, -1, Int32(x), Int32(y), 0)
    XSync(display, False)
  }

  /// Presses and releases a button where the pointer is, and returns when the server has done it.
  ///
  /// - Parameter button: 1 is the first; 4 and 5 are the wheel's steps up and down.
  func click(button: UInt32 = 1) {
    XTestFakeButtonEvent(display, button, True, 0)
    XTestFakeButtonEvent(display, button, False, 0)
    XSync(display, False)
  }

  /// Holds the first button, or lets go of it.
  func hold(_ isHeld: Bool) {
    XTestFakeButtonEvent(display, 1, isHeld ? True : False, 0)
    XSync(display, False)
  }

  /// Presses and releases a key of the keyboard.
  ///
  /// - Parameter name: X's: `g`, `Next`, `End`.
  func press(key name: String) {
    let code = UInt32(XKeysymToKeycode(display, XStringToKeysym(name)))
    XTestFakeKeyEvent(display, code, True, 0)
    XTestFakeKeyEvent(display, code, False, 0)
    XSync(display, False)
  }
}
