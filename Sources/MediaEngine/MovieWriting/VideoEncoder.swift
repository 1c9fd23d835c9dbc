// The installed encoders of H.264 and HEVC, best first, with their settings.

import CGStreamer
import CameraCore
import Localization
import Synchronization

/// A video encoder of GStreamer.
struct VideoEncoder: Hashable, Sendable {
  /// The streams that encoders make.
  enum Coding: Hashable, Sendable {
    /// H.264 of 8 bits a sample.
    case h264
    /// H.265, profile Main: 8 bits a sample.
    case hevc
    /// H.265, profile Main 10: 10 bits a sample.
    case hevcMain10

    /// The layout of the frames that are encoded, 4:2:0, by GStreamer's name.
    var layout: String { self == .hevcMain10 ? DeepLayout.planar420.rawValue : MoviePictureMaker.layout }

    /// Bytes of a pixel, with its share of chroma.
    var bytesPerPixel: Double { self == .hevcMain10 ? 3 : 1.5 }

    /// The bits that a picture takes, as a share of those that H.264 takes for about the same look.
    var bitShare: Double { self == .hevc ? 0.6 : 1 }

    /// GStreamer's parser, which brings the stream into the form that an MP4 has.
    var parser: String { self == .h264 ? "h264parse" : "h265parse" }

    /// The form of the stream in an MP4. `hvc1` has the parameter sets in the sample entry alone, as Apple's players want it.
    var caps: String {
      self == .h264
        ? "video/x-h264,stream-format=(string)avc,alignment=(string)au"
        : "video/x-h265,stream-format=(string)hvc1,alignment=(string)au"
    }
  }

  /// The element's name.
  var element: String
  /// Whether it runs on the graphics card, where it may fail at any time.
  var isHardware: Bool
  var coding = Coding.h264

  /// Those of HEVC, hardware first.
  static let knownHEVC =
    ["vah265enc", "vah265lpenc", "vaapih265enc", "nvh265enc", "v4l2h265enc", "msdkh265enc"].map {
      VideoEncoder(element: $0, isHardware: true, coding: .hevc)
    } + [VideoEncoder(element: "x265enc", isHardware: false, coding: .hevc)]

  /// The installed ones of HEVC with 8 bits, best first, without those that failed before.
  static func installedHEVC() -> [VideoEncoder] { installedHEVC(GStreamerRuntime.has) }

  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  static func installedHEVC(_ isInstalled: (String) -> Bool) -> [VideoEncoder] {
    guard isInstalled(Coding.hevc.parser) else { return [] }
    let broken = failed.withLock { $0 }
    return knownHEVC.filter { !broken.contains($0) && isInstalled($0.element) }
  }

  /// Why no movie can be HEVC; `nil` when it can.
  static func hevcRefusal(_ isInstalled: (String) -> Bool = GStreamerRuntime.has) -> CameraError? {
    guard installedHEVC(isInstalled).isEmpty else { return nil }
    let missing = isInstalled("x265enc") ? Coding.hevc.parser : "x265enc"
    return .missingPlugin(
      element: missing, package: GStreamerRuntime.package(of: missing), purpose: .hevc)
  }

  /// The encoders to try for a movie, best first. H.264 comes last also where HEVC is wanted: there shall be a movie.
  ///
  /// - Parameters:
  ///   - isDeep: Whether its frames have 10 bits, which are to be kept.
  ///   - deep: The encoders of HEVC with 10 bits that can be used; the others likewise.
  static func candidates(
    for codec: RecordingSettings.Codec, isDeep: Bool, deep: () -> [VideoEncoder], hevc: () -> [VideoEncoder],
    h264: () -> [VideoEncoder]
  ) -> [VideoEncoder] {
    let kept = isDeep && codec != .h264 ? deep() : []
    return kept + (codec == .hevc ? hevc() : []) + h264()
  }

  /// Those of HEVC that may take 10 bits.
  static let knownDeep: [VideoEncoder] = knownHEVC.map {
    VideoEncoder(element: $0.element, isHardware: $0.isHardware, coding: .hevcMain10)
  }

  /// The installed ones of HEVC that take 10 bits, best first, without those that failed before.
  static func installedDeep() -> [VideoEncoder] { installedDeep(GStreamerRuntime.has, takes: takesDeep) }

  /// - Parameter takes: Whether an encoder takes frames of 10 bits.
  @inline(never)  // called by asynchronous functions: see “Locks” in MediaEngine.md
  static func installedDeep(_ isInstalled: (String) -> Bool, takes: (String) -> Bool) -> [VideoEncoder] {
    guard isInstalled(Coding.hevcMain10.parser) else { return [] }
    let broken = failed.withLock { $0 }
    return knownDeep.filter { !broken.contains($0) && isInstalled($0.element) && takes($0.element) }
  }

  /// Whether an encoder takes frames of 10 bits: that depends on the graphics card, and on how libx265 was built.
  private static func takesDeep(_ element: String) -> Bool {
    guard GStreamerRuntime.failure == nil, let factory = gst_element_factory_find(element) else { return false }
    defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
    return [DeepLayout.planar420, .p010].contains { layout in
      guard let caps = gst_caps_from_string("video/x-raw,format=(string)\(layout.rawValue)") else { return false }
      defer { gst_caps_unref(caps) }
      return gst_element_factory_can_sink_any_caps(factory, caps) != 0
    }
  }

  /// The reason why movies don't have 10 bits, and what can be done; `nil` when they can.
  static func deepRefusal() -> String? {
    installedDeep().isEmpty
      ? localized(
        "no HEVC encoder for 10 bits is installed (on Debian: \(GStreamerRuntime.package(of: "x265enc")))") : nil
  }

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

  /// The bit rate that is asked for, in bits a second. With x264 and x265 it is an estimate: the picture decides.
  static func bitRate(size: PixelSize, rate: FrameRate, purpose: Purpose, coding: Coding = .h264) -> Int {
    Int(Double(size.area) * min(60, max(10, rate.framesPerSecond)) * purpose.bitsPerPixel * coding.bitShare)
  }

  /// Makes the element. There are no B frames (decoding order is presentation order), and a key frame at least every 15
  /// frames, so that trimming and scrubbing are exact; in long movies every second.
  ///
  /// - Throws: `CameraError.missingPlugin`.
  func make(size: PixelSize, rate: FrameRate, purpose: Purpose = .clip) throws(CameraError) -> Element {
    let encoder = try Element(element, name: "encoder")
    let bits = Self.bitRate(size: size, rate: rate, purpose: purpose, coding: coding)
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
    case "x265enc":
      // Constant quality. x265's scale is about 2 above x264's for the same look, and the fastest preset costs some of
      // it: measured on moving 720p with some noise, the file is half as large as x264's, 1 dB worse, and takes 2.3 times
      // the work. A slower preset leaves frames out on a small computer.
      encoder.set("speed-preset", "ultrafast")
      encoder.set("tune", "zerolatency")
      encoder.set("key-int-max", keyInterval)
      // Every key frame can be begun at. The threads are few beside the viewfinder, and all cores' in a recording, which has
      // to keep up with the camera.
      let pools = purpose == .clip ? ":pools=2" : ""
      encoder.set("option-string", "crf=\(purpose.quantizer):bframes=0:open-gop=0:frame-threads=1\(pools)")
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
        "controls,video_bitrate=(int)\(bits)"
          + (coding == .h264 ? ",h264_i_frame_period=(int)\(keyInterval)" : "")
          + ",video_gop_size=(int)\(keyInterval),video_b_frames=(int)0")
    }
    return encoder
  }
}
