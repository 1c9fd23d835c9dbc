// Which encoders are installed, best first, and how each is set up for a live photo.

import CameraCore
import Synchronization

/// An H.264 encoder that GStreamer has.
struct VideoEncoder: Hashable, Sendable {
  /// The element's name.
  var element: String
  /// Whether it runs on the graphics card, where it may fail for reasons that only show when it is used.
  var isHardware: Bool

  /// Hardware first, then x264, then openh264.
  static let known: [VideoEncoder] =
    ["vah264enc", "vah264lpenc", "nvh264enc", "v4l2h264enc", "vaapih264enc"].map {
      .init(element: $0, isHardware: true)
    }
    + ["x264enc", "openh264enc"].map { .init(element: $0, isHardware: false) }

  /// Those that are installed, best first, without the ones that failed before.
  static func installed() -> [VideoEncoder] {
    let broken = failed.withLock { $0 }
    return known.filter { !broken.contains($0) && GStreamerRuntime.has($0.element) }
  }

  /// Leaves a hardware encoder out from now on.
  func giveUp() {
    if isHardware { _ = Self.failed.withLock { $0.insert(self) } }
  }

  private static let failed = Mutex<Set<VideoEncoder>>([])

  /// The encoder, set up for few seconds of good quality: no B frames (the frames' order is their times' order) and a key
  /// frame at least every 15 frames, so that trimming and scrubbing are exact.
  func make(size: PixelSize, rate: FrameRate) throws(CameraError) -> Element {
    let encoder = try Element(element, name: "encoder")
    let bits = Int(Double(size.area) * min(60, max(10, rate.framesPerSecond)) * 0.16)
    switch element {
    case "x264enc":
      // Constant quality: 21 can't be told from the source at arm's length.
      encoder.set("pass", "qual")
      encoder.set("quantizer", 21)
      encoder.set("speed-preset", "superfast")
      encoder.set("bframes", 0)
      encoder.set("key-int-max", 15)
      // A short look ahead is enough for so short a clip, and holds fewer frames.
      encoder.set("rc-lookahead", 5)
    case "openh264enc":
      encoder.set("rate-control", "bitrate")
      encoder.set("bitrate", bits)
      encoder.set("gop-size", 15)
      encoder.set("complexity", "low")
      encoder.set("scene-change-detection", false)
    default:
      // The names differ from family to family; each encoder takes the ones that it has. Kilobits a second.
      encoder.set("bitrate", bits / 1000)
      for name in ["b-frames", "bframes", "max-bframes"] { encoder.set(name, 0) }
      for name in ["key-int-max", "gop-size", "keyframe-period"] { encoder.set(name, 15) }
    }
    return encoder
  }
}

/// An AAC encoder that GStreamer has.
struct SoundEncoder: Hashable, Sendable {
  /// The element's name.
  var element: String
  /// By how many samples its output lags behind its input; measured with a click through encoder and decoder.
  var delay: Int

  static let known = [
    SoundEncoder(element: "fdkaacenc", delay: 2048), SoundEncoder(element: "avenc_aac", delay: 1024),
    SoundEncoder(element: "voaacenc", delay: 1600),
  ]

  /// The best one that is installed.
  static func installed() -> SoundEncoder? { known.first { GStreamerRuntime.has($0.element) } }

  func make() throws(CameraError) -> Element {
    let encoder = try Element(element, name: "soundencoder")
    encoder.set("bitrate", 128_000)
    return encoder
  }
}

/// What making and playing live photos takes.
enum MovieParts {
  /// What is missing for making one at all; the first that is found.
  static func missing() -> CameraError? {
    for element in ["appsrc", "h264parse", "mp4mux", "filesink"] where !GStreamerRuntime.has(element) {
      return GStreamerRuntime.missing(element)
    }
    return VideoEncoder.installed().isEmpty ? GStreamerRuntime.missing("x264enc") : nil
  }

  /// What is missing for sound in it.
  static func missingForSound() -> CameraError? {
    for element in ["audioconvert", "aacparse"] where !GStreamerRuntime.has(element) {
      return GStreamerRuntime.missing(element)
    }
    return SoundEncoder.installed() == nil ? GStreamerRuntime.missing("avenc_aac") : nil
  }
}
