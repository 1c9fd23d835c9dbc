// The installed H.264 encoders, best first, with their settings.

import CameraCore
import Synchronization

/// An H.264 encoder of GStreamer.
struct VideoEncoder: Hashable, Sendable {
  /// The element's name.
  var element: String
  /// Whether it runs on the graphics card, where it may fail at any time.
  var isHardware: Bool

  /// Hardware first, then x264, then openh264.
  static let known: [VideoEncoder] =
    ["vah264enc", "vah264lpenc", "vaapih264enc", "nvh264enc", "v4l2h264enc"].map {
      .init(element: $0, isHardware: true)
    }
    + ["x264enc", "openh264enc"].map { .init(element: $0, isHardware: false) }

  /// The installed ones, best first, without those that failed before.
  static func installed() -> [VideoEncoder] { installed(GStreamerRuntime.has) }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  static func installed(_ isInstalled: (String) -> Bool) -> [VideoEncoder] {
    let broken = failed.withLock { $0 }
    return known.filter { !broken.contains($0) && isInstalled($0.element) }
  }

  /// Excludes a hardware encoder from now on.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  func giveUp() {
    if isHardware { _ = Self.failed.withLock { $0.insert(self) } }
  }

  private static let failed = Mutex<Set<VideoEncoder>>([])

  /// Makes the element, set up for a few seconds of good quality: no B frames (decoding order is presentation order) and a
  /// key frame at least every 15 frames, so that trimming and scrubbing are exact.
  ///
  /// - Throws: `CameraError.missingPlugin`.
  func make(size: PixelSize, rate: FrameRate) throws(CameraError) -> Element {
    let encoder = try Element(element, name: "encoder")
    let bits = Int(Double(size.area) * min(60, max(10, rate.framesPerSecond)) * 0.14)
    switch element {
    case "x264enc":
      // Constant quality; at 21 indistinguishable from the source at arm's length.
      encoder.set("pass", "qual")
      encoder.set("quantizer", 21)
      // Otherwise the rate is limited to 2 Mbit/s, the default of `bitrate`.
      encoder.set("vbv-buf-capacity", 0)
      encoder.set("speed-preset", "superfast")
      encoder.set("bframes", 0)
      encoder.set("key-int-max", 15)
      // A short look ahead is enough for so short a clip, and holds fewer frames.
      encoder.set("rc-lookahead", 5)
      encoder.set("sync-lookahead", 0)
      encoder.set("threads", 2)
    case "openh264enc":
      encoder.set("rate-control", "bitrate")
      encoder.set("bitrate", bits)
      encoder.set("gop-size", 15)
      encoder.set("complexity", "low")
      encoder.set("scene-change-detection", false)
      encoder.set("multi-thread", 2)
    default:
      // The names differ from family to family; each encoder takes the ones that it has. Kilobits a second.
      encoder.set("bitrate", bits / 1000)
      for name in ["b-frames", "bframes", "max-bframes"] { encoder.set(name, 0) }
      for name in ["key-int-max", "gop-size", "keyframe-period"] { encoder.set(name, 15) }
      encoder.set(
        "extra-controls",
        "controls,video_bitrate=(int)\(bits),h264_i_frame_period=(int)15,video_gop_size=(int)15,video_b_frames=(int)0")
    }
    return encoder
  }
}
