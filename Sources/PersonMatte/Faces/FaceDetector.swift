// The face detector behind the interface of the models.

import CameraCore
import Foundation

/// Finds the faces of still pictures, small ones too (`FaceSearch`), on a thread beside Swift's own.
///
/// The network is made anew for each picture, which takes some milliseconds; the many windows of the search take more.
public struct FaceDetector: FaceDetecting {
  private let folder: URL?

  /// - Parameter folder: Of the models.
  public init(folder: URL? = ModelFile.installedFolder) { self.folder = folder }

  public func faces(in image: DecodedImage) async -> [FoundFace]? {
    guard image.size.width > 0, image.size.height > 0 else { return [] }
    let (flag, folder) = (CancellationFlag(), folder)
    return try? await Blocking.run(canceling: flag) { () throws(any Error) in
      try image.block.withUnsafeBytes { bytes in
        let picture = LentPixels(bytes, size: image.size, stride: image.stride)
        return try FaceSearch.faces(in: picture, by: FaceFinder(folder: folder), until: flag)
      }
    }
  }
}
