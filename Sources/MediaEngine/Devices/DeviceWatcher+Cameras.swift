// One list of cameras from several APIs.

import CameraCore

extension DeviceWatcher {
  /// Merges the lists: one camera is one entry, even if several APIs show it. V4L2 is preferred, and PipeWire's way is kept
  /// as the other one; where V4L2 offers nothing that can be used, it is the only one. Cameras that can be opened come
  /// first.
  static func merge(_ look: V4L2Cameras.Look, _ pipeWire: [DeviceProvider.Device]) -> [CameraDevice] {
    var cameras = look.cameras.map(\.device)
    for device in pipeWire where device.deviceClass == "Video/Source" {
      guard let node = device.properties["node.name"], device.offersAnything else { continue }
      let kind = CameraDevice.Kind.pipeWire(node: node)
      let path =
        device.properties["api.v4l2.path"]
        ?? device.properties["object.path"].flatMap { path in
          path.hasPrefix("v4l2:") ? String(path.dropFirst("v4l2:".count)) : nil
        }
      if let path, look.hiddenPaths.contains(path) { continue }
      // libcamera's name for a USB camera ends in `-vvvv:pppp`.
      let place = device.properties["api.libcamera.path"]
      let same = look.cameras.indices.filter { index in
        let found = look.cameras[index]
        if let place, let usbID = found.usbID, place.hasSuffix(usbID) { return true }
        return found.path == path
      }
      if same.isEmpty {
        let name = device.properties["node.description"] ?? device.name
        cameras.append(
          CameraDevice(
            id: "pipewire:\(node)", name: name, kind: kind, formats: device.formats, obstacle: device.obstacle,
            node: path))
      } else if same.count == 1 {
        // Of two cameras of one model it isn't known which one libcamera means.
        cameras[same[0]].add(kind, device.formats, id: "pipewire:\(node)")
      }
    }
    return cameras.filter { $0.obstacle == nil } + cameras.filter { $0.obstacle != nil }
  }
}

extension CameraDevice {
  /// Adds another way to the camera. One that offers nothing that can be used is only another name.
  fileprivate mutating func add(_ kind: Kind, _ formats: [CameraFormat], id: String) {
    aliases.append(id)
    guard !formats.isEmpty else { return }
    switch obstacle {
    // Whoever has a device open may be PipeWire itself, which lets others in.
    case .noUsableMode, .inUse: (node, self.kind, self.formats, obstacle) = (controlNode, kind, formats, nil)
    // Through PipeWire the same device hangs.
    case .unresponsive: return
    case nil: twin = twin ?? Twin(kind: kind, formats: formats)
    }
  }
}

extension DeviceProvider.Device {
  /// Whether it is worth a word: nodes that offer nothing at all aren't ready yet, or no cameras.
  fileprivate var offersAnything: Bool { !formats.isEmpty || !unusable.names.isEmpty }

  /// The reason why it can't be opened; `nil` when it can.
  fileprivate var obstacle: CameraDevice.Obstacle? {
    formats.isEmpty ? .noUsableMode(offered: unusable.names, package: unusable.package) : nil
  }
}
