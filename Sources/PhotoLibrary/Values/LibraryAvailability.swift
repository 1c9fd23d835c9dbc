// Whether the library's folder can be reached.

/// Whether the library is in its folder and its disk answers: see `PhotoLibrary.availability()`.
public enum LibraryAvailability: Sendable, Equatable {
  case available
  /// The disk isn't mounted or was unplugged, or the share doesn't answer. What the index knows can still be listed; nothing is
  /// saved.
  ///
  /// - reason: Says what happened, to what, and what can be done.
  case unavailable(reason: PhotoLibraryError)

  /// `nil` while it is available.
  public var reason: PhotoLibraryError? { if case .unavailable(let reason) = self { reason } else { nil } }
}
