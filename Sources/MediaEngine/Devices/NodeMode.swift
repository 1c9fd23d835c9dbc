// The V4L2 pixel formats that PhotoMe reads.

import CameraCore

/// A pixel format of a V4L2 device, as its memory has it and as the pipeline gets it.
///
/// What GStreamer has a name for stays as it is. Of more than 8 bits a sample, a sensor's own samples go to the DNG as they
/// are, while everything else gets the upper 8 bits, which is what the same sensor sends in a mode of 8 bits; pictures
/// without colors become GStreamer's `GRAY16_LE`.
///
/// Source: linux/videodev2.h; the kernel's “Image Formats”: “Raw Bayer Formats”, “RGB Formats”, “YUV Formats”, “Luma-Only
/// Formats”, “Compressed Formats”.
struct NodeMode: Hashable, Sendable {
  /// A plane of a picture in memory: the bytes of its rows, without their padding.
  struct Plane: Hashable, Sendable {
    /// The bytes of so many columns of the picture.
    var bytes: Int
    var columns = 1
    /// The rows of the picture that one row of the plane stands for.
    var rows = 1

    /// The bytes of a row.
    func rowBytes(of size: PixelSize) -> Int { size.width / columns * bytes }
    /// The number of rows.
    func rowCount(of size: PixelSize) -> Int { size.height / rows }
  }

  /// A frame in memory.
  enum Samples: Hashable, Sendable {
    /// Each in the lower bits of two bytes, the lower byte first.
    case words(bits: Int)
    /// As MIPI CSI-2 packs them: the upper 8 bits of some samples, a byte each, and then their other bits, the lowest
    /// first.
    case packed(bits: Int)
    /// As GStreamer has them, but for the padding of the rows: one plane behind the other.
    case planes([Plane])
    /// A picture that is compressed by itself, or the next one of a stream.
    case compressed
  }

  let pixelFormat: UInt32
  /// The mode's name in the list of formats: with the bits that the camera sends.
  let encoding: FrameEncoding
  let samples: Samples

  /// What the pipeline gets.
  var delivered: FrameEncoding {
    switch (encoding, samples) {
    case (.bayer, _): encoding.bayerLayout.map { .bayer($0.pattern.rawValue) } ?? encoding
    case (_, .words), (_, .packed): .raw("GRAY16_LE")
    default: encoding
    }
  }

  /// Whether each frame is a picture without the one before it.
  var isIndependent: Bool { encoding != .h264 }

  /// The pixels whose samples are packed together; 1 where none are.
  var pixelsInGroup: Int {
    // As many as have whole bytes of lower bits.
    if case .packed(let bits) = samples { bits == 12 ? 2 : 4 } else { 1 }
  }

  /// The planes in the driver's memory; none of what is compressed.
  var planes: [Plane] {
    switch samples {
    case .words: [Plane(bytes: 2)]
    case .packed(let bits): [Plane(bytes: pixelsInGroup * bits / 8, columns: pixelsInGroup)]
    case .planes(let planes): planes
    case .compressed: []
    }
  }

  /// Whether frames of this size have a defined layout in memory.
  func isDefined(at size: PixelSize) -> Bool {
    encoding.isDefined(at: size) && delivered.isDefined(at: size) && size.width % pixelsInGroup == 0
  }

  /// The mode of a pixel format; `nil` for those that can't be read.
  static func of(_ pixelFormat: UInt32) -> NodeMode? { byPixelFormat[pixelFormat] }

  /// The pixel formats that are one encoding in the list of formats, those that need no unpacking first; none for
  /// encodings that no device has.
  static func all(for encoding: FrameEncoding) -> [NodeMode] { all.filter { $0.encoding == encoding } }

  private static let byPixelFormat = Dictionary(uniqueKeysWithValues: all.map { ($0.pixelFormat, $0) })

