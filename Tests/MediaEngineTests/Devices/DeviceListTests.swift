// Cameras as they are listed: merged from several ways to them, with the modes that can be used.

import CGStreamer
import CameraCore
import Testing

@testable import MediaEngine

@Suite("Devices")
struct DeviceListTests {
  private static let formats = [
    CameraFormat(encoding: .motionJPEG, size: PixelSize(width: 1280, height: 720), frameRates: [FrameRate(30)])
  ]

  private func kernel(_ name: String, path: String, usbID: String? = nil) -> V4L2Cameras.Found {
    V4L2Cameras.Found(
      device: CameraDevice(id: "v4l2:\(name)", name: name, kind: .v4l2(path: path), formats: Self.formats), path: path,
      usbID: usbID)
  }

  private func merge(_ found: [V4L2Cameras.Found], _ pipeWire: [DeviceProvider.Device]) -> [CameraDevice] {
    DeviceWatcher.merge(V4L2Cameras.Look(cameras: found), pipeWire)
  }

  private func pipeWire(_ node: String?, deviceClass: String = "Video/Source", _ more: [String: String] = [:])
    -> DeviceProvider.Device
  {
    var properties = more
    properties["node.name"] = node
    return DeviceProvider.Device(
      name: "A camera", deviceClass: deviceClass, formats: Self.formats, properties: properties, internalName: nil)
  }

  @Test("A camera that the kernel and PipeWire both show is one, and the kernel's way is taken")
  func merged() {
    let found = [kernel("cam", path: "/dev/video0", usbID: "046d:0825")]
    for same in [
      ["api.v4l2.path": "/dev/video0"], ["object.path": "v4l2:/dev/video0"],
      ["api.libcamera.path": "\\_SB_.PCI0.XHC_.RHUB.HS05-5:1.0-046d:0825"],
    ] {
      let cameras = merge(found, [pipeWire("node", same)])
      #expect(cameras.map(\.id) == ["v4l2:cam"], "\(same)")
      #expect(cameras.first?.kind == .v4l2(path: "/dev/video0"))
      #expect(cameras.first?.twin == .init(kind: .pipeWire(node: "node"), formats: Self.formats))
      #expect(cameras.first?.answers(to: "pipewire:node") == true)
    }
  }

  @Test("Of two cameras of one model libcamera's isn't taken for either, nor for a third")
  func ambiguousTwin() {
    let found = [
      kernel("a", path: "/dev/video0", usbID: "046d:0825"), kernel("b", path: "/dev/video2", usbID: "046d:0825"),
    ]
    let cameras = merge(found, [pipeWire("node", ["api.libcamera.path": "HS05-5:1.0-046d:0825"])])
    #expect(cameras.map(\.id) == ["v4l2:a", "v4l2:b"])
    #expect(cameras.allSatisfy { $0.twin == nil })
  }

  @Test("A camera without a usable mode is opened by PipeWire where that has one; else it comes last")
  func obstructed() {
    var found = kernel("cam", path: "/dev/video0")
    found.device.formats = []
    found.device.obstacle = .noUsableMode(offered: ["10-bit Bayer up to 1280x720"], package: nil)
    let same = ["api.v4l2.path": "/dev/video0"]
    let served = merge([found], [pipeWire("node", same)])
    #expect(served.map(\.id) == ["v4l2:cam"])
    #expect(served.first?.kind == .pipeWire(node: "node") && served.first?.obstacle == nil)
    #expect(merge([found], [pipeWire("phone")]).map(\.id) == ["pipewire:phone", "v4l2:cam"])
    found.device.obstacle = .unresponsive
    #expect(merge([found], [pipeWire("node", same)]).first?.obstacle == .unresponsive)
  }

  @Test("PipeWire's view of a hidden node is hidden too")
  func hiddenTwin() {
    let look = V4L2Cameras.Look(
      cameras: [kernel("cam", path: "/dev/video0")], hiddenPaths: ["/dev/video2"])
    let infrared = pipeWire("infrared", ["api.v4l2.path": "/dev/video2"])
    #expect(DeviceWatcher.merge(look, [infrared]).map(\.id) == ["v4l2:cam"])
  }

