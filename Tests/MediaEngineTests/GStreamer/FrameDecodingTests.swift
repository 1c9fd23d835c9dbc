// Cameras whose frames must be decoded before they are kept, and frames with rows of their own padding.

import CGStreamer
import CameraCore
import Synchronization
import Testing

@testable import MediaEngine

@Suite(.timeLimit(.minutes(30))) struct FrameDecodingTests {
  @Test("Each encoding has its elements, and without them a package that has them")
  func elements() {
    let all: (String) -> Bool = { _ in true }
    #expect(FrameDecoding.elements(for: .motionJPEG, isInstalled: all) == [])
    #expect(FrameDecoding.elements(for: .raw("YUY2"), isInstalled: all) == [])
    #expect(FrameDecoding.elements(for: .raw("GRAY8"), isInstalled: all) == ["videoconvert"])
    #expect(FrameDecoding.elements(for: .bayer("rggb"), isInstalled: all) == ["bayer2rgb", "videoconvert"])
    #expect(FrameDecoding.elements(for: .h264, isInstalled: all) == ["h264parse", "avdec_h264", "videoconvert"])
    #expect(
      FrameDecoding.elements(for: .h264) { $0 != "avdec_h264" } == ["h264parse", "openh264dec", "videoconvert"])
    #expect(FrameDecoding.elements(for: .h264) { !$0.contains("dec") } == nil)
    #expect(FrameDecoding.missingPackage(for: .h264) { !$0.contains("dec") } == "gstreamer1.0-libav")
    #expect(FrameDecoding.missingPackage(for: .h264) { $0 != "h264parse" } == "gstreamer1.0-plugins-bad")
    #expect(FrameDecoding.missingPackage(for: .bayer("rggb")) { $0 != "bayer2rgb" } == "gstreamer1.0-plugins-bad")
    #expect(FrameDecoding.missingPackage(for: .bayer("rggb"), isInstalled: all) == nil)
  }

  @Test("H.264 and Bayer modes are offered where they can be decoded, gray ones always")
  func offered() throws {
    try GStreamerRuntime.start()
    let text = """
      video/x-raw, format=GRAY8, width=640, height=480, framerate=30/1; \
      video/x-raw, format=GRAY16_LE, width=640, height=480, framerate=30/1; \
      video/x-bayer, format=rggb, width=640, height=480, framerate=30/1; \
      video/x-h264, width=1280, height=720, framerate=30/1
      """
    let caps = try #require(gst_caps_from_string(text))
    defer { gst_caps_unref(caps) }
    let expected: [FrameEncoding] = [.raw("GRAY8"), .raw("GRAY16_LE"), .bayer("rggb"), .h264]
    #expect(
      CameraFormat.all(in: caps).map(\.encoding) == expected.filter { FrameDecoding.elements(for: $0) != nil })
  }

  /// A receiver that keeps the first picture's layout.
  private final class FirstPicture: SampleReceiver {
    let caps = OneShot<String, Never>()

    func receive(_ buffer: UnsafeMutablePointer<GstBuffer>, caps: UnsafeMutablePointer<GstCaps>?) {
      guard let structure = gst_caps_get_structure(caps, 0), let name = gst_structure_get_string(structure, "format")
      else { return }
      self.caps.decide(.success(String(cString: name)))
    }
  }

  @Test("The frames of every such camera arrive as I420", arguments: ["GRAY8", "GRAY16_LE", "rggb", "H264"])
  @PipelineActor func decoded(name: String) async throws {
    let encoding: FrameEncoding =
      switch name {
      case "rggb": .bayer("rggb")
      case "H264": .h264
      default: .raw(name)
      }
    guard FrameDecoding.elements(for: encoding) != nil else { return }
    let format = CameraFormat(
      encoding: encoding, size: PixelSize(width: 64, height: 48), frameRates: [FrameRate(30)])
    let receiver = FirstPicture()
    let pipeline = try Pipeline(name: "decoding", baseTime: nil)
    let source = try Element("videotestsrc")
    source.set("num-buffers", 30)
    var chain = [source]
    if encoding == .h264 {
      guard GStreamerRuntime.has("x264enc") else { return }
      let encoder = try Element("x264enc")
      encoder.set("tune", "zerolatency")
      chain.append(encoder)
    }
    let filter = try Element("capsfilter")
    filter.setCaps(format.caps(rate: FrameRate(30)))
    chain.append(filter)
    chain += try FrameDecoding.chain(for: encoding)
    chain.append(try AppSink.make(receiver: receiver))
    try pipeline.add(chain: chain)
    pipeline.playInBackground()
    #expect(await receiver.caps.wait() == "I420")
    await pipeline.stopInBackground(atMost: .seconds(10))
  }

  @Test("A camera's sink accepts rows of any padding, for which a source asks before it copies frames")
  func paddedRows() throws {
    func accepts(_ sink: Element) throws -> Bool {
      gst_element_set_state(sink.pointer, GST_STATE_PAUSED)
      defer { gst_element_set_state(sink.pointer, GST_STATE_NULL) }
      let pad = try #require(sink.pad("sink"))
      defer { gst_object_unref(pad) }
      let caps = try #require(gst_caps_from_string("video/x-raw,format=BGR,width=641,height=361,framerate=30/1"))
      defer { gst_caps_unref(caps) }
      let query = try #require(gst_query_new_allocation(caps, 0))
      defer { gst_query_unref(query) }
      let isAnswered = gst_pad_query(pad, query) != 0
      return isAnswered && gst_query_find_allocation_meta(query, gst_video_meta_api_get_type(), nil) != 0
    }
    try GStreamerRuntime.start()
    let plain = try AppSink.make(receiver: FirstPicture())
    #expect(try !accepts(plain))
    let padded = try AppSink.make(receiver: FirstPicture())
    AppSink.acceptPaddedRows(padded)
    #expect(try accepts(padded))
  }
}
