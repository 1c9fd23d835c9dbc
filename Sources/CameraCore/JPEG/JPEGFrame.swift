// What decoding a JPEG will need of memory, told from its headers before anything is decoded.

/// The frame header of a picture and the header of its first scan.
public struct JPEGFrame: Equatable, Sendable {
  /// As coded.
  public let size: PixelSize
  /// Whether a decoder must hold the coefficients of the whole picture to decode any part of it: the picture is
  /// progressive, or its colours come one after the other.
  public let isHeldWhole: Bool
  /// The bytes of these coefficients, 2 for each sample of each colour; 0 where they are not held.
  ///
  /// 20 000 × 20 000 pixels in three full colours are 2.4 GB, and the file may have some hundred bytes.
  ///
  /// Source: `jinit_d_coef_controller` in libjpeg's `jdcoefct.c`.
  public let coefficientBytes: Int

  /// - Parameter bytes: From SOI; what follows the first scan's header is not looked at.
  /// - Throws: When no scan begins, or what stands before it can't stand there.
  public init(_ bytes: UnsafeRawBufferPointer) throws(JPEGStreamError) {
    var reader = try JPEGMarkerReader(bytes)
    var frame: JPEGMarkerReader.Step?
    while true {
      let step = try reader.next()
      if JPEGMarker.isFrameHeader(step.code) {
        // A second one is refused by decoders too.
        guard frame == nil, JPEGMarker.isUsualFrameHeader(step.code) else { throw .unsupported(marker: step.code) }
        frame = step
      } else if step.code == JPEGMarker.startOfScan {
        guard let frame else { throw .damaged(offset: step.range.lowerBound) }
        try self.init(bytes, frame: frame, scan: step)
        return
      } else if step.code == JPEGMarker.endOfImage {
        throw .cutShort
      }
    }
  }

  /// ITU-T T.81, B.2.2 and B.2.3.
  private init(
    _ bytes: UnsafeRawBufferPointer, frame: JPEGMarkerReader.Step, scan: JPEGMarkerReader.Step
  ) throws(JPEGStreamError) {
    let start = frame.payload.lowerBound
    guard frame.payload.count >= 6, !scan.payload.isEmpty, let height = bytes.bigEndian16(at: start + 1),
      let width = bytes.bigEndian16(at: start + 3), width > 0, height > 0
    else { throw .damaged(offset: start) }
    let count = Int(bytes[start + 5])
    guard count > 0, frame.payload.count >= 6 + 3 * count else { throw .damaged(offset: start) }
    let sampling = (0..<count).map { index -> (across: Int, down: Int) in
      let both = bytes[start + 7 + 3 * index]
      return (Int(both >> 4), Int(both & 15))
    }
    guard sampling.allSatisfy({ (1...4).contains($0.across) && (1...4).contains($0.down) }) else {
      throw .damaged(offset: start)
    }
    size = PixelSize(width: width, height: height)
    let isProgressive = frame.code == 0xc2 || frame.code == 0xca
    isHeldWhole = isProgressive || Int(bytes[scan.payload.lowerBound]) < count
    let (most, tallest) = (sampling.map(\.across).max() ?? 1, sampling.map(\.down).max() ?? 1)
    // Blocks of 8 × 8, as many as fill whole groups of what the colours share.
    let groups = ((width + 8 * most - 1) / (8 * most)) * ((height + 8 * tallest - 1) / (8 * tallest))
    let blocks = sampling.reduce(0) { $0 + $1.across * $1.down } * groups
    coefficientBytes = isHeldWhole ? blocks * 128 : 0
  }

  /// The most of `coefficientBytes` that is worth a picture: 24 megapixels in full colours, 55 with the usual half ones.
  public static let mostCoefficientBytes = 160 << 20

  /// Why it is not decoded: the end of a sentence; `nil` when it can be.
  public var refusal: String? {
    guard coefficientBytes > Self.mostCoefficientBytes else { return nil }
    return "its \(size.width) × \(size.height) pixels come in several passes, and decoding them would take "
      + "\(coefficientBytes >> 20) MiB of memory; save it as a baseline JPEG to see it"
  }
}
