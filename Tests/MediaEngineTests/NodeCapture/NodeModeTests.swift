// The pixel formats that are read from the device itself, and the agreement on one of them.

import CGStreamer
import CameraCore
import Foundation
import Testing

@testable import MediaEngine

@Suite struct NodeModeTests {
  private static let size = PixelSize(width: 64, height: 48)

  private static func format(_ name: String, _ size: PixelSize = size) -> NodeFormat {
    NodeFormat(pixelFormat: NodeMode.code(name), size: size, stride: 0, byteCount: 1 << 20)
  }

  private static func opened(_ formats: [String: FrameRate?], _ fault: SimulatedNode.Fault = .none) throws(NodeFailure)
    -> any CaptureNode
  {
    let modes = formats.map { (format($0), $1) }
    return try SimulatedNode(Dictionary(uniqueKeysWithValues: modes), fault: fault).opening("")
  }

  @Test("Every number is one mode's, and all that sensors send can be delivered")
  func table() {
    #expect(Set(NodeMode.all.map(\.pixelFormat)).count == NodeMode.all.count)
    #expect(NodeMode.all.count { $0.encoding.bayerLayout != nil } == 32)
    for mode in NodeMode.all {
      #expect(mode.isDefined(at: Self.size), "\(mode)")
      if let layout = mode.encoding.bayerLayout {
        #expect(mode.delivered == .bayer(layout.pattern.rawValue))
      }
    }
    // linux/videodev2.h.
    for (name, encoding) in [
      ("RG10", "rggb10le"), ("BA10", "grbg10le"), ("BYR2", "bggr16le"), ("pgAA", "grbg10le"), ("pRCC", "rggb12le"),
      ("GR14", "grbg14le"), ("pBEE", "bggr14le"), ("GB16", "gbrg16le"),
    ] {
      #expect(NodeMode.of(NodeMode.code(name))?.encoding == .bayer(encoding), "\(name)")
    }
    #expect(NodeMode.code("RG10") == 0x3031_4752)
    #expect(NodeMode.of(NodeMode.code("P010"))?.delivered == .raw("P010_10LE"))
    #expect(NodeMode.of(NodeMode.code("Y210"))?.delivered == .raw("Y210"))
    #expect(NodeMode.of(NodeMode.code("Y12 "))?.delivered == .raw("GRAY16_LE"))
    #expect(NodeMode.all(for: .motionJPEG).map(\.pixelFormat) == [NodeMode.code("MJPG"), NodeMode.code("JPEG")])
    #expect(NodeMode.of(NodeMode.code("XVID")) == nil)
  }

  @Test("Pictures that stay as they are have GStreamer's planes, of whatever size they are defined at")
  func planes() throws {
    try GStreamerRuntime.start()
    for mode in NodeMode.all {
      guard case .raw(let layout) = mode.delivered, layout == mode.encoding.description else { continue }
      for size in [Self.size, PixelSize(width: 642, height: 358), PixelSize(width: 641, height: 359)] {
        guard mode.isDefined(at: size) else { continue }
        let kind = RawConverter.Kind(layout: layout, size: size)
        let (picture, count) = try #require(RawConverter.defaultLayout(of: kind), "\(layout)")
        #expect(mode.planes.count == picture.strides.count)
        for (plane, stride) in zip(mode.planes, picture.strides) {
          // GStreamer's rows begin at multiples of four, or twice that.
          #expect((0..<8).contains(stride - plane.rowBytes(of: size)), "\(layout) \(size)")
        }
        let rows = zip(mode.planes, picture.strides).map { $0.rowCount(of: size) * $1 }
        #expect(rows.reduce(0, +) == count, "\(layout) \(size)")
      }
    }
  }

  @Test("Packed rows hold whole groups of pixels")
  func groups() throws {
    let packed = try #require(NodeMode.of(NodeMode.code("pRAA")))
    #expect(packed.planes == [NodeMode.Plane(bytes: 5, columns: 4)])
    #expect(!packed.isDefined(at: PixelSize(width: 62, height: 48)))
    let twelve = try #require(NodeMode.of(NodeMode.code("pRCC")))
    #expect(twelve.planes == [NodeMode.Plane(bytes: 3, columns: 2)])
    #expect(twelve.isDefined(at: PixelSize(width: 62, height: 48)))
    #expect(NodeMode.of(NodeMode.code("P010"))?.isDefined(at: PixelSize(width: 64, height: 47)) == false)
    #expect(NodeMode.of(NodeMode.code("Y210"))?.isDefined(at: PixelSize(width: 64, height: 47)) == true)
  }

