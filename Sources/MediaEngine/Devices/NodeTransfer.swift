// The meaning of a V4L2 device's samples.

import CameraCore
import Foundation
import LinuxShim

/// Asks cameras whether their samples are in proportion to the light.
enum NodeTransfer {
  /// The answer for the mode that a camera is in; linear, as of sensors, where it doesn't tell. Blocks as long as the
  /// device does.
  static func ask(_ camera: CameraDevice.Kind) -> BayerFrame.Transfer {
    switch camera {
    // Its colors are a screen's.
    case .test: return .sRGB
    case .pipeWire: return .linear
    case .v4l2(let path):
      let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { return .linear }
      defer { close(descriptor) }
      var format = v4l2_format()
      format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
      guard linux_v4l2_ioctl(descriptor, linux_vidioc_g_fmt, &format) == 0 else { return .linear }
      return transfer(colorSpace: format.fmt.pix.colorspace, function: format.fmt.pix.xfer_func)
    }
  }

  /// The transfer function by V4L2's rules (linux/videodev2.h, `V4L2_MAP_XFER_FUNC_DEFAULT`). BT.709's curve is taken for
  /// sRGB's, from which it differs little.
  static func transfer(colorSpace: UInt32, function: UInt32) -> BayerFrame.Transfer {
    switch function {
    case V4L2_XFER_FUNC_709.rawValue, V4L2_XFER_FUNC_SRGB.rawValue: .sRGB
    case V4L2_XFER_FUNC_DEFAULT.rawValue:
      [V4L2_COLORSPACE_SRGB.rawValue, V4L2_COLORSPACE_JPEG.rawValue, V4L2_COLORSPACE_REC709.rawValue].contains(
        colorSpace)
        ? .sRGB : .linear
    default: .linear
    }
  }
}
