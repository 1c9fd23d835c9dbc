// Which AAC encoders are installed, best first, and by how much each lags behind.

import CameraCore

/// An AAC encoder that GStreamer has.
struct SoundEncoder: Hashable, Sendable {
  /// The element's name.
  var element: String
  /// The samples that come out of a decoder before the first one that went in. A property of the encoder, which
  /// GStreamer doesn't tell; measured with a click through encoder and decoder. The movie's edit list skips them.
  var delay: Int

  static let known = [
    SoundEncoder(element: "fdkaacenc", delay: 2048), SoundEncoder(element: "avenc_aac", delay: 1024),
    SoundEncoder(element: "voaacenc", delay: 1600),
  ]

  /// Those that are installed, best first.
  static func installed() -> [SoundEncoder] { installed(GStreamerRuntime.has) }

  static func installed(_ isInstalled: (String) -> Bool) -> [SoundEncoder] {
    known.filter { isInstalled($0.element) }
  }

  func make(channels: Int) throws(CameraError) -> Element {
    let encoder = try Element(element, name: "soundencoder")
    encoder.set("bitrate", channels == 1 ? 96_000 : 128_000)
    return encoder
  }
}
