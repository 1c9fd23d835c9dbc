// Which elements decode which kind of stream, best first.

import CameraCore

/// The decoders of the streams that live photos and movies have, ours and those of phones.
///
/// decodebin would know more of them. But in GStreamer 1.22 it now and then swallows the error of a damaged file, and
/// then nothing ever ends; it also takes decoders on the graphics card, which need longer to start than a live photo
/// lasts.
enum StreamDecoder {
  private struct Way {
    var parser: String?
    var decoders: [String]
    /// The Debian package of the first decoder.
    var package: String
  }

  private static let known = [
    "video/x-h264": Way(parser: "h264parse", decoders: ["avdec_h264", "openh264dec"], package: "gstreamer1.0-libav"),
    "video/x-h265": Way(parser: "h265parse", decoders: ["avdec_h265", "libde265dec"], package: "gstreamer1.0-libav"),
    "video/x-av1": Way(parser: "av1parse", decoders: ["av1dec", "dav1ddec"], package: "gstreamer1.0-plugins-bad"),
    "video/x-vp9": Way(parser: "vp9parse", decoders: ["vp9dec", "avdec_vp9"], package: "gstreamer1.0-plugins-good"),
    "video/mpeg": Way(parser: "mpeg4videoparse", decoders: ["avdec_mpeg4"], package: "gstreamer1.0-libav"),
    "image/jpeg": Way(decoders: ["jpegdec"], package: "gstreamer1.0-plugins-good"),
    "audio/mpeg": Way(parser: "aacparse", decoders: ["avdec_aac", "faad"], package: "gstreamer1.0-libav"),
    "audio/x-opus": Way(decoders: ["opusdec"], package: "gstreamer1.0-plugins-base"),
  ]

  /// The elements that decode a stream.
  ///
  /// - Parameter type: The stream's media type, as GStreamer has it.
  /// - Returns: `nil` for a type that isn't known; empty for one that needs no decoding.
  /// - Throws: `CameraError.missingPlugin` when it could be decoded if something was installed.
  static func elements(for type: String) throws(CameraError) -> [Element]? {
    if type.hasSuffix("/x-raw") { return [] }
    guard let way = known[type] else { return nil }
    guard let decoder = way.decoders.first(where: GStreamerRuntime.has) else {
      throw .missingPlugin(element: way.decoders[0], package: way.package, purpose: "play this movie")
    }
    var row: [Element] = []
    if let parser = way.parser { row.append(try Element(parser)) }
    return row + [try Element(decoder)]
  }
}
