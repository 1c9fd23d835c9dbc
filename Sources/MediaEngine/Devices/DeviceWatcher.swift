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
    var refusedPaths: [String] = []
    var isWatching = false
    var hasLookPending = false
    var pipeWire: DeviceProvider?
    var pulse: DeviceProvider?
    /// The subscriptions to them.
    var listening: [(provider: DeviceProvider, listener: Int)] = []
    var nodes: DeviceNodeWatch?
  }

  /// The time that the first scan waits for PipeWire and PulseAudio, in milliseconds. One that answers later is scanned then.
  private static let patience = 3_000

  private let state = Mutex(State())
  private let firstList = OneShot<DeviceList, Never>()
  /// The cameras of the first scan, before the sound server is asked.
  private let firstCameras = OneShot<[CameraDevice], Never>()

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  private func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }
  private let queue = DispatchQueue(label: "photome.devices", qos: .utility)
  private let onChange: @Sendable (DeviceList) -> Void

  /// - Parameter onChange: Told of the first list and of every different one; on the watcher's queue.
  init(onChange: @escaping @Sendable (DeviceList) -> Void) { self.onChange = onChange }

  /// Starts watching, if it hasn't started. Returns at once.
  func start() {
    let isFirst = withState { state in
      defer { state.isWatching = true }
      return !state.isWatching
    }
    guard isFirst else { return }
    queue.async { self.begin() }
  }

  /// The list; waits for the first scan.
  func devices() async -> DeviceList {
    start()
    let first = await firstList.wait()
    return known ?? first
  }

  /// The real cameras; waits for the first look, but not for the sound server.
  func cameras() async -> [CameraDevice] {
    start()
    let first = await firstCameras.wait()
    return known?.realCameras ?? first
  }

  /// The list as far as it is known.
  var known: DeviceList? { withState { $0.list } }

  /// V4L2 nodes that exist and may not be opened.
  var refusedPaths: [String] { withState { $0.refusedPaths } }

  private func begin() {
    // Watch before the first look, so that nothing is missed in between.
    let nodes = DeviceNodeWatch(queue: queue) { [weak self] in self?.lookSoon() }
    withState { $0.nodes = nodes }
    // The picture comes first: microphones are looked for when the cameras are known.
    connect({ .pipeWire }) { $0.pipeWire = $1 }
    lookAtCameras()
    connect({ .pulse }) { $0.pulse = $1 }
    look()
  }

  /// Starts a provider on a thread of its own, and waits for it as long as `patience`: a sound server that doesn't answer
  /// must not hide the cameras.
  private func connect(
    _ find: @escaping @Sendable () -> DeviceProvider?,
    _ keep: @escaping @Sendable (inout State, DeviceProvider) -> Void
  ) {
    let group = DispatchGroup()
    DispatchQueue.global(qos: .utility).async(group: group) { [weak self] in
      guard let provider = find() else { return }
      let listener = provider.listen { [weak self] in self?.lookSoon() }
      guard let self else { return provider.forget(listener) }
      let isLate = withState { state in
        keep(&state, provider)
        state.listening.append((provider, listener))
        return state.list != nil
      }
      if isLate { lookSoon() }
    }
    _ = group.wait(timeout: .now() + .milliseconds(Self.patience))
  }

  deinit {
    withState { state in
      for (provider, listener) in state.listening { provider.forget(listener) }
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

  private func lookAtCameras() {
    let pipeWire = withState { $0.pipeWire }?.devices() ?? []
    firstCameras.decide(.success(Self.merge(V4L2Cameras.look().cameras, pipeWire)))
  }

  private func look() {
    let (pipeWire, pulse) = withState { ($0.pipeWire, $0.pulse) }
    let v4l2 = V4L2Cameras.look()
    if v4l2.hasUnnamed { lookSoon() }
    let list = DeviceList(
      cameras: Self.merge(v4l2.cameras, pipeWire?.devices() ?? []) + [TestCamera.device],
      microphones: Self.microphones(pulse?.devices() ?? []) + [TestCamera.microphone])
    let isNew = withState { state in
      defer { (state.list, state.refusedPaths) = (list, v4l2.refusedPaths) }
      return state.list != list
    }
    firstList.decide(.success(list))
    if isNew { onChange(list) }
  }

  /// Merges the lists: one camera is one entry, even if several APIs show it; V4L2 is preferred.
  static func merge(_ v4l2: [V4L2Cameras.Found], _ pipeWire: [DeviceProvider.Device]) -> [CameraDevice] {
    var cameras = v4l2.map(\.device)
    for device in pipeWire where device.deviceClass == "Video/Source" && !device.formats.isEmpty {
      guard let node = device.properties["node.name"] else { continue }
      let path =
        device.properties["api.v4l2.path"]
        ?? device.properties["object.path"].flatMap { path in
          path.hasPrefix("v4l2:") ? String(path.dropFirst("v4l2:".count)) : nil
        }
      if let path, v4l2.contains(where: { $0.path == path }) { continue }
      // libcamera's name for a USB camera ends in `-vvvv:pppp`.
      if let place = device.properties["api.libcamera.path"],
        v4l2.contains(where: { $0.usbID.map { place.hasSuffix($0) } ?? false })
      {
        continue
      }
      let name = device.properties["node.description"] ?? device.name
      cameras.append(
        CameraDevice(id: "pipewire:\(node)", name: name, kind: .pipeWire(node: node), formats: device.formats))
    }
    return cameras
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
