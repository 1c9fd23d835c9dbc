// How a picture is asked for, and how it is answered.

import CameraCore

/// How a picture is wanted.
public struct ImageRequestOptions: Sendable, Hashable {
  /// Which pictures are given. The names are PhotoKit's.
  public enum DeliveryMode: Sendable, Hashable {
    /// A rough picture at once when there is one, then the right one.
    case opportunistic
    /// Only the right one.
    case highQualityFormat
    /// One picture: the best that is there without decoding the file, rough or not; the right one when nothing is.
    case fastFormat
  }

  /// Whose turn it is when many are asked for.
  public enum Priority: Int, Sendable, Hashable, Comparable {
    /// It may be looked at soon. After everything that is looked at; the first asked for comes first.
    case ahead
    /// It is looked at. The last asked for comes first, since while somebody scrolls the others have gone by.
    case visible

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  public var deliveryMode: DeliveryMode
  public var priority: Priority
  /// Whether a thumbnail that had to be decoded is left in the desktop's thumbnail cache, where other programs see it.
  /// Not for pictures that a person hid.
  public var isShared: Bool

  public init(
    deliveryMode: DeliveryMode = .opportunistic, priority: Priority = .visible, isShared: Bool = true
  ) {
    self.deliveryMode = deliveryMode
    self.priority = priority
    self.isShared = isShared
  }
}

/// A picture as far as it is ready.
public struct ImageResult: Sendable {
  public var image: DecodedImage
  /// A rough one, which is to say one with fewer pixels than were asked for, or with many more. Unless the delivery mode
  /// is `fastFormat`, the right one follows.
  public var isDegraded: Bool

  public init(image: DecodedImage, isDegraded: Bool) {
    self.image = image
    self.isDegraded = isDegraded
  }
}
