// The decoders of each kind of stream, best first.

import CGStreamer
import CameraCore

/// The decoders for live photos and movies, ours and those of phones.
///
/// decodebin knows more of them. But that of GStreamer 1.22 sometimes swallows the error of a damaged file and then never
/// ends; it also picks decoders on the graphics card, which take longer to start than a live photo lasts.
enum StreamDecoder {
  private struct Chain {
    var parser: String?
    var decoders: [String]
    /// The Debian package of the first decoder.
    var package: String
  }

  private static let known = [
    "video/x-h264": Chain(parser: "h264parse", decoders: ["avdec_h264", "openh264dec"], package: "gstreamer1.0-libav"),
    "video/x-h265": Chain(parser: "h265parse", decoders: ["avdec_h265", "libde265dec"], package: "gstreamer1.0-libav"),
    "video/x-av1": Chain(parser: "av1parse", decoders: ["av1dec", "dav1ddec"], package: "gstreamer1.0-plugins-bad"),
    "video/x-vp9": Chain(parser: "vp9parse", decoders: ["vp9dec", "avdec_vp9"], package: "gstreamer1.0-plugins-good"),
    "video/mpeg": Chain(parser: "mpeg4videoparse", decoders: ["avdec_mpeg4"], package: "gstreamer1.0-libav"),
    "image/jpeg": Chain(decoders: ["jpegdec"], package: "gstreamer1.0-plugins-good"),
    "audio/mpeg": Chain(parser: "aacparse", decoders: ["avdec_aac", "faad"], package: "gstreamer1.0-libav"),
    "audio/x-opus": Chain(decoders: ["opusdec"], package: "gstreamer1.0-plugins-base"),
    // Those of Matroska, WebM and AVI.
    "video/x-vp8": Chain(decoders: ["vp8dec", "avdec_vp8"], package: "gstreamer1.0-plugins-good"),
    "video/x-xvid": Chain(decoders: ["avdec_mpeg4"], package: "gstreamer1.0-libav"),
    "video/x-divx": Chain(decoders: ["avdec_mpeg4"], package: "gstreamer1.0-libav"),
    "video/mpeg, mpegversion=2": Chain(
      parser: "mpegvideoparse", decoders: ["avdec_mpeg2video", "mpeg2dec"], package: "gstreamer1.0-libav"),
    "audio/mpeg, mpegversion=1": Chain(
      parser: "mpegaudioparse", decoders: ["mpg123audiodec", "avdec_mp3"], package: "gstreamer1.0-plugins-good"),
    "audio/x-vorbis": Chain(decoders: ["vorbisdec"], package: "gstreamer1.0-plugins-base"),
    "audio/x-ac3": Chain(parser: "ac3parse", decoders: ["avdec_ac3", "a52dec"], package: "gstreamer1.0-libav"),
    "audio/x-eac3": Chain(parser: "ac3parse", decoders: ["avdec_eac3"], package: "gstreamer1.0-libav"),
    "audio/x-flac": Chain(
      parser: "flacparse", decoders: ["flacdec", "avdec_flac"], package: "gstreamer1.0-plugins-good"),
    "audio/x-adpcm": Chain(decoders: ["adpcmdec"], package: "gstreamer1.0-plugins-bad"),
    "audio/x-mulaw": Chain(decoders: ["mulawdec"], package: "gstreamer1.0-plugins-good"),
    "audio/x-alaw": Chain(decoders: ["alawdec"], package: "gstreamer1.0-plugins-good"),
  ]

  /// The name of a stream's type for `elements(for:)`: GStreamer's media type, with the version where one name stands for
  /// several codecs and it isn't that of MPEG-4.
  static func type(_ name: String, _ structure: UnsafePointer<GstStructure>) -> String {
    var version: gint = 4
    guard ["audio/mpeg", "video/mpeg"].contains(name), gst_structure_get_int(structure, "mpegversion", &version) != 0
    else { return name }
    if name == "audio/mpeg" { return version == 1 ? "\(name), mpegversion=1" : name }
    return version <= 2 ? "\(name), mpegversion=2" : name
  }

  /// The elements that decode a stream.
  ///
  /// - Parameter type: As `type` has it (`video/x-h264`).
  /// - Returns: `nil` for an unknown type; empty for raw streams.
  /// - Throws: `CameraError.missingPlugin` if none of the type's decoders is installed.
  static func elements(for type: String) throws(CameraError) -> [Element]? {
    if type.hasSuffix("/x-raw") { return [] }
    guard let chain = known[type] else { return nil }
    guard let decoder = chain.decoders.first(where: GStreamerRuntime.has) else {
      throw .missingPlugin(element: chain.decoders[0], package: chain.package, purpose: .playback)
    }
    var row: [Element] = []
    if let parser = chain.parser { row.append(try Element(parser)) }
    return row + [try Element(decoder)]
  }
}