  /// All of them.
  static let all: [NodeMode] = {
    var modes: [NodeMode] = []
    func add(_ name: String, _ encoding: FrameEncoding, _ samples: Samples) {
      modes.append(NodeMode(pixelFormat: code(name), encoding: encoding, samples: samples))
    }
    func add(_ layouts: [String: String], _ planes: Plane...) {
      for (name, layout) in layouts.sorted(by: <) { add(name, .raw(layout), .planes(planes)) }
    }
    func add(_ bits: Int, isPacked: Bool, gray: String?, _ patterns: [String: String]) {
      let samples: Samples = isPacked ? .packed(bits: bits) : .words(bits: bits)
      for (pattern, name) in patterns.sorted(by: <) { add(name, .bayer("\(pattern)\(bits)le"), samples) }
      if let gray { add(gray, .raw("GRAY\(bits)_LE16"), samples) }
    }
    add("MJPG", .motionJPEG, .compressed)
    add("JPEG", .motionJPEG, .compressed)
    add("H264", .h264, .compressed)
    // The kernel calls all 8-bit gray and infrared pictures `GREY` and all 16-bit ones `Y16 `.
    add(["GREY": "GRAY8"], Plane(bytes: 1))
    add(["Y16 ": "GRAY16_LE", "RGBP": "RGB16"], Plane(bytes: 2))
    add(["YUYV": "YUY2", "UYVY": "UYVY", "YVYU": "YVYU", "VYUY": "VYUY"], Plane(bytes: 4, columns: 2))
    add(["RGB3": "RGB", "BGR3": "BGR"], Plane(bytes: 3))
    add(["XR24": "BGRx", "BX24": "xRGB", "Y210": "Y210"], Plane(bytes: 4))
    let (luma, half) = (Plane(bytes: 1), Plane(bytes: 1, columns: 2))
    add(["NV24": "NV24"], luma, Plane(bytes: 2))
    add(["NV16": "NV16"], luma, Plane(bytes: 2, columns: 2))
    add(["NV12": "NV12", "NV21": "NV21"], luma, Plane(bytes: 2, columns: 2, rows: 2))
    add(["P010": "P010_10LE"], Plane(bytes: 2), Plane(bytes: 4, columns: 2, rows: 2))
    add(["422P": "Y42B"], luma, half, half)
    let quarter = Plane(bytes: 1, columns: 2, rows: 2)
    add(["YU12": "I420", "YV12": "YV12"], luma, quarter, quarter)
    for (name, pattern) in [("BA81", "bggr"), ("GBRG", "gbrg"), ("GRBG", "grbg"), ("RGGB", "rggb")] {
      add(name, .bayer(pattern), .planes([luma]))
    }
    add(10, isPacked: false, gray: "Y10 ", ["bggr": "BG10", "gbrg": "GB10", "grbg": "BA10", "rggb": "RG10"])
    add(12, isPacked: false, gray: "Y12 ", ["bggr": "BG12", "gbrg": "GB12", "grbg": "BA12", "rggb": "RG12"])
    add(14, isPacked: false, gray: "Y14 ", ["bggr": "BG14", "gbrg": "GB14", "grbg": "GR14", "rggb": "RG14"])
    add(16, isPacked: false, gray: nil, ["bggr": "BYR2", "gbrg": "GB16", "grbg": "GR16", "rggb": "RG16"])
    add(10, isPacked: true, gray: "Y10P", ["bggr": "pBAA", "gbrg": "pGAA", "grbg": "pgAA", "rggb": "pRAA"])
    add(12, isPacked: true, gray: "Y12P", ["bggr": "pBCC", "gbrg": "pGCC", "grbg": "pgCC", "rggb": "pRCC"])
    add(14, isPacked: true, gray: "Y14P", ["bggr": "pBEE", "gbrg": "pGEE", "grbg": "pgEE", "rggb": "pREE"])
    return modes
  }()

  /// V4L2's number of a name of four letters.
  static func code(_ name: String) -> UInt32 {
    name.utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
  }
}
