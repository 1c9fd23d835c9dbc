// The source of people's own backdrops.

import CameraCore

/// Has the pictures and movies that people put behind themselves. The library is one.
public protocol BackdropProvider: Sendable {
  /// The picture or movie of an id. Blocks while it is read, the first time.
  ///
  /// - Throws: `RecipeError.missingBackdrop`, or the reason why it can't be read.
  func source(of id: String) throws -> any BackdropSource
}

/// A picture, or the pictures of a movie, to be put behind a person.
public protocol BackdropSource: Sendable {
  /// In pixels, of each picture.
  var size: PixelSize { get }
  /// At least 1.
  var count: Int { get }
  /// In pictures a second.
  var frameRate: Double { get }

  /// One of the pictures, BGRX.
  ///
  /// - Parameters:
  ///   - index: Less than `count`.
  ///   - needed: The picture may be smaller than `size`, but not than this.
  /// - Returns: `nil` when it can't be decoded.
  func picture(_ index: Int, needed: PixelSize) -> DecodedImage?
}

extension BackdropSource {
  /// In seconds; of a picture a moment.
  public var duration: Double { Double(count) / max(1, frameRate) }

  /// The picture that is shown at a time, in seconds. A movie begins again after its end.
  func index(at time: Double) -> Int {
    guard count > 1, time.isFinite, time > 0 else { return 0 }
    let passed = (time * frameRate + 1e-6).rounded(.down).truncatingRemainder(dividingBy: Double(count))
    return min(count - 1, max(0, Int(passed)))
  }
}

extension OwnBackdrop {
  /// Has a movie begin where it is at a time; a picture stays as it is.
  ///
  /// - Parameter time: In seconds; also before the movie's beginning, as one that is repeated.
  public mutating func begin(at time: Double, of source: any BackdropSource) {
    guard source.count > 1, time.isFinite else { return }
    let passed = time.truncatingRemainder(dividingBy: source.duration)
    let inside = passed < 0 ? passed + source.duration : passed
    start = min(Self.startRange.upperBound, max(0, Int((inside * 100 + 1e-6).rounded(.down))))
  }

  /// - Throws: `RecipeError.missingBackdrop`, or the error of the provider.
  func source(from backdrops: (any BackdropProvider)?) throws -> any BackdropSource {
    guard let backdrops else { throw RecipeError.missingBackdrop }
    return try backdrops.source(of: id)
  }
}
