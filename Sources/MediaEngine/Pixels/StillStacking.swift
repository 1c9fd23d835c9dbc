// A still with less noise, from the frames around a press.

import CameraCore
import Foundation
import PhotoEffects

/// Averages the frames around a still, where the room is dim and the picture noisy. Some tenths of a second, on any thread.
enum StillStacking {
  /// The mean luma below which a picture is dim, of 255. Cameras whose exposure is automatic come to some 110 to 130 as long as
  /// they get enough light.
  static let dimness = 100.0
  /// The noise from which on averaging is worth it: the standard deviation of luma, in 8-bit steps.
  static let leastNoise = 1.5
  /// The frames that are averaged besides the still, at most and at least.
  static let (most, fewest) = (7, 3)

  /// A still that was improved.
  struct Result {
    var jpeg: FrameBlock
    /// The frames that were averaged, with the still.
    var frameCount: Int
  }

  /// - Parameters:
  ///   - still: The JPEG of the frame of the press.
  ///   - companions: Frames before and after it, the nearest first. Damaged ones and those of another size are left out.
  ///   - isCancelled: Asked before each frame.
  /// - Returns: `nil` when the picture is bright or has little noise: the still is as good as it gets.
  /// - Throws: `JPEGCodecError`, or `CancellationError`.
  static func improved(
    _ still: FrameBlock, by companions: [CameraFrame], isCancelled: () -> Bool = { false }
  ) throws -> Result? {
    let decoder = try JPEGDecoder()
    guard companions.count >= fewest, try isDim(still, decoder) else { return nil }
    let (layout, block) = try still.withUnsafeBytes { try decoder.decodePlanes($0) }
    var stack = try withPlanes(layout, block) { FrameStack(reference: $0) }
    for frame in companions.prefix(most) {
      if isCancelled() { throw CancellationError() }
      let jpeg = frame.content == .jpeg && frame.look == nil ? frame.block : try? StillMaker.jpeg(of: frame)
      guard let jpeg, let (other, planes) = try? jpeg.withUnsafeBytes({ try decoder.decodePlanes($0) }),
        !decoder.isCut, other == layout
      else { continue }
      try withPlanes(layout, planes) { _ = stack.add($0) }
      // The first tells whether the others are worth it.
      if stack.noise < leastNoise { return nil }
    }
    guard stack.count >= fewest else { return nil }
    let averaged = stack.averaged
    let planes = FrameBlock(count: layout.planarByteCount) { memory in
      guard let base = memory.baseAddress else { return }
      for (plane, samples) in averaged.enumerated() {
        let width = layout.planeWidth(plane)
        samples.withUnsafeBytes { bytes in
          for row in 0..<samples.count / width {
            (base + layout.offsets[plane] + row * layout.strides[plane]).copyMemory(
              from: bytes.baseAddress! + row * width, byteCount: width)
          }
        }
      }
    }
    return Result(
      jpeg: try JPEGEncoder().encode(planes: planes, layout: layout, quality: FrameKeeping.stillQuality),
      frameCount: stack.count + 1)
  }

  /// Whether the mean luma is low, by an eighth of the picture's size.
  private static func isDim(_ jpeg: FrameBlock, _ decoder: JPEGDecoder) throws -> Bool {
    let (layout, block) = try jpeg.withUnsafeBytes { try decoder.decodePlanes($0, eighths: 1, quality: .fast) }
    return try withPlanes(layout, block) { $0[0].mean < dimness }
  }

  private static func withPlanes<Value>(
    _ layout: RawLayout, _ block: FrameBlock, _ body: ([BytePlane]) throws -> Value
  ) throws -> Value {
    guard let subsampling = layout.planarSubsampling, layout.planarByteCount <= block.count else {
      throw JPEGCodecError.layout(layout.name)
    }
    return try block.withUnsafeBytes { bytes in
      try body(
        layout.offsets.indices.map { plane in
          let size = subsampling.planeSize(plane, of: layout.size)
          return BytePlane(
            UnsafeRawBufferPointer(rebasing: bytes[layout.offsets[plane]...]), width: size.width, height: size.height,
            stride: layout.strides[plane])
        })
    }
  }
}

extension RawLayout {
  /// The samples of a row of a plane.
  fileprivate func planeWidth(_ plane: Int) -> Int { planarSubsampling?.planeSize(plane, of: size).width ?? 1 }
}
