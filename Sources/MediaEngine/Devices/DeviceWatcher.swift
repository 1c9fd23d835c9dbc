// Monitor of the cameras and microphones on V4L2, PipeWire and PulseAudio.

import CameraCore
import Dispatch
import Foundation
import Synchronization

/// The list of devices, kept up to date from the first scan on.
///
/// Scans run on a queue of their own, one after the other: a device that answers slowly holds up nothing else.
final class DeviceWatcher: Sendable {
  private struct State {
    var list: DeviceList?
    /// The real cameras, which are known before the list is.
    var cameras: [CameraDevice]?
    /// Whether the sound server has had its time to answer. Before that, a list would lack the microphones.
    var hasAskedForSound = false
    var refusedPaths: [String] = []
    var isWatching = false
    var hasLookPending = false
    /// The connected servers, with the subscriptions to them.
    var sources: [DeviceServer: (source: any DeviceSource, listener: Int)] = [:]
    /// The servers that haven't answered yet.
    var connecting: Set<DeviceServer> = []
    var nodes: DeviceNodeWatch?
    /// Those who wait for a first camera.
    var awaitingCameras: [OneShot<Void, CameraError>] = []
  }

  /// The time that a scan waits for each of PipeWire and PulseAudio. One that answers later is scanned then.
  private let patience: TimeSpan
  private let findSource: @Sendable (DeviceServer) -> (any DeviceSource)?

