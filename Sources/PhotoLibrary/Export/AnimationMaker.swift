// Rendering a movie as an animation, frame by frame.

import CameraCore
import EngineInterface
import Foundation
import Localization
import PhotoEffects
import Synchronization

/// Renders one animation.
struct AnimationMaker: Sendable {
  let movies: any MovieReader
  let source: MovieSource
  let form: ExportForm
  /// In pixels; `nil` for the format's default.
  let longestSide: Int?
  /// The movie's duration in seconds; `nil` when it is unknown.
  let duration: Double?
  let progress: @Sendable (Double) -> Void

  /// In seconds: the file would be larger than any movie, and is in memory until it is complete.
  static let longest = 120.0
  /// The defaults, in pixels of the longer side and frames per second: more is slow to load and to show.
  private static let usualGIF = (side: 480, rate: 15.0)
  private static let usualWebP = (side: 720, rate: 30.0)
  private static let usualAVIF = (side: 720, rate: 30.0)
  /// Each frame is a whole picture without loss.
  private static let usualPNG = (side: 480, rate: 15.0)
  /// The frames per second from which the palette is chosen.
  private static let paletteRate = 5.0
  /// The share of that pass in the progress.
  private static let paletteShare = 0.4

  func make() async throws(PhotoLibraryError) -> Data {
    do {
      if let duration, duration > Self.longest { throw Self.tooLong }
      switch form {
      case .gif: return try await gif()
      case .webp:
        return try await film(Self.usualWebP) { size throws(AnimationFailure) in try WebPEncoder(size: size) }
      case .apng: return try await film(Self.usualPNG) { APNGEncoder(size: $0) }
      case .avif:
        return try await film(Self.usualAVIF) { size throws(AnimationFailure) in try AVIFEncoder(size: size) }
      case .original, .current, .still, .movie, .appleLivePhoto, .motionPhoto, .fourUp, .contactSheet:
        preconditionFailure("\(form) is no animation.")
      }
    } catch let error as PhotoLibraryError {
      throw error
    } catch is CancellationError {
      throw .cancelled
    } catch let error as AnimationFailure {
      throw .exportFailed(path: source.url.path, reason: error.reason)
    } catch CameraError.playbackFailed(_, let message) {
      throw .exportFailed(path: source.url.path, reason: message)
    } catch {
      throw .exportFailed(path: source.url.path, reason: error.localizedDescription.asClause)
    }
  }

  private static var tooLong: AnimationFailure {
    AnimationFailure(
      reason: localized(
        """
        its video is longer than \(Int(longest / 60)) minutes, which is too long for an animation; \
        export it as a video
        """))
  }

  fileprivate static var empty: AnimationFailure {
    AnimationFailure(reason: localized("its video contains no picture"))
  }

  private func size(_ usual: Int) -> PixelSize {
    let side = longestSide ?? usual
    return PixelSize(width: side, height: side)
  }

  private func gif() async throws -> Data {
    let size = size(Self.usualGIF.side)
    let colors = SharedColors()
    try await read(size, Self.paletteRate, from: 0, to: Self.paletteShare) { colors.add($0) }
    guard !colors.isEmpty else { throw Self.empty }
    guard let palette = colors.palette() else {
      throw AnimationFailure(reason: localized("there isn’t enough memory"))
    }
    let film = Film { frame throws(AnimationFailure) in try GIFEncoder(palette: palette, size: frame.image.size) }
    try await read(size, Self.usualGIF.rate, from: Self.paletteShare, to: 1) { try film.add($0) }
    return try film.finish()
  }

  private func film<Encoder: AnimationEncoder & ~Copyable>(
    _ usual: (side: Int, rate: Double), _ encoder: @escaping (PixelSize) throws(AnimationFailure) -> Encoder
  ) async throws -> Data {
    let film = Film { frame throws(AnimationFailure) in try encoder(frame.image.size) }
    try await read(size(usual.side), usual.rate, from: 0, to: 1) { try film.add($0) }
    return try film.finish()
  }

  private func read(
    _ size: PixelSize, _ rate: Double, from start: Double, to end: Double,
    _ body: @escaping @Sendable (MovieFrame) throws -> Void
  ) async throws {
    let (duration, progress) = (duration, progress)
    try await movies.readFrames(of: source, fitting: size, atMost: rate) { frame in
      guard frame.time <= Self.longest + 1 else { throw Self.tooLong }
      try body(frame)
      if let duration, duration > 0 {
        progress(start + (end - start) * min(1, (frame.time + frame.duration) / duration))
      }
    }
    progress(end)
  }
}

/// The colors of all frames; the decoder's thread adds them.
private final class SharedColors: Sendable {
  private let count = Mutex(ColorCount())

  func add(_ frame: MovieFrame) { count.withLock { $0.add(frame.image) } }

  // Called by asynchronous functions: see “Locks” in MediaEngine.md.

  var isEmpty: Bool { @inline(never) get { count.withLock { $0.colors.isEmpty } } }

  @inline(never)
  func palette() -> [SIMD3<UInt8>]? { count.withLock { $0.palette() } }
}

/// An encoder that is created with the size of the first frame.
private final class Film<Encoder: AnimationEncoder & ~Copyable>: @unchecked Sendable {
  // Sendable: the decoder's thread adds frames one after another, and has ended before `finish` is called.
  private var encoder: Encoder?
  private let make: (MovieFrame) throws(AnimationFailure) -> Encoder

  init(_ make: @escaping (MovieFrame) throws(AnimationFailure) -> Encoder) { self.make = make }

  func add(_ frame: MovieFrame) throws(AnimationFailure) {
    if encoder == nil { encoder = try make(frame) }
    try encoder?.add(frame)
  }

  func finish() throws(AnimationFailure) -> Data {
    guard let data = try encoder?.finish() else { throw AnimationMaker.empty }
    return data
  }
}
