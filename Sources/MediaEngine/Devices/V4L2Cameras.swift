// Enumeration of V4L2 cameras (/dev/video*).

import CameraCore
import Foundation
import LinuxShim

/// A scan of all V4L2 nodes. Opens each for a moment; this works for a camera that another program uses as well.
enum V4L2Cameras {
  /// A camera that was found.
  struct Found: Sendable {
    var device: CameraDevice
    /// `/dev/video0`
    var path: String
    /// Of a USB camera, as `vvvv:pppp`; identifies the same camera in other lists.
    var usbID: String?
  }

  /// The cameras, and the nodes that may not be opened.
  struct Look: Sendable {
    var cameras: [Found] = []
    var refusedPaths: [String] = []
    /// There are cameras that udev is still naming; scan again in a moment.
    var hasUnnamed = false
  }

  /// Scans. Takes a millisecond per node; any thread.
  static func look() -> Look {
    var look = Look()
    let folder = "/sys/class/video4linux"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasPrefix("video") }
    let links = DeviceLinks()
    // As people count: video2 before video10.
    for name in names.sorted(by: { $0.compare($1, options: .numeric) == .orderedAscending }) {
      let path = "/dev/\(name)"
      let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else {
        if errno == EACCES || errno == EPERM { look.refusedPaths.append(path) }
        continue
      }
      defer { close(descriptor) }
      guard let node = V4L2Node(descriptor), node.isCamera else { continue }
      let formats = node.formats()
      // Metadata nodes have none; infrared ones only gray formats, which are not offered.
      guard !formats.isEmpty else { continue }
      let link = links.name(of: path)
      if link == nil, isBeingNamed(descriptor) {
        look.hasUnnamed = true
        continue
      }
      // Without udev: the driver's names, and the node's number within its device.
      let index = text(at: "\(folder)/\(name)/index") ?? "0"
      let id = link ?? "\(node.bus)-\(node.card)-\(index)"
      var usbID: String?
      if let vendor = text(at: "\(folder)/\(name)/device/../idVendor"),
        let product = text(at: "\(folder)/\(name)/device/../idProduct")
      {
        usbID = "\(vendor):\(product)"
      }
      look.cameras.append(
        Found(
          device: CameraDevice(id: "v4l2:\(id)", name: node.card, kind: .v4l2(path: path), formats: formats),
          path: path, usbID: usbID))
    }
    return look
  }

  /// Whether a node has just come and udev, which runs, hasn't got to it: its id would change in a moment.
  private static func isBeingNamed(_ descriptor: Int32) -> Bool {
    guard access("/run/udev/control", F_OK) == 0 else { return false }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    return time(nil) - status.st_ctim.tv_sec < 3
  }

  private static func text(at path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// The stable names that udev gives to device nodes.
private struct DeviceLinks {
  private var names: [String: String] = [:]

  /// Reads `/dev/v4l`; there is none without udev.
  init() {
    // The id has the camera's serial number and follows it from plug to plug. Two cameras of a kind without serial
    // numbers share one; the second is then known by its plug.
    for folder in ["/dev/v4l/by-path", "/dev/v4l/by-id"] {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        guard let resolved = realpath("\(folder)/\(name)", nil) else { continue }
        names[String(cString: resolved)] = name
        free(resolved)
      }
    }
  }

  func name(of path: String) -> String? { names[path] }
}

/// One open V4L2 node.
private struct V4L2Node {
  /// The device's name.
  let card: String
  /// The bus address.
  let bus: String
  private let descriptor: Int32
  private let capabilities: UInt32

  /// - Returns: `nil` when it is no V4L2 device.
  init?(_ descriptor: Int32) {
    var answer = v4l2_capability()
    guard linux_v4l2_ioctl(descriptor, linux_vidioc_querycap, &answer) == 0 else { return nil }
    self.descriptor = descriptor
    card = withUnsafeBytes(of: answer.card, Self.text)
    bus = withUnsafeBytes(of: answer.bus_info, Self.text)
    let hasOwn = answer.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
    capabilities = hasOwn ? answer.device_caps : answer.capabilities
  }

  /// Whether pictures can be streamed from it, and it is no codec or output.
  var isCamera: Bool {
    func has(_ flag: Int32) -> Bool { capabilities & UInt32(bitPattern: flag) != 0 }
    return has(V4L2_CAP_VIDEO_CAPTURE) && has(V4L2_CAP_STREAMING) && !has(V4L2_CAP_VIDEO_OUTPUT)
      && !has(V4L2_CAP_VIDEO_M2M) && !has(V4L2_CAP_META_CAPTURE)
  }

