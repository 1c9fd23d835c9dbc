// The V4L2 pixel formats that GStreamer's source lacks.

import CameraCore

/// A pixel format of more than 8 bits that PhotoMe reads from the device itself: `v4l2src` (1.22) knows none of them, and
/// later versions leave out the packed ones.
///
/// A sensor's own samples go to the DNG as they are. Everything else gets the upper 8 bits, which is what the same sensor
/// sends in a mode of 8 bits. Pictures without colors become GStreamer's `GRAY16_LE`, and `P010` and `Y210` stay as they
/// are.
///
/// Source: linux/videodev2.h; the kernel's “Raw Bayer Formats”, “Luma-Only Formats” and “YUV Formats”.
struct NodeMode: Hashable, Sendable {
  /// The samples of a row in memory.
  enum Samples: Hashable, Sendable {
    /// Each in the lower bits of two bytes, the lower byte first.
    case words(bits: Int)
    /// As MIPI CSI-2 packs them: the upper 8 bits of some samples, a byte each, and then their other bits, the lowest
    /// first.
    case packed(bits: Int)
    /// As GStreamer has them, in so many bytes a pixel and so many rows for two of the picture.
    case pixels(bytes: Int, rowsForTwo: Int)
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

  /// The pixels whose samples are packed together; 1 where none are.
  var pixelsInGroup: Int {
    // As many as have whole bytes of lower bits.
    if case .packed(let bits) = samples { bits == 12 ? 2 : 4 } else { 1 }
  }

  /// The bytes of a group of pixels.
  var bytesInGroup: Int {
    switch samples {
    case .words: 2
    case .packed(let bits): pixelsInGroup * bits / 8
    case .pixels(let bytes, _): bytes
    }
  }

  /// Whether frames of this size have a defined layout in memory.
  func isDefined(at size: PixelSize) -> Bool {
    encoding.isDefined(at: size) && delivered.isDefined(at: size) && size.width % pixelsInGroup == 0
  }

  /// The mode of a pixel format; `nil` for those that are left to GStreamer.
  static func of(_ pixelFormat: UInt32) -> NodeMode? { all.first { $0.pixelFormat == pixelFormat } }

  /// The pixel formats that are one encoding in the list of formats, those that need no unpacking first; none for
  /// encodings that are left to GStreamer.
  static func all(for encoding: FrameEncoding) -> [NodeMode] { all.filter { $0.encoding == encoding } }

  /// All of them.
  static let all: [NodeMode] = {
    var modes: [NodeMode] = []
    func add(_ bits: Int, isPacked: Bool, gray: String, _ patterns: [String: String]) {
      let samples: Samples = isPacked ? .packed(bits: bits) : .words(bits: bits)
      for (pattern, name) in patterns.sorted(by: <) {
        let encoding = FrameEncoding.bayer("\(pattern)\(bits)le")
        modes.append(NodeMode(pixelFormat: code(name), encoding: encoding, samples: samples))
      }
      // Those of 16 bits are `v4l2src`'s.
      guard bits < 16 else { return }
      modes.append(NodeMode(pixelFormat: code(gray), encoding: .raw("GRAY\(bits)_LE16"), samples: samples))
    }
    add(10, isPacked: false, gray: "Y10 ", ["bggr": "BG10", "gbrg": "GB10", "grbg": "BA10", "rggb": "RG10"])
    add(12, isPacked: false, gray: "Y12 ", ["bggr": "BG12", "gbrg": "GB12", "grbg": "BA12", "rggb": "RG12"])
    add(14, isPacked: false, gray: "Y14 ", ["bggr": "BG14", "gbrg": "GB14", "grbg": "GR14", "rggb": "RG14"])
    add(16, isPacked: false, gray: "Y16 ", ["bggr": "BYR2", "gbrg": "GB16", "grbg": "GR16", "rggb": "RG16"])
    add(10, isPacked: true, gray: "Y10P", ["bggr": "pBAA", "gbrg": "pGAA", "grbg": "pgAA", "rggb": "pRAA"])
    add(12, isPacked: true, gray: "Y12P", ["bggr": "pBCC", "gbrg": "pGCC", "grbg": "pgCC", "rggb": "pRCC"])
    add(14, isPacked: true, gray: "Y14P", ["bggr": "pBEE", "gbrg": "pGEE", "grbg": "pgEE", "rggb": "pREE"])
    // Two planes, the second with half the rows, and one.
    for (name, layout, bytes, rows) in [("P010", "P010_10LE", 2, 3), ("Y210", "Y210", 4, 2)] {
      modes.append(
        NodeMode(
          pixelFormat: code(name), encoding: .raw(layout), samples: .pixels(bytes: bytes, rowsForTwo: rows)))
    }
    return modes
  }()

  /// V4L2's number of a name of four letters.
  static func code(_ name: String) -> UInt32 {
    name.utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
  }
}
