// Connections of this process to the sound server and to PipeWire, as the kernel knows them.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Local sockets and whether their server is still at the other end. GStreamer's device providers don't tell when their
/// connection has ended: their last list stands for ever. The kernel does.
enum ServerSockets {
  /// The connected sockets of this process whose server's path contains `name`, by their inodes. One that the server has
  /// closed is none, whether or not somebody here has noticed it.
  static func connected(to name: String) -> Set<UInt64> {
    var sockets: Set<UInt64> = []
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    // Other threads open and close descriptors meanwhile: nothing is done to one but to look at it.
    for descriptor in names.compactMap({ Int32($0) }) {
      guard let path = peerPath(of: descriptor), path.contains(name), isAlive(descriptor) else { continue }
      var status = stat()
      if fstat(descriptor, &status) == 0 { sockets.insert(UInt64(status.st_ino)) }
    }
    return sockets
  }

  /// Whether the server hasn't closed the connection. What it has sent stays unread.
  static func isAlive(_ descriptor: Int32) -> Bool {
    var question = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&question, 1, 0) >= 0 && Int32(question.revents) & (POLLHUP | POLLERR | POLLNVAL) == 0
  }

  /// Connects to a local server, without waiting for one that doesn't accept.
  ///
  /// - Returns: A descriptor that the caller closes; `nil` if nobody listens there.
  static func connect(to path: String) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard !path.isEmpty, path.utf8.count <= room else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return nil }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { posixConnect(descriptor, $0, length) == 0 }
    }
    guard isConnected else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// The path of PipeWire's socket, found as its own library does.
  static func pipeWirePath(in environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let name = value("PIPEWIRE_REMOTE") ?? "pipewire-0"
    if name.hasPrefix("/") { return name }
    return (value("PIPEWIRE_RUNTIME_DIR") ?? value("XDG_RUNTIME_DIR")).map { "\($0)/\(name)" }
  }

  /// The path of the socket at the other end; `nil` for what isn't a connected local socket.
  private static func peerPath(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) == 0 }
    }
    guard isConnected, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    return withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

/// The system's `connect`, which the method of the same name hides.
private func posixConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
  connect(descriptor, address, length)
}
