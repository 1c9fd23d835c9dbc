// Startup of GStreamer, its installed elements and their Debian packages.

import CGStreamer
import CameraCore
import Localization

/// GStreamer in this process.
enum GStreamerRuntime {
  /// No time: GStreamer's `GST_CLOCK_TIME_NONE`, a macro that Swift can't read.
  static let noTime = GstClockTime.max

  /// Starts GStreamer on the first call; later ones return at once. Any thread.
  ///
  /// - Throws: `CameraError.device` with GStreamer's own message when it can't run.
  static func start() throws(CameraError) {
    if let message = failure {
      throw .device(camera: "GStreamer", message: message.isEmpty ? localized("no reason was given") : message)
    }
  }

  /// The reason why GStreamer can't run, empty where it gives none, or `nil`; evaluated once.
  static let failure: String? = {
    var error: UnsafeMutablePointer<GError>?
    guard gst_init_check(nil, nil, &error) == 0 else { return nil }
    defer { g_clear_error(&error) }
    return error.map { String(cString: $0.pointee.message) } ?? ""
  }()

  /// Whether an element is installed, by the registry; nothing is loaded.
  static func has(_ element: String) -> Bool {
    guard failure == nil, let factory = gst_element_factory_find(element) else { return false }
    gst_object_unref(UnsafeMutableRawPointer(factory))
    return true
  }

  /// The Debian package of an element that PhotoMe uses.
  static func package(of element: String) -> String {
    switch element {
    case "appsrc", "appsink", "audioconvert", "audioresample", "videoconvert", "videoscale", "decodebin",
      "giostreamsrc",
      "filesink", "capsfilter", "queue", "volume", "uridecodebin":
      "gstreamer1.0-plugins-base"
    case "mp4mux", "qtmux", "qtdemux", "matroskademux", "avidemux", "aacparse", "autoaudiosink":
      "gstreamer1.0-plugins-good"
    case "pulsesrc", "pulsesink": "gstreamer1.0-pulseaudio"
    case "pipewiresrc": "gstreamer1.0-pipewire"
    case "x264enc": "gstreamer1.0-plugins-ugly"
    case "h264parse", "h265parse", "x265enc", "openh264enc", "openh264dec", "bayer2rgb", "fdkaacenc", "voaacenc":
      "gstreamer1.0-plugins-bad"
    case "avenc_aac", "avdec_h264", "avdec_aac": "gstreamer1.0-libav"
    default: "gstreamer1.0-plugins-good"
    }
  }

  /// The purpose of an element.
  static func purpose(of element: String) -> CameraError.Purpose {
    switch element {
    case "pipewiresrc": .pipeWireCameras
    case "pulsesrc": .sound
    case "mp4mux", "h264parse", "x264enc", "aacparse": .livePhotos
    case "avenc_aac": .soundOfLivePhotos
    case "qtdemux", "matroskademux", "avidemux", "decodebin", "avdec_h264": .livePhotoPlayback
    case "bayer2rgb", "openh264dec": .pictures
    default: .camera
    }
  }

  /// The error for an element that isn't installed.
  static func missing(_ element: String) -> CameraError {
    .missingPlugin(element: element, package: package(of: element), purpose: purpose(of: element))
  }
}
