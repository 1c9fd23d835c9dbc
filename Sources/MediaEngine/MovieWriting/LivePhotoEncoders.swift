// The GStreamer elements that live photos need, and their absence.

import CameraCore

/// Checks GStreamer's registry for what live photos need; nothing is loaded.
enum LivePhotoEncoders {
  /// The first missing element for live photos without sound.
  ///
  /// - Parameter isInstalled: Whether GStreamer has an element of this name.
  static func missing(_ isInstalled: (String) -> Bool = GStreamerRuntime.has) -> CameraError? {
    for element in ["appsrc", "appsink", "h264parse", "mp4mux"] where !isInstalled(element) {
      return GStreamerRuntime.missing(element)
    }
    return VideoEncoder.installed(isInstalled).isEmpty ? GStreamerRuntime.missing("x264enc") : nil
  }

  /// The first missing element for their sound.
  static func missingForSound(_ isInstalled: (String) -> Bool = GStreamerRuntime.has) -> CameraError? {
    for element in ["audioconvert", "aacparse"] where !isInstalled(element) { return GStreamerRuntime.missing(element) }
    return SoundEncoder.installed(isInstalled).isEmpty ? GStreamerRuntime.missing("avenc_aac") : nil
  }

  /// Whether live photos can be made, and if not, what to install.
  static func capability(_ isInstalled: (String) -> Bool = GStreamerRuntime.has) -> LiveCapability {
    missing(isInstalled).map { .unavailable(reason: $0.description) } ?? .available
  }

  /// The missing elements for picture and sound.
  static func missingParts(_ isInstalled: (String) -> Bool = GStreamerRuntime.has) -> [CameraError] {
    [missing(isInstalled), missingForSound(isInstalled)].compactMap { $0 }
  }
}
