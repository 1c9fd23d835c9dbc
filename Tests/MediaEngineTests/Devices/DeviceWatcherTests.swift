// Servers that know of devices: late, gone, started again, and hanging.

import CameraCore
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import MediaEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@Suite(.timeLimit(.minutes(30))) struct DeviceWatcherTests {
  private final class Source: DeviceSource {
    private let microphone: String
    private let connected = Atomic(true)

    init(_ microphone: String) { self.microphone = microphone }

    var isConnected: Bool { connected.load(ordering: .relaxed) }
    func disconnect() { connected.store(false, ordering: .relaxed) }
    func devices() -> [DeviceProvider.Device] {
      [
        DeviceProvider.Device(
          name: microphone, deviceClass: "Audio/Source", formats: [], properties: [:], internalName: microphone)
      ]
    }
    func listen(_ onChange: @escaping @Sendable () -> Void) -> Int { 1 }
    func forget(_ listener: Int) {}
  }

  /// A server that runs or doesn't.
  private final class Server: Sendable {
    private let kind: DeviceServer
    private let present = Mutex<Source?>(nil)
    private let count = Atomic(0)

    init(_ kind: DeviceServer = .pulse) { self.kind = kind }

    var asked: Int { count.load(ordering: .relaxed) }
    func run(_ source: Source?) { present.withLock { $0 = source } }
    func find(_ server: DeviceServer) -> Source? {
      guard server == kind else { return nil }
      count.add(1, ordering: .relaxed)
      return present.withLock { $0 }
    }
  }

  private func microphones(_ watcher: DeviceWatcher) async -> [String] { await watcher.devices().microphones.map(\.id) }

  @Test("A server that starts late, ends, and is started again is found whenever somebody asks")
  func restarts() async {
    let server = Server()
    let watcher = DeviceWatcher(findSource: { server.find($0) }) { _ in }
    #expect(await microphones(watcher) == [MicrophoneDevice.testID])
    let first = Source("first")
    server.run(first)
    #expect(await microphones(watcher) == ["first", MicrophoneDevice.testID])
    let asked = server.asked
    #expect(await microphones(watcher) == ["first", MicrophoneDevice.testID])
    #expect(server.asked == asked, "it is connected")
    first.disconnect()
    server.run(nil)
    #expect(await microphones(watcher) == [MicrophoneDevice.testID], "what nobody answers for isn't there")
    server.run(Source("second"))
    #expect(await microphones(watcher) == ["second", MicrophoneDevice.testID])
  }

  @Test("A PipeWire that starts late is found whenever somebody looks for a camera")
  func latePipeWire() async {
    let server = Server(.pipeWire)
    let watcher = DeviceWatcher(findSource: { server.find($0) }) { _ in }
    _ = await watcher.cameras()
    let asked = server.asked
    server.run(Source("first"))
    _ = await watcher.cameras()
    #expect(server.asked == asked + 1)
    _ = await watcher.cameras()
    #expect(server.asked == asked + 1, "it is connected")
  }

  @Test("Cameras don't wait for a sound server that hangs, with or without PipeWire", arguments: [false, true])
  func camerasComeFirst(hasPipeWire: Bool) async {
    let gate = DispatchSemaphore(value: 0)
    let server = Server(.pipeWire)
    if hasPipeWire { server.run(Source("node")) }
    let watcher = DeviceWatcher(
      patience: .seconds(100_000),
      findSource: { kind in
        if kind == .pulse { gate.wait() }
        return kind == .pulse ? Source("late") : server.find(kind)
      }
    ) { _ in }
    _ = await watcher.cameras()
    #expect(await eventually { watcher.isWaiting(for: .pulse) })
    // PipeWire may be started meanwhile.
    server.run(Source("node"))
    _ = await watcher.cameras()
    #expect(watcher.isWaiting(for: .pulse) && watcher.known == nil, "there is no list without microphones")
    gate.signal()
    #expect(await watcher.devices().microphones.map(\.id).contains("late"))
  }

  @Test("One that hangs is waited for once, has one thread, and is listed when it answers")
  func hangs() async {
    let gate = DispatchSemaphore(value: 0)
    let asked = Atomic(0)
    let watcher = DeviceWatcher(
      patience: .milliseconds(20),
      findSource: { server in
        guard server == .pulse else { return nil }
        asked.add(1, ordering: .relaxed)
        gate.wait()
        return Source("late")
      }
    ) { _ in }
    for _ in 0..<5 { #expect(await microphones(watcher) == [MicrophoneDevice.testID]) }
    #expect(asked.load(ordering: .relaxed) == 1)
    gate.signal()
    #expect(await eventually { watcher.known?.microphone("late") != nil })
    #expect(asked.load(ordering: .relaxed) == 1)
  }

  @Test("A connection that the server has closed is none, whoever has noticed it")
  func connections() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pm-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("native").path
    #expect(ServerSockets.connect(to: path) == nil, "nobody listens")
    var server = try #require(Listener(path))
    let client = try #require(ServerSockets.connect(to: path))
    defer { close(client) }
    server.accept()
    #expect(ServerSockets.isAlive(client))
    #expect(ServerSockets.connected(to: path).count == 1)
    #expect(ServerSockets.connected(to: path + "-other").isEmpty)
    server.end()
    #expect(!ServerSockets.isAlive(client))
    #expect(ServerSockets.connected(to: path).isEmpty)
  }

  @Test("PipeWire's socket is where its own library looks")
  func pipeWirePath() {
    func path(_ environment: [String: String]) -> String? { ServerSockets.pipeWirePath(in: environment) }
    #expect(path(["XDG_RUNTIME_DIR": "/run/user/1000"]) == "/run/user/1000/pipewire-0")
    #expect(path(["XDG_RUNTIME_DIR": "/run/user/1000", "PIPEWIRE_REMOTE": "other"]) == "/run/user/1000/other")
    #expect(path(["XDG_RUNTIME_DIR": "/a", "PIPEWIRE_RUNTIME_DIR": "/b"]) == "/b/pipewire-0")
    #expect(path(["PIPEWIRE_REMOTE": "/somewhere/pipewire"]) == "/somewhere/pipewire")
    #expect(path(["XDG_RUNTIME_DIR": "", "PIPEWIRE_REMOTE": ""]) == nil)
  }

  /// A local server.
  private struct Listener {
    private var descriptor: Int32
    private var accepted: [Int32] = []

    init?(_ path: String) {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      let length = socklen_t(MemoryLayout<sockaddr_un>.size)
      let isBound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
      }
      guard isBound, listen(descriptor, 4) == 0 else { return nil }
    }

    mutating func accept() {
      #if canImport(Glibc)
        accepted.append(Glibc.accept(descriptor, nil, nil))
      #else
        accepted.append(Musl.accept(descriptor, nil, nil))
      #endif
    }

    mutating func end() {
      for descriptor in accepted + [descriptor] { close(descriptor) }
      accepted = []
    }
  }
}
