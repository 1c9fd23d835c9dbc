// Enumeration of V4L2 cameras (/dev/video*).

import CameraCore
import Foundation

/// A scan of all V4L2 nodes. Opens each for a moment; this works for a camera that another program uses as well.
enum V4L2Cameras {
  /// A camera that was found.
  struct Found: Sendable, Equatable {
    var device: CameraDevice
    /// `/dev/video0`
    var path: String
    /// Of a USB camera, as `vvvv:pppp`; identifies the same camera in other lists.
    var usbID: String?
  }

  /// The cameras, and the nodes that may not be opened.
  struct Look: Sendable, Equatable {
    /// Those that can be opened come first.
    var cameras: [Found] = []
    var refusedPaths: [String] = []
    /// Further nodes of the same devices, which are no cameras of their own: for infrared pictures, for example.
    var hiddenPaths: Set<String> = []
    /// There are cameras that udev is still naming; scan again in a moment.
    var hasUnnamed = false
  }

  /// Scans. Takes a millisecond per node, and as long as the probes' limit when one hangs; for a thread that may wait.
  static func look(_ probes: NodeProbes) -> Look {
    // What a node offers is held against the installed decoders. GStreamer's first start takes seconds on a slow machine,
    // which would pass for the device's silence.
    _ = GStreamerRuntime.failure
    let identities = NodeIdentity.all()
    return arrange(probes.remembering(Array(zip(identities, probes.answers(of: identities.map(\.path))))))
  }

  /// Opens a node and asks it. Blocks as long as the device does.
  static func ask(_ path: String) -> NodeAnswer {
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return NodeAnswer(openingFailure: errno) }
    defer { close(descriptor) }
    guard let node = V4L2Node(descriptor), node.isCamera else { return .nothing }
    return .camera(node.description())
  }

  /// Makes cameras of nodes.
  ///
  /// Of the nodes of one device only those with the best encodings are cameras: an infrared, H.264 or Bayer node beside one
  /// with ordinary pictures shows the same again, or nothing that anyone would want. A device with nothing that can be
  /// used, and one that doesn't answer, is listed once, with what is in the way.
  static func arrange(_ nodes: [(NodeIdentity, NodeAnswer)]) -> Look {
    var look = Look()
    let naming = CameraNaming(nodes.map(\.0))
    var best: [String: Int] = [:]
    for case (let identity, .camera(let description)) in nodes {
      let group = group(identity, description)
      best[group] = min(best[group] ?? .max, description.rank)
    }
    var listedDevices: Set<String> = []
    var obstructed: [Found] = []
    var usable: [(Found, rank: Int)] = []
    for (identity, answer) in nodes {
      switch answer {
      case .nothing: break
      case .refused: look.refusedPaths.append(identity.path)
      case .unanswered, .busy:
        let group = identity.device ?? identity.path
        guard best[group] == nil, listedDevices.insert(group).inserted else { continue }
        obstructed.append(naming.unasked(identity, answer == .busy ? .inUse : .unresponsive))
      case .camera(let description):
        // Metadata nodes offer nothing at all.
        guard !description.formats.isEmpty || !description.otherModes.isEmpty else { continue }
        let group = group(identity, description)
        let isListed = listedDevices.contains(group)
        let isExtra = description.rank > (best[group] ?? .max) || (description.formats.isEmpty && isListed)
        if isExtra || (description.isPartOfMediaGraph && description.rank > 0) {
          look.hiddenPaths.insert(identity.path)
        } else if naming.isUnnamed(identity) {
          look.hasUnnamed = true
        } else {
          listedDevices.insert(group)
          let found = naming.camera(identity, description)
          if found.device.obstacle == nil {
            usable.append((found, description.rank))
          } else {
            obstructed.append(found)
          }
        }
      }
    }
    // Gray pictures are what one takes when there is nothing else. The order of nodes stays among equals.
    let ranked = usable.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
    look.cameras = ranked.map(\.element.0) + obstructed
    return look
  }

  private static func group(_ identity: NodeIdentity, _ description: NodeDescription) -> String {
    identity.device ?? (description.bus.isEmpty ? identity.path : description.bus)
  }
}

