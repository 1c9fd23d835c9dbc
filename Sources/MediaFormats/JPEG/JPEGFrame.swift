// The memory that decoding a JPEG takes, from its headers alone.

import CameraCore
import Foundation
import Localization

/// The frame header of a picture and the header of its first scan, and the memory that a decoder needs for it.
public struct JPEGFrame: Equatable, Sendable {
  /// As coded.
  public let size: PixelSize
  /// Whether a decoder has to hold the coefficients of the whole picture to decode any part of it: the picture is
  /// progressive, or each component has a scan of its own.
  public let keepsCoefficients: Bool
  /// The bytes of these coefficients, 2 for each sample of each component; 0 where they are not held.
  ///
  /// 20,000 × 20,000 pixels in three components of full resolution are 2.4 GB, and the file may have a few hundred bytes.
  ///
  /// Source: `jinit_d_coef_controller` in libjpeg's `jdcoefct.c`.
  public let coefficientBytes: Int

  /// Reads the headers.
  ///
  /// - Parameter bytes: From SOI; nothing behind the first scan's header is read.
  /// - Throws: `JPEGStreamError` when there is no scan, or the segments before it are damaged.
  public init(_ bytes: UnsafeRawBufferPointer) throws(JPEGStreamError) {
    var reader = try JPEGMarkerReader(bytes)
    var frame: JPEGMarkerReader.Step?
    while true {
      let step = try reader.next()
      if JPEGMarker.isFrameHeader(step.code) {
        // Decoders refuse a second one, too.
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
    keepsCoefficients = isProgressive || Int(bytes[scan.payload.lowerBound]) < count
    let (most, tallest) = (sampling.map(\.across).max() ?? 1, sampling.map(\.down).max() ?? 1)
    // Blocks of 8 × 8 samples, rounded up to whole MCUs.
    let groups = ((width + 8 * most - 1) / (8 * most)) * ((height + 8 * tallest - 1) / (8 * tallest))
    let blocks = sampling.reduce(0) { $0 + $1.across * $1.down } * groups
    coefficientBytes = keepsCoefficients ? blocks * 128 : 0
  }

  /// The largest `coefficientBytes` that is decoded: 24 megapixels in 4:4:4, 55 in 4:2:0.
  public static let mostCoefficientBytes = 160 << 20

  /// The reason not to decode it, which ends a sentence about the file; `nil` when it can be decoded.
  public var refusal: String? {
    guard coefficientBytes > Self.mostCoefficientBytes else { return nil }
    let amount = ByteCountFormatStyle(style: .memory, locale: .forNumbers).format(Int64(coefficientBytes))
    return localized(
      """
      its \(size.localized) pixels are stored in several passes, which takes \(amount) of memory to open; save it as a \
      baseline JPEG to see it
      """, comment: "A reason why a file can’t be shown; {0} is 1280 × 720, {1} is 160 MB")
  }
}
