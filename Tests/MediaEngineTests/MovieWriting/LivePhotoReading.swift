// Reads a written movie back through GStreamer's own demuxer and decoders, for the tests of the writer.

import CGStreamer
import CameraCore
import Foundation

@testable import MediaEngine

/// The contents of a movie: frames, sound, codecs.
struct LivePhotoReading {
  struct Picture {
    /// In seconds.
    var time: Double
    var number: UInt32?
    /// Of the brightness plane, from 0 to 255.
    var mean: Double
  }

  struct Problem: Error {
    var message: String
  }

  var pictures: [Picture] = []
  /// Of one channel, from the movie's start on; silence where the track has none.
  var samples: [Int16] = []
  /// In seconds, of the first sample that was decoded.
  var soundStart: Double?
  /// The colorimetry and the codec's profile as GStreamer reads them.
  var videoCaps = ""
  var audioCaps = ""
  /// The pictures, if wanted.
  var images: [DecodedImage] = []

  /// - Parameter keeping: The places of the pictures to keep.
  init(_ url: URL, keeping: Set<Int> = []) throws {
    try GStreamerRuntime.start()
    let bytes = String(decoding: try Data(contentsOf: url), as: UTF8.self)
    let codec = bytes.contains("hvcC") ? "h265" : "h264"
    let room = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0"
    var description =
      "filesrc location=\"\(url.path)\" ! qtdemux name=d d.video_0 ! \(room) ! \(codec)parse ! avdec_\(codec) ! "
      + "\(room) ! appsink name=picture sync=false "
    let hasSound = bytes.contains("soun")
    if hasSound {
      description +=
        "d.audio_0 ! \(room) ! aacparse ! avdec_aac ! audioconvert ! audio/x-raw,format=S16LE ! \(room) ! "
        + "appsink name=sound sync=false"
    }
    var error: UnsafeMutablePointer<GError>?
    guard let pipeline = gst_parse_launch(description, &error) else {
      defer { g_clear_error(&error) }
      throw Problem(message: error.map { String(cString: $0.pointee.message) } ?? "no pipeline")
    }
    defer {
      gst_element_set_state(pipeline, GST_STATE_NULL)
      gst_object_unref(pipeline)
    }
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
    try readPictures(pipeline, keeping)
    if hasSound { try readSound(pipeline) }
  }