  private let state = Mutex(State())
  private let firstList = OneShot<DeviceList, Never>()
  /// The cameras of the first scan, before the sound server is asked.
  private let firstCameras = OneShot<[CameraDevice], Never>()

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }
  private let queue = DispatchQueue(label: "photome.devices", qos: .utility)
  private let onChange: @Sendable (DeviceList) -> Void

  /// The questions to V4L2 nodes.
  let probes: NodeProbes
  /// Whether V4L2 nodes are cameras here. Where cameras are lent, they aren't: what is lent can be taken back.
  let looksAtNodes: Bool

  /// - Parameters:
  ///   - looksAtNodes: Whether V4L2 nodes are cameras.
  ///   - findSource: Connects to a server, unless that has been done; it may block.
  ///   - onChange: Told of the first list and of every different one; on the watcher's queue.
  init(
    probes: NodeProbes = NodeProbes(), looksAtNodes: Bool = true, patience: TimeSpan = .seconds(3),
    findSource: @escaping @Sendable (DeviceServer) -> (any DeviceSource)? = { DeviceProvider.connected(to: $0) },
    onChange: @escaping @Sendable (DeviceList) -> Void
  ) {
    (self.probes, self.looksAtNodes, self.patience) = (probes, looksAtNodes, patience)
    (self.findSource, self.onChange) = (findSource, onChange)
  }

  /// Starts watching, if it hasn't started. Returns at once.
  func start() {
    let isFirst = withState { state in
      defer { state.isWatching = true }
      return !state.isWatching
    }
    guard isFirst else { return }
    queue.async { self.begin() }
  }

  /// The list; waits for the first scan. Servers that didn't run, or were started again, are asked anew, which nobody does
  /// on their own: whoever waits for a device asks from time to time.
  func devices() async -> DeviceList {
    start()
    let first = await firstList.wait()
    if !missingServers.isEmpty { await reconnect(to: DeviceServer.allCases) }
    return known ?? first
  }

  /// The servers that aren't connected, without those that haven't answered yet.
  private var missingServers: [DeviceServer] {
    let (sources, connecting) = withState { ($0.sources.mapValues { $0.source }, $0.connecting) }
    return DeviceServer.allCases.filter { !connecting.contains($0) && sources[$0]?.isConnected != true }
  }

  private func reconnect(to servers: [DeviceServer]) async {
    await withCheckedContinuation { continuation in
      queue.async {
        // Asked again: whoever came before may have done it.
        let changed = self.missingServers.filter { servers.contains($0) && self.connect($0) }
        if !changed.isEmpty { self.look() }
        continuation.resume()
      }
    }
  }

  /// The real cameras; waits for the first look, but not for the sound server. A PipeWire that didn't run, or was started
  /// again, is asked anew.
  func cameras() async -> [CameraDevice] {
    start()
    let first = await firstCameras.wait()
    if missingServers.contains(.pipeWire) { await reconnect(to: [.pipeWire]) }
    return withState { $0.cameras } ?? first
  }

  /// The real cameras; where there are none, waits for the first one, for so long at most: PipeWire shows lent cameras a
  /// moment after it has let somebody in.
  func cameras(within limit: TimeSpan) async -> [CameraDevice] {
    let present = await cameras()
    guard present.isEmpty else { return present }
    let appeared = OneShot<Void, CameraError>()
    let isThere = withState { state in
      state.awaitingCameras.append(appeared)
      return state.cameras?.isEmpty == false
    }
    if isThere { appeared.decide(.success(())) }
    // Late or canceled: then there is none.
    try? await appeared.wait(atMost: limit, late: .noCamera)
    return withState { state in
      state.awaitingCameras.removeAll { $0 === appeared }
      return state.cameras ?? []
    }
  }

  /// The list as far as it is known.
  var known: DeviceList? { withState { $0.list } }

  /// Whether a server was asked and hasn't answered yet.
  func isWaiting(for server: DeviceServer) -> Bool { withState { $0.connecting.contains(server) } }

  /// V4L2 nodes that exist and may not be opened.
  var refusedPaths: [String] { withState { $0.refusedPaths } }

  private func begin() {
    // Watch before the first look, so that nothing is missed in between.
    let nodes = looksAtNodes ? DeviceNodeWatch(queue: queue) { [weak self] in self?.lookSoon() } : nil
    withState { $0.nodes = nodes }
    probes.listen { [weak self] in self?.lookSoon() }
    // The picture comes first: microphones are looked for when the cameras are known.
    connect(.pipeWire)
    lookAtCameras()
    // Nobody who asks for cameras waits for the sound server: that would stand in their way on this queue.
    DispatchQueue(label: "photome.sound-server", qos: .utility).async {
      self.connect(.pulse)
      self.withState { $0.hasAskedForSound = true }
      self.queue.async { self.look() }
    }
  }

  /// Connects to a server on a thread of its own, and waits for it as long as `patience`: a sound server that doesn't
  /// answer must not hide the cameras.
  ///
  /// - Returns: Whether its list may be another one now.
  @discardableResult
  private func connect(_ server: DeviceServer) -> Bool {
    let (isFirst, hadSource) = withState { ($0.connecting.insert(server).inserted, $0.sources[server] != nil) }
    guard isFirst else { return false }
    let group = DispatchGroup()
    let findSource = findSource
    DispatchQueue(label: "photome.device-server", qos: .utility).async(group: group) { [weak self] in
      let source = findSource(server)
      let listener = source?.listen { [weak self] in self?.lookSoon() }
      guard let self else {
        if let source, let listener { source.forget(listener) }
        return
      }
      keep(source, listener, of: server)
    }
    _ = group.wait(timeout: .now() + .nanoseconds(Int(patience.nanoseconds)))
    return hadSource || withState { $0.sources[server] != nil }
  }

  /// Takes a source in place of the one before.
  private func keep(_ source: (any DeviceSource)?, _ listener: Int?, of server: DeviceServer) {
    let (before, isLate) = withState { state in
      state.connecting.remove(server)
      let before = state.sources[server]
      if let source, let listener { state.sources[server] = (source, listener) } else { state.sources[server] = nil }
      return (before, state.list != nil)
    }
    if let before { before.source.forget(before.listener) }
    if isLate, source != nil || before != nil { lookSoon() }
  }

  /// The devices of a server; none when its connection has ended.
  private func devices(of server: DeviceServer) -> [DeviceProvider.Device] {
    guard let source = withState({ $0.sources[server]?.source }), source.isConnected else { return [] }
    return source.devices()
  }

  deinit {
    withState { state in
      for (source, listener) in state.sources.values { source.forget(listener) }
    }
  }

  /// Looks again in a moment: a plug-in comes as a handful of changes, and permissions are set after the node appears.
  private func lookSoon() {
    let isFirst = withState { state in
      defer { state.hasLookPending = true }
      return !state.hasLookPending
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(150)) {
      self.withState { $0.hasLookPending = false }
      self.look()
    }
  }

  /// A scan of the V4L2 nodes, where they are cameras.
  func lookAtNodes() -> V4L2Cameras.Look { looksAtNodes ? V4L2Cameras.look(probes) : V4L2Cameras.Look() }

  /// The cameras of all APIs.
  private func merged(_ nodes: V4L2Cameras.Look) -> [CameraDevice] {
    var cameras = Self.merge(nodes, devices(of: .pipeWire))
    guard !looksAtNodes else { return cameras }
    // The device file of a lent camera isn't lent.
    for index in cameras.indices { cameras[index].node = nil }
    // As with nodes, a camera for infrared pictures is taken when there is nothing else.
    func rank(_ camera: CameraDevice) -> Int { camera.formats.map(\.encoding.rank).min() ?? .max }
    return cameras.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
  }

  private func lookAtCameras() {
    let cameras = merged(lookAtNodes())
    withState { $0.cameras = cameras }
    firstCameras.decide(.success(cameras))
  }

  private func look() {
    let v4l2 = lookAtNodes()
    if v4l2.hasUnnamed { lookSoon() }
    let cameras = merged(v4l2)
    let (isComplete, waiting) = withState { state in
      state.cameras = cameras
      return (state.hasAskedForSound, cameras.isEmpty ? [] : state.awaitingCameras)
    }
    for waiting in waiting { waiting.decide(.success(())) }
    guard isComplete else { return }
    let list = DeviceList(
      cameras: cameras + [TestCamera.device],
      microphones: Self.microphones(devices(of: .pulse)) + [TestCamera.microphone])
    let isNew = withState { state in
      defer { (state.list, state.refusedPaths) = (list, v4l2.refusedPaths) }
      return state.list != list
    }
    firstList.decide(.success(list))
    if isNew { onChange(list) }
  }

  /// The sources that record the room, without monitors of the machine's own output.
  private static func microphones(_ devices: [DeviceProvider.Device]) -> [MicrophoneDevice] {
    devices.compactMap { device in
      guard device.deviceClass == "Audio/Source", let source = device.internalName,
        device.properties["device.class"] != "monitor", !source.hasSuffix(".monitor")
      else { return nil }
      return MicrophoneDevice(
        id: source, name: device.name, kind: .pulse(source: source),
        isDefault: device.properties["is-default"] == "true")
    }
  }
}

/// Watches /dev for camera nodes that come and go; needs no udev.
private final class DeviceNodeWatch: @unchecked Sendable {
  // Sendable: dispatch sources may be canceled from any thread, and nothing else is done with this one.
  private let source: any DispatchSourceRead

  /// - Returns: `nil` when the kernel has no watch to spare; cameras are then found at start only.
  init?(queue: DispatchQueue, onChange: @escaping @Sendable () -> Void) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    // Permissions are given after a node is made, which is a change of attributes.
    guard inotify_add_watch(descriptor, "/dev", UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB)) >= 0 else {
      close(descriptor)
      return nil
    }
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler {
      if Self.concernsCameras(descriptor) { onChange() }
    }
    source.setCancelHandler { close(descriptor) }
    source.resume()
  }

  deinit { source.cancel() }

  /// Reads all pending events.
  private static func concernsCameras(_ descriptor: Int32) -> Bool {
    var isCamera = false
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let start = offset + MemoryLayout<inotify_event>.size
          let name = UnsafeRawBufferPointer(rebasing: buffer[start..<min(count, start + Int(event.len))])
          if name.starts(with: "video".utf8) { isCamera = true }
          offset = start + Int(event.len)
        }
      }
    }
    return isCamera
  }
}
