// A pointer on a test's Wayland desktop.

import CameraCore
import Foundation
import Glibc

/// A client of wlroots' protocol “virtual pointer”, which speaks to the compositor directly: a program that moves and
/// clicks and ends takes the seat's pointer away with it, before anyone could use it.
final class VirtualPointer {
  private enum Object {
    static let (display, registry, manager, pointer): (UInt32, UInt32, UInt32, UInt32) = (1, 2, 3, 4)
  }

  /// The left button, by Linux's number.
  private static let button: UInt32 = 0x110
  private static let interface = "zwlr_virtual_pointer_manager_v1"

  private let socket: FileHandle

  /// Plugs a pointer in.
  ///
  /// - Throws: `POSIXError` when the compositor doesn't answer.
  init(on desktop: WaylandDesktop) throws {
    let end = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    socket = FileHandle(fileDescriptor: end, closeOnDealloc: true)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array((desktop.environment["WAYLAND_DISPLAY"] ?? "").utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { throw POSIXError(.ENAMETOOLONG) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(end, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED) }
    // wl_display.get_registry
    try send(to: Object.display, 1, [Object.registry])
    let name = try managerName()
    // wl_registry.bind: name, interface, version, new object
    var text = Array(Self.interface.utf8) + [0]
    text += [UInt8](repeating: 0, count: (4 - text.count % 4) % 4)
    let words = text.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self) }
    }
    try send(to: Object.registry, 0, [name, UInt32(Self.interface.utf8.count + 1)] + words + [1, Object.manager])
    // create_virtual_pointer: of any seat
    try send(to: Object.manager, 0, [0, Object.pointer])
  }

  /// Moves to a point in the layout's pixels.
  func move(x: Int, y: Int) throws {
    let (width, height) = WaylandDesktop.size
    try send(to: Object.pointer, 1, [Self.time, UInt32(x), UInt32(y), UInt32(width), UInt32(height)])
    try endFrame()
  }

  /// Presses and releases the left button.
  func click() throws {
    for state: UInt32 in [1, 0] {
      try send(to: Object.pointer, 2, [Self.time, Self.button, state])
      try endFrame()
    }
  }

  private func endFrame() throws { try send(to: Object.pointer, 4, []) }

  /// Milliseconds of the clock that compositors use.
  private static var time: UInt32 { UInt32(truncatingIfNeeded: MonotonicTime.now.nanoseconds / 1_000_000) }

  /// A message: the object, its length and the request's number, and the arguments.
  private func send(to object: UInt32, _ request: UInt32, _ arguments: [UInt32]) throws {
    let message = [object, UInt32(8 + arguments.count * 4) << 16 | request] + arguments
    try socket.write(contentsOf: message.withUnsafeBytes { Data($0) })
  }

  /// Reads the compositor's globals until there is the one of virtual pointers.
  private func managerName() throws -> UInt32 {
    var bytes: [UInt8] = []
    while true {
      while bytes.count >= 8 {
        let words = bytes.withUnsafeBytes { bytes in
          (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
        }
        let length = Int(words[1] >> 16)
        guard length >= 8, bytes.count >= length else { break }
        // wl_registry.global: name, interface, version
        if words[0] == Object.registry, words[1] & 0xffff == 0, length > 16 {
          let text = bytes[16..<min(length, 16 + max(0, Int(words[3]) - 1))]
          if String(decoding: text, as: UTF8.self) == Self.interface { return words[2] }
        }
        bytes.removeFirst(length)
      }
      var piece = [UInt8](repeating: 0, count: 4096)
      let count = recv(socket.fileDescriptor, &piece, piece.count, 0)
      guard count > 0 else { throw POSIXError(.ENOTCONN) }
      bytes += piece[..<count]
    }
  }
}
