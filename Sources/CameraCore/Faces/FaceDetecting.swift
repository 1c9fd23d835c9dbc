// The interface to whatever finds faces in pictures.

/// Finds faces in still pictures. `PersonMatte.FaceDetector` is the implementation.
public protocol FaceDetecting: Sendable {
  /// The faces of a picture, those near the camera and those farther away, in no order; none for a picture without any.
  ///
  /// - Parameter image: Upright.
  /// - Returns: `nil` when nobody knows: no model is installed, it doesn't run, or the task was canceled.
  func faces(in image: DecodedImage) async -> [FoundFace]?
}