  @Test("Pixel formats of one encoding are one mode of the list, with the rates of all")
  func list() {
    var description = NodeDescription(card: "Sensor", bus: "platform")
    description.add(.bayer("rggb10le"), Self.size, [FrameRate(15)])
    description.add(.bayer("rggb10le"), Self.size, [FrameRate(30), FrameRate(15)])
    description.add(.motionJPEG, Self.size, [FrameRate(15)])
    description.add(.motionJPEG, Self.size, [FrameRate(30)])
    #expect(
      description.formats.map(\.frameRates) == [[FrameRate(30), FrameRate(15)], [FrameRate(30), FrameRate(15)]])
  }

  @Test("The pixel format is taken that the device has, and of two the one at the wanted rate")
  func negotiation() throws {
    let modes = NodeMode.all(for: .bayer("rggb10le"))
    #expect(modes.map(\.pixelFormat) == [NodeMode.code("RG10"), NodeMode.code("pRAA")])
    func choice(_ formats: [String: FrameRate?]) throws -> UInt32 {
      let node = try Self.opened(formats)
      return try NodeNegotiation.set(modes, Self.size, FrameRate(30), of: node).format.pixelFormat
    }
    #expect(try choice(["RG10": nil]) == NodeMode.code("RG10"))
    #expect(try choice(["pRAA": nil, "YUYV": nil]) == NodeMode.code("pRAA"))
    #expect(try choice(["pRAA": FrameRate(30), "RG10": FrameRate(30)]) == NodeMode.code("RG10"))
    #expect(try choice(["pRAA": FrameRate(30), "RG10": FrameRate(15)]) == NodeMode.code("pRAA"))
    #expect(try choice(["pRAA": FrameRate(5), "RG10": FrameRate(15)]) == NodeMode.code("RG10"))
    #expect(throws: NodeFailure(step: .setting, number: EINVAL)) { try choice(["YUYV": nil]) }
    let busy = NodeFailure(step: .setting, number: EBUSY)
    #expect(throws: busy) {
      let node = try Self.opened(["RG10": nil], .refuses(busy))
      _ = try NodeNegotiation.set(modes, Self.size, FrameRate(30), of: node)
    }
  }

  @Test("An errno has the meaning that it has from GStreamer's source")
  func codes() {
    #expect(NodeFailure(step: .setting, number: EBUSY).code == GST_RESOURCE_ERROR_BUSY)
    #expect(NodeFailure(step: .opening, number: EACCES).code == GST_RESOURCE_ERROR_NOT_AUTHORIZED)
    #expect(NodeFailure(step: .reading, number: ENODEV).code == GST_RESOURCE_ERROR_NOT_FOUND)
    #expect(NodeFailure(step: .setting, number: ENOSPC).code == GST_RESOURCE_ERROR_SETTINGS)
    #expect(NodeFailure(step: .reading, number: EIO).code == GST_RESOURCE_ERROR_READ)
    #expect(NodeFailure(step: .opening, number: EIO).code == GST_RESOURCE_ERROR_OPEN_READ)
  }

  @Test("A driver's color space is GStreamer's, and what it leaves open follows by V4L2's rules")
  func colorimetry() throws {
    try GStreamerRuntime.start()
    // Numbers of linux/videodev2.h: space, matrix, quantization, transfer. GStreamer's: range, matrix, transfer, primaries.
    let table: [(NodeColor, String?)] = [
      (NodeColor(), nil), (NodeColor(space: 11), nil),
      (NodeColor(space: 3), "bt709"),
      (NodeColor(space: 1), "2:4:5:4"),
      (NodeColor(space: 8), "2:4:7:1"),
      (NodeColor(space: 7), "1:4:7:1"),
      (NodeColor(space: 10), "bt2020-10"),
      (NodeColor(space: 10, transfer: 7), "bt2100-pq"),
      (NodeColor(space: 3, quantization: 1), "1:3:5:1"),
      (NodeColor(space: 8, matrix: 2, quantization: 2, transfer: 1), "bt709"),
    ]
    for (color, name) in table {
      guard let name else {
        #expect(color.colorimetry(of: "YUY2") == nil)
        continue
      }
      var (found, wanted) = (GstVideoColorimetry(), GstVideoColorimetry())
      gst_video_colorimetry_from_string(&found, color.colorimetry(of: "YUY2") ?? "")
      gst_video_colorimetry_from_string(&wanted, name)
      #expect(gst_video_colorimetry_is_equal(&found, &wanted) != 0, "\(color): \(color.colorimetry(of: "YUY2") ?? "")")
    }
    // Red, green and blue have a range without headroom, and no matrix.
    #expect(NodeColor(space: 8).colorimetry(of: "BGRx") == "sRGB")
    #expect(NodeColor(space: 8, quantization: 2).colorimetry(of: "RGB")?.hasPrefix("2:1:") == true)
  }
}
