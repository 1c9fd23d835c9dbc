// The row of frames in which the editor trims a movie and chooses the key photo.

import CameraCore
import EngineInterface
import Foundation
import Observation
import PhotoLibrary

/// Decodes evenly spaced frames of a movie in the background.
@MainActor @Observable
public final class MovieStrip {
  /// From the movie's start to its end; `nil` for frames that aren't decoded yet, or can't be.
  public private(set) var frames: [DecodedImage?] = []

  /// The number of frames.
  public static let count = 10
  /// The height of a frame in the layout's pixels; twice as many are decoded, for high-density screens.
  public static let height = 48

  @ObservationIgnored private let reader: any MovieReader
  @ObservationIgnored private var work: Task<Void, Never>?

  init(reader: any MovieReader) { self.reader = reader }

  /// Starts decoding the frames of a movie, unless that has begun.
  ///
  /// - Parameter duration: The movie's duration, in seconds.
  func open(_ source: MovieSource, duration: Double) {
    guard work == nil else { return }
    frames = Array(repeating: nil, count: Self.count)
    let size = PixelSize(width: 4 * Self.height, height: 2 * Self.height)
    work = Task { [weak self, reader] in
      for index in 0..<Self.count {
        let time = duration * (Double(index) + 0.5) / Double(Self.count)
        // A frame that can't be decoded leaves a gap; the preview reports whether the movie plays.
        let image = try? await reader.frame(of: source, at: time, fitting: size)
        guard !Task.isCancelled, let self else { return }
        self.frames[index] = image
      }
    }
  }

  func close() {
    work?.cancel()
    work = nil
    frames = []
  }

  /// Returns when all frames are decoded.
  public func finished() async { await work?.value }
}
