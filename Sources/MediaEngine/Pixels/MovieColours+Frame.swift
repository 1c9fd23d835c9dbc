// What the numbers of a decoded frame mean, from what its stream says.

import CGStreamer
import CameraCore

extension MovieColours.Space {
  /// - Parameter layout: Of a decoded frame.
  init(_ layout: RawLayout) {
    var info = GstVideoInfo()
    guard let described = GstVideoInfo(layout.kind) else {
      self = .bt709
      return
    }
    info = described
    var (red, blue) = (0.0, 0.0)
    let isKnown = gst_video_color_matrix_get_Kr_Kb(info.colorimetry.matrix, &red, &blue) != 0 && red > 0 && blue > 0
    self = isKnown ? Self(red: red, blue: blue, isFullRange: false) : .bt709
    isFullRange = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255
  }
}
