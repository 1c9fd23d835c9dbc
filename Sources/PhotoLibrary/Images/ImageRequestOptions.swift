// Options and results of image requests.

import CameraCore

/// The options of an image request.
public struct ImageRequestOptions: Sendable, Hashable {
  /// The images that are delivered. The names are PhotoKit's.
  public enum DeliveryMode: Sendable, Hashable {
    /// A degraded image at once if there is one, then the final one.
    case opportunistic
    /// Only the final image.
    case highQualityFormat
    /// One image: the best that is available without decoding the file, degraded or not; the final one if there is
    /// none.
    case fastFormat
  }

  /// The order in which requests are processed.
  public enum Priority: Int, Sendable, Hashable, Comparable {
    /// It may become visible soon. After all visible ones; the first request comes first.
    case ahead
    /// It is visible. The last request comes first: while the user scrolls, the others have moved out of view.
    case visible

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  public var deliveryMode: DeliveryMode
  public var priority: Priority
  /// Whether a thumbnail that had to be decoded is written to the desktop's thumbnail cache, where other programs see
  /// it. Not for hidden pictures.
  public var isShared: Bool
  /// Whether the image is written to a file of the person. It is then decoded anew from the picture's own file, by a process
  /// that has decoded no other one: see `StillCodecs.decode`.
  var isKept = false

  public init(
    deliveryMode: DeliveryMode = .opportunistic, priority: Priority = .visible, isShared: Bool = true
  ) {
    self.deliveryMode = deliveryMode
    self.priority = priority
    self.isShared = isShared
  }
}

/// An image that was delivered for a request.
public struct ImageResult: Sendable {
  public var image: DecodedImage
  /// Whether it has fewer pixels than requested, or many more. Unless the delivery mode is `fastFormat`, the final
  /// image follows.
  public var isDegraded: Bool

  public init(image: DecodedImage, isDegraded: Bool) {
    self.image = image
    self.isDegraded = isDegraded
  }
}
