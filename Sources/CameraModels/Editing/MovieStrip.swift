// The frames of a movie side by side, over which the editor trims it and chooses the key photo.

import CameraCore
import EngineInterface
import Foundation
import Observation
import PhotoLibrary

/// Decodes some frames of a movie, evenly spaced, in the background.
@MainActor @Observable
public final class MovieStrip {
  /// From the movie's start to its end; `nil` for those that aren't decoded yet, or can't be.
  public private(set) var frames: [DecodedImage?] = []

  /// How many frames there are.
  public static let count = 10
  /// Of a frame, in the layout's pixels; on a dense screen twice as many are decoded.
  public static let height = 48

  @ObservationIgnored private let reader: any MovieReader
  @ObservationIgnored private var work: Task<Void, Never>?

  init(reader: any MovieReader) { self.reader = reader }

  /// Decodes the frames of a movie, unless that has begun.
  ///
  /// - Parameter duration: Of the movie, in seconds.
  func open(_ source: MovieSource, duration: Double) {
    guard work == nil else { return }
    frames = Array(repeating: nil, count: Self.count)
    let size = PixelSize(width: 4 * Self.height, height: 2 * Self.height)
    work = Task { [weak self, reader] in
      for index in 0..<Self.count {
        let time = duration * (Double(index) + 0.5) / Double(Self.count)
        // A frame that can't be decoded is a gap in the strip; whether the movie plays is told by the preview.
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

  /// Returns when all are decoded.
  public func finished() async { await work?.value }
}
