// The interface to the desktop's location service.

import PhotoLibrary

/// An answer of the location service.
public enum LocationNotice: Hashable, Sendable {
  /// - accuracy: The radius of the circle around it, in meters; `nil` where it isn't known.
  case found(GeoLocation, accuracy: Double?)
  /// The person, or the administrator, doesn't allow it.
  case refused
  /// Nothing on this computer tells places.
  case unavailable
}

/// Tells where the computer is, while it is asked.
@MainActor public protocol LocationSource: AnyObject {
  /// Begins to search. The first time, the desktop may ask the person.
  ///
  /// - Parameter tell: Called for each place that is found, or once with the reason that there is none.
  func start(_ tell: @escaping (LocationNotice) -> Void)

  /// Ends the search; nothing is told afterwards.
  func stop()
}
