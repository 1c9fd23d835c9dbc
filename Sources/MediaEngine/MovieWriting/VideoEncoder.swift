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

  /// Whether it was excluded.
  var isGivenUp: Bool {
    @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
    get { Self.failed.withLock { $0.contains(self) } }
  }

  private static let failed = Mutex<Set<VideoEncoder>>([])

  /// The length and the quality of a movie.
  enum Purpose: Hashable, Sendable {
    /// A few seconds of good quality, encoded beside the viewfinder.
    case clip
    /// A movie of any length, encoded as it is seen.
    case recording(RecordingSettings.Quality)

    /// Of x264's constant quality; 21 is indistinguishable from the source at arm's length, 6 less is twice the size.
    var quantizer: Int {
      switch self {
      case .clip, .recording(.standard): 21
      case .recording(.compact): 26
      case .recording(.high): 17
      }
    }

    /// Bits for a pixel of a frame, for encoders that are given a rate.
    var bitsPerPixel: Double {
      switch self {
      case .clip, .recording(.standard): 0.14
      case .recording(.compact): 0.07
      case .recording(.high): 0.24
      }
    }
  }

  /// The bit rate that is asked for, in bits a second. With x264 it is an estimate: the picture decides.
  static func bitRate(size: PixelSize, rate: FrameRate, purpose: Purpose) -> Int {
    Int(Double(size.area) * min(60, max(10, rate.framesPerSecond)) * purpose.bitsPerPixel)
  }

  /// Makes the element. There are no B frames (decoding order is presentation order), and a key frame at least every 15
  /// frames, so that trimming and scrubbing are exact; in long movies every second.
  ///
  /// - Throws: `CameraError.missingPlugin`.
  func make(size: PixelSize, rate: FrameRate, purpose: Purpose = .clip) throws(CameraError) -> Element {
    let encoder = try Element(element, name: "encoder")
    let bits = Self.bitRate(size: size, rate: rate, purpose: purpose)
    let keyInterval = purpose == .clip ? 15 : max(1, Int(rate.framesPerSecond.rounded()))
    switch element {
    case "x264enc":
      encoder.set("pass", "qual")
      encoder.set("quantizer", purpose.quantizer)
      // Otherwise the rate is limited to 2 Mbit/s, the default of `bitrate`.
      encoder.set("vbv-buf-capacity", 0)
      encoder.set("speed-preset", "superfast")
      encoder.set("bframes", 0)
      encoder.set("key-int-max", keyInterval)
      encoder.set("sync-lookahead", 0)
      if purpose == .clip {
        // A short look ahead is enough, and holds fewer frames.
        encoder.set("rc-lookahead", 5)
        encoder.set("threads", 2)
      } else {
        // It has to keep up with the camera, so it gets every core; each takes a slice of the same frame. Otherwise every
        // core would hold frames of its own, which a kill costs.
        encoder.set("rc-lookahead", 0)
        encoder.set("sliced-threads", true)
        encoder.set("threads", 0)
      }
    case "openh264enc":
      encoder.set("rate-control", "bitrate")
      encoder.set("bitrate", bits)
      encoder.set("gop-size", keyInterval)
      encoder.set("complexity", "low")
      encoder.set("scene-change-detection", false)
      encoder.set("multi-thread", purpose == .clip ? 2 : 4)
    default:
      // The names differ from family to family; each encoder takes the ones that it has. Kilobits a second.
      encoder.set("bitrate", bits / 1000)
      for name in ["b-frames", "bframes", "max-bframes"] { encoder.set(name, 0) }
      for name in ["key-int-max", "gop-size", "keyframe-period"] { encoder.set(name, keyInterval) }
      encoder.set(
        "extra-controls",
        "controls,video_bitrate=(int)\(bits),h264_i_frame_period=(int)\(keyInterval)"
          + ",video_gop_size=(int)\(keyInterval),video_b_frames=(int)0")
    }
    return encoder
  }
}
