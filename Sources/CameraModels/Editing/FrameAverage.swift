// A preview of a long exposure: the average of some frames of a movie.

import CameraCore
import EngineInterface
import Foundation
import PhotoEffects
import PhotoLibrary

/// The average of frames, evenly spaced over a part of a movie. What is saved is the average of all of
/// them.
enum FrameAverage {
  /// How many frames the preview takes: enough that what moves is a trail and not a row of copies, few enough for a second.
  static let count = 12

  /// - Parameters:
  ///   - range: In seconds.
  ///   - size: What a frame is to fit into, in pixels.
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
