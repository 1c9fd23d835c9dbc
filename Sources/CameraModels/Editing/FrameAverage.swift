// The preview of a long exposure.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import PhotoLibrary

/// Averages a few frames, evenly spaced over a range of a movie. The saved picture averages all of them.
enum FrameAverage {
  /// The number of frames that the preview averages: enough for a trail rather than a row of copies, few enough to take a
  /// second.
  static let count = 12

  /// - Parameters:
  ///   - range: In seconds.
  ///   - size: The size that frames are to fit into, in pixels.
  /// - Throws: `CameraError`, or `CancellationError`.
  static func preview(
    of source: MovieSource, over range: ClosedRange<Double>, size: PixelSize, reader: any MovieReader
  ) async throws -> EditingImage {
    let length = range.upperBound - range.lowerBound
    var average: RunningAverage?
    for index in 0..<count {
      let time = range.lowerBound + length * (Double(index) + 0.5) / Double(count)
      let frame = try await reader.frame(of: source, at: time, fitting: size)
      try Task.checkCancellation()
      if average == nil { average = RunningAverage(size: frame.size) }
      average?.add(frame)
    }
    guard let image = average?.image else { throw CancellationError() }
    return EditingImage(image: image, fullSize: image.size)
  }
}