/// The names and ids of cameras, which must outlive a restart and, where the camera can be told from others of its model,
/// a change of the plug.
struct CameraNaming {
  /// Serial numbers that several devices have: their makers gave all the same.
  private let sharedSerials: Set<String>

  init(_ nodes: [NodeIdentity]) {
    var devices: [String: Set<String>] = [:]
    for node in nodes {
      if let key = Self.serialKey(node) { devices[key, default: []].insert(node.device ?? node.path) }
    }
    sharedSerials = Set(devices.filter { $0.value.count > 1 }.keys)
  }

  private static func serialKey(_ node: NodeIdentity) -> String? {
    node.serial.map { "\(node.usbID ?? "")-\($0)" }
  }

  /// The serial number with the USB id, where it belongs to one device only.
  private func ownSerial(_ node: NodeIdentity) -> String? {
    Self.serialKey(node).flatMap { sharedSerials.contains($0) ? nil : $0 }
  }

  /// Whether udev hasn't got to the node yet: its id would change in a moment.
  func isUnnamed(_ node: NodeIdentity) -> Bool {
    node.isFresh && (ownSerial(node) == nil ? node.byPath == nil && node.byID == nil : node.byID == nil)
  }

  /// The id, without the prefix: with a serial number the name that has it; else the plug's, since two cameras of one
  /// model can't be told apart otherwise. Without udev the driver's names and the node's number within its device.
  func id(_ node: NodeIdentity, bus: String, card: String) -> String {
    if let serial = ownSerial(node) { return node.byID ?? "\(serial)-\(node.index)" }
    return node.byPath ?? "\(bus)-\(card)-\(node.index)"
  }

  /// The name of a camera for people. uvcvideo puts the name of the device and that of its function, which are mostly the
  /// same, into 31 bytes: `Integrated Camera: Integrated C`.
  static func displayName(of card: String) -> String {
    guard let colon = card.firstRange(of: ": ") else { return card }
    let (device, function) = (card[..<colon.lowerBound], card[colon.upperBound...])
    return !device.isEmpty && device.hasPrefix(function) ? String(device) : card
  }

  func camera(_ node: NodeIdentity, _ description: NodeDescription) -> V4L2Cameras.Found {
    let id = "v4l2:\(id(node, bus: description.bus, card: description.card))"
    let obstacle: CameraDevice.Obstacle? =
      description.formats.isEmpty
      ? .noUsableMode(offered: description.otherModes, package: description.package) : nil
    return V4L2Cameras.Found(
      device: CameraDevice(
        id: id, name: Self.displayName(of: description.card), kind: .v4l2(path: node.path),
        formats: description.formats, obstacle: obstacle, aliases: aliases(node, besides: id)),
      path: node.path, usbID: node.usbID)
  }

  /// A camera that could not be asked what it offers.
  func unasked(_ node: NodeIdentity, _ obstacle: CameraDevice.Obstacle) -> V4L2Cameras.Found {
    // Where neither udev nor a serial number names it, the node's path has to do.
    let id = "v4l2:\(ownSerial(node) == nil && node.byPath == nil ? node.path : self.id(node, bus: "", card: ""))"
    return V4L2Cameras.Found(
      device: CameraDevice(
        id: id, name: node.name.map { "\(Self.displayName(of: $0)) (\(node.path))" } ?? node.path,
        kind: .v4l2(path: node.path), formats: [],
        obstacle: obstacle, aliases: aliases(node, besides: id)),
      path: node.path, usbID: node.usbID)
  }

  /// Cameras without a serial number once had ids without the plug.
  private func aliases(_ node: NodeIdentity, besides id: String) -> [String] {
    node.byID.map { "v4l2:\($0)" }.flatMap { $0 == id ? nil : [$0] } ?? []
  }
}
