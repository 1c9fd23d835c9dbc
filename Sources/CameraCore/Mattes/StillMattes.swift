// The mattes of an edited still.

/// The mattes of a picture that was rendered.
public struct StillMattes: Sendable, Equatable {
  /// Of the source, upright and of its size, as it was found: without corrections.
  public var found: Matte
  /// Of the rendered picture and of its size, with corrections.
  public var rendered: Matte

  public init(found: Matte, rendered: Matte) { (self.found, self.rendered) = (found, rendered) }
}
