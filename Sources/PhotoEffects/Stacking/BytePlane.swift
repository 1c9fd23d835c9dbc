// Borrowed planes of 8-bit samples.

import CameraCore

/// A plane of samples, valid for the duration of a call: luma, or one of chroma.
public struct BytePlane {
  /// The first sample of the top row.
  public let samples: UnsafePointer<UInt8>
  /// In samples, at least 1.
  public let width: Int
  /// In samples, at least 1.
  public let height: Int
  /// Samples from one row to the next; at least the width.
  public let stride: Int

  /// - Parameter bytes: At least `stride * (height - 1) + width`.
  public init(_ bytes: UnsafeRawBufferPointer, width: Int, height: Int, stride: Int) {
    precondition(width > 0 && height > 0 && stride >= width && bytes.count >= stride * (height - 1) + width)
    samples = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
    self.width = width
    self.height = height
    self.stride = stride
  }

  /// The first sample of a row.
  @inline(__always)
  func row(_ y: Int) -> UnsafePointer<UInt8> { samples + y * stride }

  /// The mean of every fourth sample of every fourth row.
  public var mean: Double {
    var (sum, count) = (0, 0)
    for y in Swift.stride(from: 0, to: height, by: 4) {
      let row = row(y)
      for x in Swift.stride(from: 0, to: width, by: 4) { sum += Int(row[x]) }
      count += (width + 3) / 4
    }
    return Double(sum) / Double(count)
  }
}
