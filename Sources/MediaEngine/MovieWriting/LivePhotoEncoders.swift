// Says whether live photos can be made here, and which packages are missing if not.

import CameraCore

/// What making live photos takes, found by looking into GStreamer's registry; nothing is loaded.
enum LivePhotoEncoders {
  /// What is missing for making one at all; the first that is found.
  ///
  /// - Parameter isInstalled: Whether GStreamer has an element of this name.
  static func missing(_ isInstalled: (String) -> Bool = GStreamerRuntime.has) -> CameraError? {
    for element in ["appsrc", "appsink", "h264parse", "mp4mux"] where !isInstalled(element) {
      return GStreamerRuntime.missing(element)
    }
    return VideoEncoder.installed(isInstalled).isEmpty ? GStreamerRuntime.missing("x264enc") : nil
  }

  /// What is missing for sound in it.
  static func missingForSound(_ isInstalled: (String) -> Bool = GStreamerRuntime.has) -> CameraError? {
    for element in ["audioconvert", "aacparse"] where !isInstalled(element) { return GStreamerRuntime.missing(element) }
    return SoundEncoder.installed(isInstalled).isEmpty ? GStreamerRuntime.missing("avenc_aac") : nil
  }

  /// Whether a live photo can be made, and if not, what to install.
  static func capability(_ isInstalled: (String) -> Bool = GStreamerRuntime.has) -> LiveCapability {
    missing(isInstalled).map { .unavailable(reason: $0.description) } ?? .available
  }

  /// All that is missing, for the picture and for the sound.
  static func missingParts(_ isInstalled: (String) -> Bool = GStreamerRuntime.has) -> [CameraError] {
    [missing(isInstalled), missingForSound(isInstalled)].compactMap { $0 }
  }
}
