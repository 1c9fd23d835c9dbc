// The desktop's portal for cameras, simulated on a test's own bus.

import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Asks the person, who answers as the script says, and lends the cameras of a PipeWire.
final class SimulatedCameraPortal: Sendable {
  /// What becomes of a question.
  enum Script: Sendable {
    /// Permitted, at once.
    case grants
    /// Refused, at once.
    case refuses
    /// The dialog stays open.
    case waits
    /// The answer has other types than it should.
    case answersNonsense
    /// The portal is there and has no cameras.
    case hasNoCameras
    /// Cameras are switched off for everybody.
    case isSwitchedOff
    /// Permitted, and PipeWire can't be reached then.
    case lacksPipeWire
  }

  /// The script and the calls so far; on GDBus's thread.
  private final class Record: Sendable {
    private let state: Mutex<(script: Script, calls: [String])>
    private let sink: AsyncStream<String>.Continuation

    init(_ script: Script, _ sink: AsyncStream<String>.Continuation) {
      state = Mutex((script, []))
      self.sink = sink
    }

    var calls: [String] { state.withLock { $0.calls } }
    var script: Script { state.withLock { $0.script } }
    func change(to script: Script) { state.withLock { $0.script = script } }

    func add(_ call: String) {
      state.withLock { $0.calls.append(call) }
      sink.yield(call)
    }
  }

  private let service: SimulatedService
  private let record: Record
  /// The calls as they come: `AccessCamera`, `OpenPipeWireRemote`, `Close`.
  let calls: AsyncStream<String>

  /// - Parameters:
  ///   - address: Of the bus, which PhotoMe has as its session bus.
  ///   - pipeWire: The path of a PipeWire's socket.
  init(address: String, _ script: Script, pipeWire: String = "") throws {
    let (calls, sink) = AsyncStream.makeStream(of: String.self)
    let record = Record(script, sink)
    (self.calls, self.record) = (calls, record)
    service = try SimulatedService(address: address, names: ["org.freedesktop.portal.Desktop"]) { call in
      guard ["AccessCamera", "OpenPipeWireRemote", "Close"].contains(call.member) else { return .unknown }
      defer { record.add(call.member) }
      switch (call.member, record.script) {
      case ("Close", _): return .reply(nil)
      case (_, .hasNoCameras): return .unknown
      case (_, .isSwitchedOff): return .error("org.freedesktop.portal.Error.NotAllowed", "Camera access disabled")
      case ("AccessCamera", let script): return Self.answer(to: call, script)
      case (_, .grants):
        guard let socket = Self.connect(to: pipeWire) else { return .error("org.freedesktop.portal.Error.Failed", "") }
        return .descriptor(socket)
      case (_, .lacksPipeWire):
        return .error("org.freedesktop.portal.Error.Failed", "Failed to connect to PipeWire")
      default: return .error("org.freedesktop.portal.Error.NotAllowed", "Permission denied")
      }
    }
  }

  /// The person changes their mind.
  func change(to script: Script) { record.change(to: script) }

  /// How often the person was asked.
  var questionCount: Int { Self.count(record.calls) }

  private static func count(_ calls: [String]) -> Int { calls.count { $0 == "AccessCamera" } }

  private static func answer(to call: SimulatedService.Call, _ script: Script) -> SimulatedService.Answer {
    let request = call.requestPath
    let parameters: String
    switch script {
    case .waits: return .reply("(objectpath '\(request)',)")
    case .answersNonsense: parameters = "('yes', 7)"
    case .refuses: parameters = "(@u 1, @a{sv} {})"
    default: parameters = "(@u 0, @a{sv} {})"
    }
    let response = SimulatedService.Signal(
      path: request, interface: "org.freedesktop.portal.Request", name: "Response", parameters: parameters)
    return .reply("(objectpath '\(request)',)", then: [response])
  }

  private static func connect(to path: String) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connectSocket(descriptor, $0, length) == 0 }
    }
    if isConnected { return descriptor }
    close(descriptor)
    return nil
  }
}

/// The system's `connect`, which the method of the same name hides.
private func connectSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
  connect(descriptor, address, length)
}
