// Detection of faces in still pictures.

import CameraCore

/// A face in a picture, in parts of the picture's width and height: 0…1 from its upper left corner.
public struct FaceRectangle: Sendable, Hashable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }
}

/// Finds faces. `MediaEngine.InstalledFaceDetector` is the implementation.
public protocol FaceDetecting: Sendable {
  /// The faces that look toward the camera, in no order; none for a picture without any.
  ///
  /// - Returns: `nil` when nobody knows: no detector is installed, or it failed or didn't answer in time.
  func faces(in image: DecodedImage) async -> [FaceRectangle]?
}
