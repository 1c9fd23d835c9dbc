// The interface to whatever finds faces in pictures.

/// Finds faces in still pictures. `PersonMatte.FaceDetector` is the implementation.
public protocol FaceDetecting: Sendable {
  /// The faces of a picture, those near the camera and those farther away, in no order; none for a picture without any.
  ///
  /// - Parameter image: Upright.
  /// - Throws: The reason why nobody knows, for people, as a model that isn't installed; or `CancellationError` soon after the
  ///   task was canceled.
  func faces(in image: DecodedImage) async throws -> [FoundFace]
}
