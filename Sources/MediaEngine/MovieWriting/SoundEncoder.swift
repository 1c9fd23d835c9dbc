// The installed AAC encoders, best first, with their delays.

import CameraCore

/// An AAC encoder of GStreamer.
struct SoundEncoder: Hashable, Sendable {
  /// The element's name.
  var element: String
  /// The samples that come out of a decoder before the first one that went in. GStreamer doesn't tell; measured with a
  /// click through encoder and decoder. The movie's edit list skips them.
  var delay: Int

  static let known = [
    SoundEncoder(element: "fdkaacenc", delay: 2048), SoundEncoder(element: "avenc_aac", delay: 1024),
    SoundEncoder(element: "voaacenc", delay: 1600),
  ]

  /// The installed ones, best first.
  static func installed() -> [SoundEncoder] { installed(GStreamerRuntime.has) }

  static func installed(_ isInstalled: (String) -> Bool) -> [SoundEncoder] {
    known.filter { isInstalled($0.element) }
  }

  /// Makes the element.
  ///
  /// - Throws: `CameraError.missingPlugin`.
  func make(channels: Int) throws(CameraError) -> Element {
    let encoder = try Element(element, name: "soundencoder")
    encoder.set("bitrate", channels == 1 ? 96_000 : 128_000)
    return encoder
  }
}
