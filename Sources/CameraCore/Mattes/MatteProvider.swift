// The interface to whatever finds people in pictures.

/// Pixels that are lent for a call: 32 bits each, in memory blue, green, red and an unused byte.
public struct LentPixels {
  public let bytes: UnsafeRawBufferPointer
  /// In pixels, at least 1×1.
  public let size: PixelSize
  /// Bytes from one row to the next.
  public let stride: Int

  /// - Parameter bytes: At least `stride` bytes a row, but for the last one.
  public init(_ bytes: UnsafeRawBufferPointer, size: PixelSize, stride: Int) {
    precondition(
      size.width > 0 && size.height > 0 && stride >= 4 * size.width, "Pixels have a size, and rows room for it.")
    precondition(bytes.count >= stride * (size.height - 1) + 4 * size.width, "The pixels are all there.")
    (self.bytes, self.size, self.stride) = (bytes, size, stride)
  }
}

/// Finds mattes in pictures: a network, a depth camera, or a matte that was kept.
public protocol MatteProvider: Sendable {
  /// What it tells apart.
  var kinds: Set<MatteKind> { get }

  /// The reason why there are no mattes; `nil` when there are. May read files.
  func reasonForAbsence() -> (any Error)?

  /// Prepares to follow people through one sequence of pictures.
  ///
  /// - Parameter quality: Of the sequence.
  /// - Throws: The reason why there are no mattes, for people.
  func makeTracker(_ kind: MatteKind, quality: MatteQuality) throws -> any MatteTracker
}

/// The trade-off between speed and accuracy.
public enum MatteQuality: Sendable, Hashable, CaseIterable {
  /// For the viewfinder.
  case live
  /// For the frames of movies.
  case movie
  /// For a single picture.
  case still
}

/// Follows people through one sequence of pictures. For one thread at a time.
public protocol MatteTracker: AnyObject {
  /// Somebody is in the first picture, though perhaps no face is seen there; called before it. Where the matte covers nothing,
  /// nobody is there nevertheless.
  func expectPerson()

  /// The matte of the next picture of the sequence.
  ///
  /// - Parameters:
  ///   - picture: Upright. What was learned from pictures of another shape is forgotten.
  ///   - time: Of the picture in the sequence, in seconds. After an earlier one than the last, presence stays as it is.
  /// - Returns: A matte of the picture's size, with a `presence` of 0 when nobody is there.
  /// - Throws: The reason why there is none, for people.
  func matte(of picture: LentPixels, time: Double) throws -> Matte
}

extension MatteTracker {
  /// Who finds people by other means needs no hint.
  public func expectPerson() {}
}