  /// The modes that PhotoMe can use.
  func formats() -> [CameraFormat] {
    var formats: [CameraFormat] = []
    var description = v4l2_fmtdesc()
    description.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    while linux_v4l2_ioctl(descriptor, linux_vidioc_enum_fmt, &description) == 0 {
      description.index += 1
      guard let encoding = Self.encodings[description.pixelformat] else { continue }
      // Formats that the library makes from others (libv4l) only cost time.
      if description.flags & UInt32(V4L2_FMT_FLAG_EMULATED) != 0 { continue }
      for size in sizes(of: description.pixelformat) {
        let rates = rates(of: description.pixelformat, size: size)
        let format = CameraFormat(
          encoding: encoding, size: size, frameRates: rates.isEmpty ? [FrameRate(30)] : rates)
        // `MJPG` and `JPEG` are one encoding here.
        if !formats.contains(where: { $0.encoding == encoding && $0.size == size }) { formats.append(format) }
      }
    }
    return formats
  }

  private func sizes(of pixelFormat: UInt32) -> [PixelSize] {
    var sizes: [PixelSize] = []
    var answer = v4l2_frmsizeenum()
    answer.pixel_format = pixelFormat
    while linux_v4l2_ioctl(descriptor, linux_vidioc_enum_framesizes, &answer) == 0 {
      answer.index += 1
      if answer.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
        sizes.append(PixelSize(width: Int(answer.discrete.width), height: Int(answer.discrete.height)))
      } else {
        let range = answer.stepwise
        return Self.usualSizes.filter {
          Self.fits($0.width, range.min_width, range.max_width, range.step_width)
            && Self.fits($0.height, range.min_height, range.max_height, range.step_height)
        }
      }
    }
    return sizes.filter { $0.width > 0 && $0.height > 0 }
  }

  private func rates(of pixelFormat: UInt32, size: PixelSize) -> [FrameRate] {
    var rates: [FrameRate] = []
    var answer = v4l2_frmivalenum()
    answer.pixel_format = pixelFormat
    answer.width = UInt32(size.width)
    answer.height = UInt32(size.height)
    while linux_v4l2_ioctl(descriptor, linux_vidioc_enum_frameintervals, &answer) == 0 {
      answer.index += 1
      if answer.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue {
        if let rate = Self.rate(interval: answer.discrete) { rates.append(rate) }
      } else {
        let (shortest, longest) = (Self.rate(interval: answer.stepwise.min), Self.rate(interval: answer.stepwise.max))
        guard let shortest, let longest else { return [] }
        let usual = Self.usualRates.filter { $0 < shortest && longest < $0 }
        return [shortest] + usual + (longest < shortest ? [longest] : [])
      }
    }
    return rates
  }

  private static func rate(interval: v4l2_fract) -> FrameRate? {
    guard interval.numerator > 0, interval.denominator > 0 else { return nil }
    return FrameRate(Int(interval.denominator), Int(interval.numerator))
  }

  private static func fits(_ value: Int, _ least: UInt32, _ most: UInt32, _ step: UInt32) -> Bool {
    let (least, most, step) = (Int(least), Int(most), max(1, Int(step)))
    return value >= least && value <= most && (value - least) % step == 0
  }

  /// Of devices that can do any size.
  private static let usualSizes = ["640x360", "640x480", "800x600", "1280x720", "1280x960", "1920x1080"]
    .compactMap { PixelSize($0) }

  /// Of devices that can do any rate.
  private static let usualRates = [60, 30, 25, 15, 10, 5].map { FrameRate($0) }

  /// V4L2's pixel formats (linux/videodev2.h) by GStreamer's names. What is left out can't be used as it is: gray
  /// (infrared), Bayer patterns, H.264.
  private static let encodings: [UInt32: FrameEncoding] = {
    var encodings: [UInt32: FrameEncoding] = [code("MJPG"): .motionJPEG, code("JPEG"): .motionJPEG]
    let raw = [
      "YUYV": "YUY2", "UYVY": "UYVY", "YVYU": "YVYU", "VYUY": "VYUY", "NV12": "NV12", "NV21": "NV21", "YU12": "I420",
      "YV12": "YV12", "422P": "Y42B", "NV16": "NV16", "NV24": "NV24", "RGB3": "RGB", "BGR3": "BGR", "XR24": "BGRx",
      "BX24": "xRGB",
    ]
    for (name, layout) in raw { encodings[code(name)] = .raw(layout) }
    return encodings
  }()

  private static func code(_ name: String) -> UInt32 {
    name.utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
