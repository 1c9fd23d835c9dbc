// One open V4L2 node: what it is and what it offers.

import CameraCore
import LinuxShim
import Localization

/// One open V4L2 node.
struct V4L2Node {
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

  /// Whether it is a part of a bigger device that another program sets up (libcamera): not a camera by itself.
  private var isPartOfMediaGraph: Bool { capabilities & Self.ioMediaController != 0 }
  /// `V4L2_CAP_IO_MC`, which headers before Linux 5.8 lack.
  private static let ioMediaController: UInt32 = 0x2000_0000

  /// What the node offers.
  func description() -> NodeDescription {
    var result = NodeDescription(card: card, bus: bus, isPartOfMediaGraph: isPartOfMediaGraph)
    var description = v4l2_fmtdesc()
    description.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    while linux_v4l2_ioctl(descriptor, linux_vidioc_enum_fmt, &description) == 0 {
      description.index += 1
      // Formats that the library makes from others (libv4l) only cost time.
      if description.flags & UInt32(V4L2_FMT_FLAG_EMULATED) != 0 { continue }
      let sizes = sizes(of: description.pixelformat)
      let mode = NodeMode.of(description.pixelformat)
      let usable = mode.flatMap { FrameDecoding.elements(for: $0.delivered) == nil ? nil : $0 }
      if let usable {
        for size in sizes where usable.isDefined(at: size) {
          let rates = rates(of: description.pixelformat, size: size)
          result.add(usable.encoding, size, rates.isEmpty ? [FrameRate(30)] : rates)
        }
      }
      let others = sizes.filter { size in usable?.isDefined(at: size) != true }
      if let largest = others.max(by: { $0.area < $1.area }) {
        let name = withUnsafeBytes(of: description.description, Self.text)
        result.otherModes.append(
          others.count == 1 ? "\(name) \(largest)" : localized("\(name) up to \(largest.description)"))
        result.package = result.package ?? mode.flatMap { FrameDecoding.missingPackage(for: $0.delivered) }
      }
    }
    return result
  }

  /// The sizes of a pixel format; none when the node doesn't have it.
  func offeredSizes(of pixelFormat: UInt32) -> [PixelSize] {
    var description = v4l2_fmtdesc()
    description.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    while linux_v4l2_ioctl(descriptor, linux_vidioc_enum_fmt, &description) == 0 {
      description.index += 1
      if description.pixelformat == pixelFormat { return sizes(of: pixelFormat) }
    }
    return []
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
    if answer.index == 0 { sizes = triedSizes(of: pixelFormat) }
    return sizes.filter { 1...Self.longest ~= $0.width && 1...Self.longest ~= $0.height }
  }

  /// The most pixels of a side, as of a JPEG. A driver that says more is wrong.
  private static let longest = 65_535

  /// The sizes of a driver that lists none, as those of older television cards: the present one and the usual ones, as far as
  /// the driver takes them.
  private func triedSizes(of pixelFormat: UInt32) -> [PixelSize] {
    func answer(_ request: UInt, _ size: PixelSize?) -> PixelSize? {
      var format = v4l2_format()
      format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
      if let size {
        format.fmt.pix.pixelformat = pixelFormat
        (format.fmt.pix.width, format.fmt.pix.height) = (UInt32(size.width), UInt32(size.height))
      }
      let isAnswered = linux_v4l2_ioctl(descriptor, request, &format) == 0
      guard isAnswered, size == nil || format.fmt.pix.pixelformat == pixelFormat else { return nil }
      return PixelSize(width: Int(format.fmt.pix.width), height: Int(format.fmt.pix.height))
    }
    let present = answer(linux_vidioc_g_fmt, nil).flatMap { 1...Self.longest ~= $0.width ? $0 : nil }
    let candidates = [present].compactMap { $0 } + Self.usualSizes.filter { $0 != present }
    return candidates.filter { $0.height <= Self.longest && answer(linux_vidioc_try_fmt, $0) == $0 }
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
    // A driver that says a thousand a second or more is wrong.
    guard interval.numerator > 0, interval.denominator > 0, interval.denominator / interval.numerator < 1000 else {
      return nil
    }
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

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
