// The description of a V4L2 node, its answer to being asked, and what the system knows of it without asking.

import CameraCore
import Foundation

/// A camera's node as it describes itself.
struct NodeDescription: Sendable, Equatable {
  /// The driver's name of the device.
  var card: String
  /// The bus address.
  var bus: String
  /// The modes that PhotoMe can use.
  var formats: [CameraFormat] = []
  /// The modes that it can't use, in words.
  var otherModes: [String] = []
  /// The Debian package that would make some of those usable.
  var package: String?
  /// Whether it is a part of a bigger device that another program sets up (libcamera).
  var isPartOfMediaGraph = false

  /// The rank of the best encoding, as `FrameEncoding.rank`; a rank of its own when there is none.
  var rank: Int { formats.map(\.encoding.rank).min() ?? Self.unusable }
  static let unusable = Int.max

  /// Adds a mode that PhotoMe can use. One that is known already, as `MJPG` and `JPEG` are one encoding, and a sensor's
  /// samples packed and not, gets the rates that are new.
  mutating func add(_ encoding: FrameEncoding, _ size: PixelSize, _ rates: [FrameRate]) {
    guard let known = formats.firstIndex(where: { $0.encoding == encoding && $0.size == size }) else {
      formats.append(CameraFormat(encoding: encoding, size: size, frameRates: rates))
      return
    }
    let before = formats[known].frameRates
    formats[known] = CameraFormat(
      encoding: encoding, size: size, frameRates: before + rates.filter { !before.contains($0) })
  }
}

/// The answer of a node that was opened and asked.
enum NodeAnswer: Sendable, Equatable {
  case camera(NodeDescription)
  /// It is gone, or no camera.
  case nothing
  /// It may not be opened.
  case refused
  /// It is there and can be opened once at a time; somebody has it open.
  case busy
  /// It didn't answer in time.
  case unanswered

  /// The answer of a node that can't be opened.
  ///
  /// - Parameter code: The `errno` of open(2).
  init(openingFailure code: Int32) {
    switch code {
    case EACCES, EPERM: self = .refused
    case EBUSY: self = .busy
    default: self = .nothing
    }
  }
}

/// A node as sysfs and udev know it; to find this out, the device isn't touched.
struct NodeIdentity: Sendable, Hashable {
  /// `/dev/video0`
  var path: String
  /// The driver's name of it.
  var name: String?
  /// The number within its device: a camera has further nodes for infrared pictures and metadata.
  var index = "0"
  /// The folder of the physical device in sysfs; `nil` for devices that programs make.
  var device: String?
  /// Of a USB device, as `vvvv:pppp`; identifies the same camera in other lists.
  var usbID: String?
  /// The serial number of a USB device, where it has one.
  var serial: String?
  /// The name of udev's link in `/dev/v4l/by-id`, from maker, model and serial number.
  var byID: String?
  /// The name of udev's link in `/dev/v4l/by-path`, from the plug.
  var byPath: String?
  /// Whether it has just come and udev, which runs, may not have named it yet.
  var isFresh = false
}

extension NodeIdentity {
  /// The same node without what udev adds a moment later.
  var withoutNames: NodeIdentity {
    var identity = self
    (identity.byID, identity.byPath, identity.isFresh) = (nil, nil, false)
    return identity
  }

  /// All V4L2 nodes, as people count: video2 before video10.
  static func all() -> [NodeIdentity] {
    let folder = "/sys/class/video4linux"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasPrefix("video") }
    let (byID, byPath) = (links(in: "/dev/v4l/by-id"), links(in: "/dev/v4l/by-path"))
    return names.sorted { $0.compare($1, options: .numeric) == .orderedAscending }.map { name in
      let (node, path) = ("\(folder)/\(name)", "/dev/\(name)")
      var identity = NodeIdentity(path: path, name: text(at: "\(node)/name"), index: text(at: "\(node)/index") ?? "0")
      if let vendor = text(at: "\(node)/device/../idVendor"), let product = text(at: "\(node)/device/../idProduct") {
        identity.usbID = "\(vendor):\(product)"
        identity.serial = text(at: "\(node)/device/../serial").flatMap { $0.isEmpty ? nil : $0 }
        identity.device = resolved("\(node)/device/..")
      } else {
        identity.device = resolved("\(node)/device")
      }
      (identity.byID, identity.byPath) = (byID[path], byPath[path])
      identity.isFresh = isFresh(path)
      return identity
    }
  }

  /// The links that udev makes, by the nodes that they lead to; none without udev. Of several to one node, as newer
  /// versions make them, the first in the alphabet.
  private static func links(in folder: String) -> [String: String] {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    let targets = names.compactMap { name in resolved("\(folder)/\(name)").map { ($0, name) } }
    return Dictionary(targets, uniquingKeysWith: { first, _ in first })
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func isFresh(_ path: String) -> Bool {
    guard access("/run/udev/control", F_OK) == 0 else { return false }
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return isFresh(status.st_ctim.tv_sec, now: time(nil))
  }

  /// Whether udev may not have got to a node yet.
  ///
  /// - Parameters:
  ///   - created: The time of the node in seconds since 1970. One in the future is of a clock that was set back since.
  ///   - now: The time of day in the same unit.
  static func isFresh(_ created: Int, now: Int) -> Bool { (0..<3).contains(now &- created) }

  private static func text(at path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