  @Test("Others are cameras of their own, by their node's name")
  func separate() {
    let found = [kernel("cam", path: "/dev/video0", usbID: "046d:0825")]
    let other = pipeWire("phone", ["node.description": "My phone", "api.v4l2.path": "/dev/video2"])
    let cameras = merge(found, [other, pipeWire("screen", ["object.path": "v4l2:/dev/video4"])])
    #expect(cameras.map(\.id) == ["v4l2:cam", "pipewire:phone", "pipewire:screen"])
    #expect(cameras.map(\.name) == ["cam", "My phone", "A camera"])
    #expect(cameras[1].kind == .pipeWire(node: "phone"))
  }

  @Test("What is no camera, has no name or offers nothing at all is not listed")
  func useless() {
    var empty = pipeWire("virtual")
    empty.formats = []
    let devices = [pipeWire("speaker", deviceClass: "Audio/Sink"), pipeWire(nil), empty]
    #expect(merge([], devices).isEmpty)
  }

  @Test(
    "PipeWire's cameras without a usable mode are listed last, with what they offer, unless the kernel's way serves")
  func unusableNode() {
    var odd = pipeWire("odd")
    odd.formats = []
    odd.unusable = UnusableModes(names: ["H.265 1280x720"], package: nil)
    let cameras = merge([], [odd, pipeWire("phone")])
    #expect(cameras.map(\.id) == ["pipewire:phone", "pipewire:odd"])
    #expect(cameras.last?.obstacle == .noUsableMode(offered: ["H.265 1280x720"], package: nil))
    odd.properties["api.v4l2.path"] = "/dev/video0"
    let twin = merge([kernel("cam", path: "/dev/video0")], [odd])
    #expect(twin.map(\.id) == ["v4l2:cam"] && twin.first?.obstacle == nil && twin.first?.twin == nil)
    #expect(twin.first?.answers(to: "pipewire:odd") == true)
  }

  @Test(
    "What can't be used is told in words, an encoding once",
    arguments: [
      ("video/x-h265, width=1280, height=720", ["H.265 1280x720"]),
      ("video/x-h265, width={640, 1280}, height=720", ["H.265 up to 1280x720"]),
      ("video/x-raw, format={YUY2, P012_LE}, width=640, height=480", ["P012_LE 640x480"]),
      ("video/x-raw, format=I420, width=641, height=361", ["I420 641x361"]),
      ("video/x-raw(memory:DMABuf), format=NV12, width=640, height=480", ["NV12 in graphics memory 640x480"]),
      ("video/x-bayer, format=rggb16le, width=[1, 4000], height=[1, 3000]", ["Bayer rggb16le up to 1920x1080"]),
      (
        "video/x-raw, format=P012_LE, width=64, height=48; video/x-raw, format=P012_LE, width=32, height=24",
        ["P012_LE up to 64x48"]
      ),
      ("image/jpeg, width=1280, height=720", []), ("video/x-vp8", ["video/x-vp8"]),
    ])
  func unusable(text: String, names: [String]) throws {
    try GStreamerRuntime.start()
    let caps = try #require(gst_caps_from_string(text))
    defer { gst_caps_unref(caps) }
    #expect(UnusableModes(in: caps).names == names)
  }

  private func formats(_ text: String) throws -> [CameraFormat] {
    try GStreamerRuntime.start()
    let caps = try #require(gst_caps_from_string(text))
    defer { gst_caps_unref(caps) }
    return CameraFormat.all(in: caps)
  }

