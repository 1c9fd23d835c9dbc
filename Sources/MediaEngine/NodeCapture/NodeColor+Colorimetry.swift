// GStreamer's name of the color space that a V4L2 driver states.

import CGStreamer
import CameraCore
import LinuxShim

extension NodeColor {
  /// The color space in GStreamer's notation; `nil` where the driver doesn't say.
  ///
  /// Whatever the driver leaves open follows from the rest by the rules of linux/videodev2.h
  /// (`V4L2_MAP_YCBCR_ENC_DEFAULT` and its like).
  ///
  /// - Parameter layout: GStreamer's name of the pictures' layout.
  func colorimetry(of layout: String) -> String? {
    guard let primaries = Self.primaries[space] else { return nil }
    let isRGB = layout.contains("RGB") || layout.contains("BGR")
    var colorimetry = GstVideoColorimetry()
    colorimetry.primaries = primaries
    colorimetry.matrix = isRGB ? GST_VIDEO_COLOR_MATRIX_RGB : matrixName
    colorimetry.transfer = transferName
    // JPEG's is the one color space whose luma has no headroom; red, green and blue have none in any.
    let isFull =
      quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue
      || (quantization == V4L2_QUANTIZATION_DEFAULT.rawValue && (isRGB || space == V4L2_COLORSPACE_JPEG.rawValue))
    colorimetry.range = isFull ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235
    guard let text = gst_video_colorimetry_to_string(&colorimetry) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }

  private var isWide: Bool { space == V4L2_COLORSPACE_BT2020.rawValue }

  private var matrixName: GstVideoColorMatrix {
    switch v4l2_ycbcr_encoding(matrix) {
    case V4L2_YCBCR_ENC_601, V4L2_YCBCR_ENC_XV601: return GST_VIDEO_COLOR_MATRIX_BT601
    case V4L2_YCBCR_ENC_709, V4L2_YCBCR_ENC_XV709: return GST_VIDEO_COLOR_MATRIX_BT709
    case V4L2_YCBCR_ENC_BT2020, V4L2_YCBCR_ENC_BT2020_CONST_LUM: return GST_VIDEO_COLOR_MATRIX_BT2020
    case V4L2_YCBCR_ENC_SMPTE240M: return GST_VIDEO_COLOR_MATRIX_SMPTE240M
    default: break
    }
    return switch v4l2_colorspace(space) {
    case V4L2_COLORSPACE_REC709, V4L2_COLORSPACE_DCI_P3: GST_VIDEO_COLOR_MATRIX_BT709
    case V4L2_COLORSPACE_BT2020: GST_VIDEO_COLOR_MATRIX_BT2020
    case V4L2_COLORSPACE_SMPTE240M: GST_VIDEO_COLOR_MATRIX_SMPTE240M
    default: GST_VIDEO_COLOR_MATRIX_BT601
    }
  }

  private var transferName: GstVideoTransferFunction {
    let ordinary = isWide ? GST_VIDEO_TRANSFER_BT2020_10 : GST_VIDEO_TRANSFER_BT709
    switch v4l2_xfer_func(transfer) {
    case V4L2_XFER_FUNC_709: return ordinary
    case V4L2_XFER_FUNC_SRGB: return GST_VIDEO_TRANSFER_SRGB
    case V4L2_XFER_FUNC_OPRGB: return GST_VIDEO_TRANSFER_ADOBERGB
    case V4L2_XFER_FUNC_SMPTE240M: return GST_VIDEO_TRANSFER_SMPTE240M
    case V4L2_XFER_FUNC_NONE: return GST_VIDEO_TRANSFER_GAMMA10
    case V4L2_XFER_FUNC_SMPTE2084: return GST_VIDEO_TRANSFER_SMPTE2084
    default: break
    }
    return switch v4l2_colorspace(space) {
    case V4L2_COLORSPACE_SRGB, V4L2_COLORSPACE_JPEG: GST_VIDEO_TRANSFER_SRGB
    case V4L2_COLORSPACE_OPRGB: GST_VIDEO_TRANSFER_ADOBERGB
    case V4L2_COLORSPACE_SMPTE240M: GST_VIDEO_TRANSFER_SMPTE240M
    default: ordinary
    }
  }

  private static let primaries: [UInt32: GstVideoColorPrimaries] = [
    V4L2_COLORSPACE_SMPTE170M.rawValue: GST_VIDEO_COLOR_PRIMARIES_SMPTE170M,
    V4L2_COLORSPACE_SMPTE240M.rawValue: GST_VIDEO_COLOR_PRIMARIES_SMPTE240M,
    V4L2_COLORSPACE_REC709.rawValue: GST_VIDEO_COLOR_PRIMARIES_BT709,
    V4L2_COLORSPACE_SRGB.rawValue: GST_VIDEO_COLOR_PRIMARIES_BT709,
    V4L2_COLORSPACE_JPEG.rawValue: GST_VIDEO_COLOR_PRIMARIES_BT709,
    V4L2_COLORSPACE_470_SYSTEM_M.rawValue: GST_VIDEO_COLOR_PRIMARIES_BT470M,
    V4L2_COLORSPACE_470_SYSTEM_BG.rawValue: GST_VIDEO_COLOR_PRIMARIES_BT470BG,
    V4L2_COLORSPACE_BT2020.rawValue: GST_VIDEO_COLOR_PRIMARIES_BT2020,
    V4L2_COLORSPACE_OPRGB.rawValue: GST_VIDEO_COLOR_PRIMARIES_ADOBERGB,
    V4L2_COLORSPACE_DCI_P3.rawValue: GST_VIDEO_COLOR_PRIMARIES_SMPTERP431,
  ]
}