  private func samples(
    _ name: String, of pipeline: UnsafeMutablePointer<GstElement>, _ body: (OpaquePointer, Double) throws -> Void
  ) throws {
    guard let sink = gst_bin_get_by_name(UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self), name)
    else { throw Problem(message: "no \(name)") }
    defer { gst_object_unref(sink) }
    let appsink = UnsafeMutableRawPointer(sink).assumingMemoryBound(to: GstAppSink.self)
    while let sample = gst_app_sink_try_pull_sample(appsink, 20_000_000_000) {
      defer { gst_sample_unref(sample) }
      guard let buffer = gst_sample_get_buffer(sample), let segment = gst_sample_get_segment(sample) else { continue }
      let time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, buffer.pointee.pts)
      try body(sample, time == GstClockTime.max ? -1 : Double(time) / 1e9)
    }
    guard gst_app_sink_is_eos(appsink) != 0 else { throw Problem(message: "the \(name) did not end") }
  }

  private mutating func readPictures(_ pipeline: UnsafeMutablePointer<GstElement>, _ keeping: Set<Int>) throws {
    var (pictures, caps, images): ([Picture], String, [DecodedImage]) = ([], "", [])
    try samples("picture", of: pipeline) { sample, time in
      var info = GstVideoInfo()
      var frame = GstVideoFrame()
      caps = Self.text(gst_sample_get_caps(sample))
      guard gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) != 0,
        gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ) != 0
      else { throw Problem(message: "a picture can't be read") }
      defer { gst_video_frame_unmap(&frame) }
      guard let luma = frame.data.0?.assumingMemoryBound(to: UInt8.self) else { throw Problem(message: "no pixels") }
      let (width, height, stride) = (Int(info.width), Int(info.height), Int(frame.info.stride.0))
      var sum = 0
      for y in Swift.stride(from: 0, to: height, by: 4) {
        for x in Swift.stride(from: 0, to: width, by: 4) { sum += Int(luma[y * stride + x]) }
      }
      if keeping.contains(pictures.count) { images.append(try Self.image(frame)) }
      pictures.append(
        Picture(
          time: time,
          number: FrameNumberMark.read(luma: UnsafePointer(luma), width: width, height: height, stride: stride),
          mean: Double(sum * 16) / Double(width * height)))
    }
    (self.pictures, videoCaps, self.images) = (pictures, caps, images)
  }

  private static func image(_ frame: GstVideoFrame) throws -> DecodedImage {
    let size = PixelSize(width: Int(frame.info.width), height: Int(frame.info.height))
    let planes = [frame.data.0, frame.data.1, frame.data.2].compactMap { $0 }
    let strides = [frame.info.stride.0, frame.info.stride.1, frame.info.stride.2].map { Int($0) }
    let rows = [size.height, size.height / 2, size.height / 2]
    var layout = RawLayout(name: "I420", size: size, strides: strides, offsets: [])
    var bytes: [UInt8] = []
    for (plane, start) in planes.enumerated() {
      layout.offsets.append(bytes.count)
      bytes += UnsafeRawBufferPointer(start: start, count: strides[plane] * rows[plane])
    }
    return image(bytes, layout, red: 0.2126, blue: 0.0722)
  }

  /// The colors of limited range I420 pixels, by the book: GStreamer's own converter rounds down in several steps.
  ///
  /// - Parameters: The weights of red and blue in brightness: 0.299 and 0.114 in BT.601, 0.2126 and 0.0722 in BT.709.
  static func image(_ bytes: [UInt8], _ layout: RawLayout, red: Double, blue: Double) -> DecodedImage {
    let size = layout.size
    let block = FrameBlock(count: size.area * 4) { memory in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let luma = Double(Int(bytes[layout.offsets[0] + y * layout.strides[0] + x]) - 16) * 255 / 219
          let cb = Double(Int(bytes[layout.offsets[1] + y / 2 * layout.strides[1] + x / 2]) - 128) * 255 / 224
          let cr = Double(Int(bytes[layout.offsets[2] + y / 2 * layout.strides[2] + x / 2]) - 128) * 255 / 224
          let (r, b) = (luma + 2 * (1 - red) * cr, luma + 2 * (1 - blue) * cb)
          let g = (luma - red * r - blue * b) / (1 - red - blue)
          for (channel, value) in [b, g, r, 0].enumerated() {
            memory[(y * size.width + x) * 4 + channel] = UInt8(min(255, max(0, value.rounded())))
          }
        }
      }
    }
    return DecodedImage(size: size, stride: size.width * 4, block: block)
  }

  private mutating func readSound(_ pipeline: UnsafeMutablePointer<GstElement>) throws {
    var (track, start, caps): ([Int16], Double?, String) = ([], nil, "")
    try samples("sound", of: pipeline) { sample, time in
      var info = GstAudioInfo()
      var map = GstMapInfo()
      caps = Self.text(gst_sample_get_caps(sample))
      let buffer = gst_sample_get_buffer(sample)
      guard gst_audio_info_from_caps(&info, gst_sample_get_caps(sample)) != 0,
        gst_buffer_map(buffer, &map, GST_MAP_READ) != 0
      else { throw Problem(message: "sound can't be read") }
      defer { gst_buffer_unmap(buffer, &map) }
      if start == nil { start = time }
      let place = Int((time * 48_000).rounded())
      if place > track.count { track += [Int16](repeating: 0, count: place - track.count) }
      let values = UnsafeRawBufferPointer(start: map.data, count: Int(map.size)).bindMemory(to: Int16.self)
      track += stride(from: 0, to: values.count, by: Int(info.channels)).map { values[$0] }
    }
    (samples, soundStart, audioCaps) = (track, start, caps)
  }

  private static func text(_ caps: UnsafeMutablePointer<GstCaps>?) -> String {
    guard let caps, let text = gst_caps_to_string(caps) else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// The instants at which the picture becomes bright, in seconds.
  var flashes: [Double] {
    zip(pictures, pictures.dropFirst()).filter { $1.mean - $0.mean > 15 }.map { $1.time }
  }

  /// The instants at which beeps begin, in seconds.
  var beeps: [Double] {
    var beeps: [Double] = []
    for (index, sample) in samples.enumerated() where abs(Int(sample)) > 2_000 {
      if Double(index) / 48_000 - (beeps.last ?? -1) > 0.3 { beeps.append(Double(index) / 48_000) }
    }
    // One beep lasts 100 ms; without a pause of 300 ms before it, it is the same.
    return beeps
  }
}