  @Test("Lists of sizes, layouts and rates are read")
  func lists() throws {
    let found = try formats(
      """
      image/jpeg, width=1280, height=720, framerate={ (fraction)30/1, (fraction)15/1 }; \
      video/x-raw, format={ (string)YUY2, (string)NV12 }, width=640, height=480, framerate=30/1
      """)
    #expect(found.map(\.encoding) == [.motionJPEG, .raw("YUY2"), .raw("NV12")])
    #expect(found[0].frameRates == [FrameRate(30), FrameRate(15)])
    #expect(found[1].size == PixelSize(width: 640, height: 480))
  }

  @Test("The same mode in several places is one, with all its rates")
  func mergedRates() throws {
    let found = try formats(
      "image/jpeg, width=640, height=480, framerate=30/1; image/jpeg, width=640, height=480, framerate={ 30/1, 10/1 }")
    #expect(found.count == 1)
    #expect(found.first?.frameRates == [FrameRate(30), FrameRate(10)])
  }

  @Test("Of ranges, the usual sizes and rates are taken")
  func ranges() throws {
    let found = try formats(
      "video/x-raw, format=I420, width=[ 16, 1280, 16 ], height=[ 16, 720 ], framerate=[ 0/1, 30/1 ]")
    #expect(
      found.map(\.size) == [
        PixelSize(width: 640, height: 360), PixelSize(width: 640, height: 480), PixelSize(width: 800, height: 600),
        PixelSize(width: 1280, height: 720),
      ])
    #expect(found.first?.frameRates.contains(FrameRate(30)) == true)
    #expect(found.first?.frameRates.contains(FrameRate(60)) == false)
  }

  @Test(
    "What can't be shown is not offered",
    arguments: [
      "video/x-bayer, format=bggr10le, width=640, height=480, framerate=30/1",
      "video/x-raw, format=YUY2, width=641, height=480, framerate=30/1",
      "video/x-raw, format=NV12, width=640, height=361, framerate=30/1",
      "video/x-raw(memory:DMABuf), format=NV12, width=640, height=480, framerate=30/1",
      "video/x-raw, format=YUY2, width=0, height=480, framerate=30/1", "audio/x-raw, rate=48000",
    ])
  func refused(caps: String) throws {
    #expect(try formats(caps).isEmpty)
  }

  @Test("A camera that doesn't say its rate counts as one of 30 a second")
  func unknownRate() throws {
    for rate in ["", ", framerate=0/1"] {
      #expect(try formats("image/jpeg, width=640, height=480\(rate)").first?.frameRates == [FrameRate(30)])
    }
  }

  @Test("A rate that no camera has is read all the same")
  func absurdRate() throws {
    let caps = "image/jpeg, width=640, height=480, framerate="
    #expect(try formats(caps + "1/2147483647").first?.frameRates == [FrameRate(1, 2_147_483_647)])
    #expect(try formats(caps + "2147483647/1").first?.frameRates == [FrameRate(30)])
  }

  @Test("Raw frames are kept as they came while the pre-roll fits, and smaller where not")
  func keeping() {
    let limit = 64 << 20
    let cases: [(layout: String, bytes: Int, width: Int, height: Int, rate: Int, kept: FrameKeeping)] = [
      // 1.5 s are 46 frames of 1.4 MB.
      ("I420", 1280 * 720 * 3 / 2, 1280, 720, 30, .asItCame),
      ("YUY2", 640 * 480 * 2, 640, 480, 30, .asItCame),
      // 85 MB as it came, 64 MB with half the chroma.
      ("YUY2", 1280 * 720 * 2, 1280, 720, 30, .halfColor),
      ("YUY2", 1920 * 1080 * 2, 1920, 1080, 30, .jpeg),
      ("NV12", 1920 * 1080 * 3 / 2, 1920, 1080, 30, .jpeg),
      ("YUY2", 1920 * 1080 * 2, 1920, 1080, 5, .asItCame),
    ]
    for example in cases {
      let kept = FrameKeeping.choose(
        layout: example.layout, size: PixelSize(width: example.width, height: example.height), byteCount: example.bytes,
        rate: FrameRate(example.rate), preRoll: .seconds(1.5), limit: limit)
      #expect(kept == example.kept, "\(example)")
    }
  }
}
